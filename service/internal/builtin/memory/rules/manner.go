package rules

import (
	"slices"
	"strings"
)

// manner are the words of wishes about the manner of answers. A wish with other words is
// an instruction: a list of harmless words can be complete, a list of harmful ones can't.
var manner = readLexicon("words/manner.txt")

// instructs reports whether a statement tells the assistant to do more than answer in a
// certain manner.
func instructs(content string) bool {
	words := wordsOf(content)
	if callsUser(content) {
		return false
	}
	return ordered(words) || bidding(words) && !mannerly(words)
}

// orders does the same as instructs for words of the message. A statement about the user
// before them, in the same sentence, is their subject: "I hike and [enjoy tea]".
func (m *Message) orders(from, to int) bool {
	all, words := wordsOf(m.text[from:to]), m.text[from:to]
	begun := max(strings.LastIndexAny(m.text[:from], ".!?\n"), from-longestSecret, 0)
	if before := wordsOf(m.text[begun:from]); containsAny(before, "i", "i'm", "im", "i've") && !slices.Contains(before, "you") {
		return ordered(all) || containsAny(all, "you", "your", "yourself", "assistant") && !mannerly(all)
	}
	return ordered(all) || (imperative(words) || containsAny(all, "you", "your", "yourself", "assistant") || bids(all)) && !mannerly(all)
}

// imperative reports whether words of the message are an order: "please always
// answer in German", "keep answers short from now on".
func imperative(words string) bool {
	all := skipPolite(wordsOf(words))
	for len(all) > 3 && among(all[0], "from", "in") && among(all[1], "now", "here", "future") {
		all = all[2:]
		if all[0] == "on" {
			all = all[1:]
		}
		all = skipPolite(all)
	}
	if len(all) == 0 {
		return false
	}
	return among(all[0], "always", "never", "don't", "do", "stop", "only") || knownVerbs[all[0]] && all[0] == lemma(all[0])
}

// standsOut recognises a sentence that orders something for all later answers besides
// their manner. Whoever wrote it may have written the whole message.
func standsOut(text string, s []token) bool {
	words := text[s[0].start:s[len(s)-1].end]
	all := wordsOf(words)
	return (lasting(s) || bids(all) || among(all[0], "always", "never")) && (imperative(words) || containsAny(all, "you", "your", "assistant")) && !mannerly(all)
}

// ordered recognises words that occur in orders, but in no statement about a person.
func ordered(words []string) bool {
	for i, w := range words {
		if manner.has("order", w) {
			return true
		}
		if among(w, "call", "calls", "use", "uses", "run", "runs") && i+2 < len(words) && (among(words[i+2], "tool") || among(words[i+1], "tool", "tools")) {
			return true
		}
	}
	return hasPhrase(words, "root access", "safety rules", "safety filters", "safety checks", "safety measures",
		"system prompt", "without asking", "without review", "full access", "developer mode")
}

// bidding reports whether a statement is addressed to the assistant.
func bidding(words []string) bool {
	if len(words) == 0 {
		return false
	}
	if containsAny(words, "assistant", "assistant's", "you", "your", "yourself") || bids(words) {
		return true
	}
	wishes := false
	for _, w := range words {
		wishes = wishes || among(w, "wants", "want", "prefers", "prefer", "likes", "like", "expects", "needs", "requires",
			"requested", "asks", "asked", "insists", "loves", "hates")
		if wishes && among(w, "answer", "answers", "response", "responses", "reply", "replies", "chatbot", "bot", "ai", "agent",
			"refusals", "warnings", "disclaimers", "restrictions", "censorship", "ads") ||
			wishes && strings.HasSuffix(w, "ed") && verbs.any(lemma(w), "answer", "task") {
			return true
		}
	}
	return knownVerbs[words[0]] && words[0] == lemma(words[0]) || among(words[0], "please", "do", "don't", "always", "never")
}

// bids recognises "always recommend", "never mention": a verb without a subject
// that would change it.
func bids(words []string) bool {
	for i := 1; i < len(words); i++ {
		if !among(words[i-1], "always", "never", "must", "should", "shall") || words[i] != lemma(words[i]) || !knownVerbs[words[i]] {
			continue
		}
		if i < 2 || !among(words[i-2], "user", "i", "we", "they", "who", "you", "and", "but", "or", "that") {
			return true
		}
	}
	return false
}

// unnamed removes the name from "call me X" and "address me as X".
func unnamed(words []string) []string {
	var rest []string
	for i := 0; i < len(words); i++ {
		rest = append(rest, words[i])
		if words[i] != "me" || i == 0 || !among(words[i-1], "call", "calling", "address", "to") {
			continue
		}
		if i+1 < len(words) && among(words[i+1], "as", "by") {
			i++
		} else if words[i-1] == "to" {
			continue
		}
		for n := 0; n < 2 && i+1 < len(words) && !among(words[i+1], "and", "or", "but", "then", "from") && !manner.any(words[i+1], "title", "order"); n++ {
			i++
		}
	}
	return rest
}

// mannerly reports whether all words are about the manner of answers.
func mannerly(words []string) bool {
	for _, w := range unnamed(words) {
		if !manner.any(w, "verb", "about", "manner") && !small.any(w, "language", "tool", "adverb", "filler", "determiner", "preposition") && !number(w) &&
			!manner.has("verb", lemma(w)) {
			return false
		}
	}
	return true
}

// callsUser recognises a wish for a name, which may be any word but a title of power.
func callsUser(content string) bool {
	for _, opening := range []string{"User wants to be called ", "User does not want to be called ", "User is called ", "User prefers to be called "} {
		name, ok := strings.CutPrefix(content, opening)
		if !ok {
			continue
		}
		words := wordsOf(name)
		for _, w := range words {
			if manner.any(w, "title", "order") {
				return false
			}
		}
		return len(words) <= longestName
	}
	return false
}
