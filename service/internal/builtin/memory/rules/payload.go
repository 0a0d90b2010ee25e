package rules

import (
	"slices"
	"strings"
)

// maskPayload marks the text that a task is about: "Translate this: …", and the text
// after an instruction and a blank line.
func maskPayload(text string, m mask) {
	at := 0
	for at < len(text) {
		end, next := instructionEnd(text, at)
		words := wordsOf(text[at:end])
		switch kind := taskOf(words); {
		case kind == noTask:
		case kind == onText:
			m.set(payloadStart(text, at, end, words), len(text), foreign)
			return
		case strings.HasPrefix(strings.TrimLeft(text[end:], " "), ":"), blankAfter(text, end) && !aboutSelf(words) && !advice[skipPolite(words)[0]]:
			m.set(end, len(text), foreign)
			return
		}
		at = next
	}
}

// advice are tasks whose circumstances follow, in the user's own words.
var advice = setOf("suggest recommend help plan tell show")

// instructionEnd returns where the sentence that begins at a byte ends, and where the
// next begins. A colon ends one as well.
func instructionEnd(text string, at int) (end, next int) {
	n := strings.IndexAny(text[at:], ".!?\n:")
	if n < 0 {
		return len(text), len(text)
	}
	return at + n, at + n + 1
}

func blankAfter(text string, at int) bool {
	rest := strings.TrimLeft(text[at:], ".!?: \t\r")
	return strings.HasPrefix(rest, "\n\n") || strings.HasPrefix(rest, "\n \n")
}

type task int

const (
	noTask  task = iota
	onText       // works on a given text
	general      // makes something
)

// taskOf returns what an instruction asks for.
func taskOf(words []string) task {
	words = skipPolite(words)
	if len(words) == 0 {
		return noTask
	}
	given := containsAny(words, "following", "below") || hasPhrase(words, "this sentence", "this text", "this email", "this paragraph", "this review", "this message",
		"these sentences", "this passage", "this tweet", "this diary", "this letter", "this essay", "this poem", "this article", "these lyrics", "this comment", "this story",
		"the sentence", "the story", "the passage", "the text", "the speaker", "the paragraph", "this code", "this conversation", "the conversation", "the dialogue", "this dialogue", "which intent", "which sentence", "which of these", "these two sentences", "the sentences")
	switch {
	case verbs.has("text-task", words[0]) && !aboutSelf(words):
		return onText
	case hasPhrase(words, "how do you say", "how do i say", "how to say", "how would you say", "correct to say", "that goes", "goes like this", "it goes like", " german for", "french for", "spanish for", "in the first person"):
		return onText
	case verbs.has("task", words[0]) && !aboutSelf(words) && given, given && questionWord(words[0]):
		return onText
	case verbs.has("task", words[0]), questionWord(words[0]) && given:
		return general
	}
	return noTask
}

func questionWord(word string) bool { return small.any(word, "wh", "question-aux") }

// skipPolite drops "please", "can you", "could you please", "help me".
func skipPolite(words []string) []string {
	for len(words) > 0 {
		switch {
		case small.has("filler", words[0]), words[0] == "kindly", words[0] == "now", words[0] == "just":
			words = words[1:]
		case len(words) > 2 && among(words[0], "can", "could", "will", "would") && words[1] == "you":
			words = words[2:]
		case len(words) > 2 && (words[0] == "help" && words[1] == "me"):
			words = words[2:]
		case len(words) > 4 && words[0] == "i" && among(words[1], "want", "need") && words[2] == "you" && words[3] == "to":
			words = words[4:]
		default:
			return words
		}
	}
	return nil
}

// aboutSelf reports whether an instruction says something about the user, not only about
// a text of theirs or a thing that they want.
func aboutSelf(words []string) bool {
	for i, w := range words {
		if !among(w, "my", "myself") && !(w == "me" && i > 0 && (among(words[i-1], "about", "for"))) && !(among(w, "i", "i'm", "im")) {
			continue
		}
		if w == "my" && i+1 < len(words) && (textNouns[words[i+1]] || containsAny(words[i+1:min(len(words), i+4)], "email", "essay", "sentence", "text", "letter", "paragraph", "writing")) {
			continue
		}
		return true
	}
	return false
}

var textNouns = setOf(`essay text email letter sentence paragraph writing message grammar code story article answer speech draft boss landlord poem post
translation spelling english abstract cover bio review script question questions`)

// payloadStart returns where the given text begins: after a colon or the sentence, or
// after the verb if the instruction contains the text.
func payloadStart(text string, start, end int, words []string) int {
	if strings.HasPrefix(text[end:], ":") || blankAfter(text, end) || containsAny(words, "following", "below") {
		return end
	}
	return start
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(text, "’", "'")), func(r rune) bool {
		return !wordRune(r) && r != '\'' && r != '-'
	})
}

func containsAny(words []string, wanted ...string) bool {
	for _, w := range words {
		for _, x := range wanted {
			if w == x {
				return true
			}
		}
	}
	return false
}

// among reports whether a word is one of several.
func among(word string, words ...string) bool { return slices.Contains(words, word) }

func hasPhrase(words []string, phrases ...string) bool {
	text := " " + strings.Join(words, " ") + " "
	for _, p := range phrases {
		if strings.Contains(text, " "+strings.TrimSpace(p)+" ") {
			return true
		}
	}
	return false
}
