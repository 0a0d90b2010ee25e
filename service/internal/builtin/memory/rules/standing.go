package rules

import "strings"

// standingMarks are the words that make a wish apply to all later answers.
var standingMarks = []string{"from now on", "from now onwards", "from here on", "from this point", "going forward", "in future", "in the future", "henceforth", "future responses", "future answers", "future replies", "future messages", "every time you", "each time you",
	"whenever you", "whenever i", "when i ask", "every time i", "each time i", "at all times", "by default", "in all your answers", "in all your responses", "all future", "for the rest of", "in every answer", "in every response",
	"in your answers", "in your responses", "in your replies", "for all your", "all your answers", "all your responses", "all answers", "all your replies", "forever", "permanently", "every answer", "every response"}

// standingEdges are the phrases that are dropped at the beginning and the end.
var standingEdges = fieldsOf("from now on", "from now onwards", "from here on out", "from here on", "from this point on", "from this point forward", "going forward", "in future",
	"in the future", "henceforth", "please", "okay", "ok", "permanently", "forever", "thanks", "and", "then", "so", "hereafter", "starting now")

// fieldsOf splits phrases into their words.
func fieldsOf(phrases ...string) [][]string {
	var all [][]string
	for _, p := range phrases {
		all = append(all, strings.Fields(p))
	}
	return all
}

// lasting reports whether a sentence is about all later answers.
func lasting(sentence []token) bool {
	words := make([]string, len(sentence))
	for i, t := range sentence {
		words[i] = t.word
	}
	return hasPhrase(words, standingMarks...)
}

// wish is an instruction to the assistant.
type wish struct {
	clause
	verb    int
	negated bool
	// condition is the clause of "whenever you give me a recipe, use grams".
	condition []token
	told      bool // what others do: "my friends call me Liz"
	// standing says that it is for more than this answer.
	standing bool
}

// standing judges instructions for all later answers, and names to call the user.
func standing(text string, c clause) []candidate {
	w, ok := wishOf(c)
	if !ok {
		return nil
	}
	if name := w.name(); name != nil {
		content := "User wants to be called "
		if w.told {
			content = "User is called "
		}
		if w.negated {
			content = "User does not want to be called "
		}
		end := name[len(name)-1].end
		return []candidate{{verdict{preference, 0.93}, content + tidy(text[name[0].start:end]), w.tokens[0].start, end}}
	}
	verb := w.tokens[w.verb]
	if !w.standing || !verbs.has("answer", lemma(verb.word)) || w.verb+1 >= len(w.tokens) || verb.quoted || w.tokens[w.verb+1].word == "mind" {
		return nil
	}
	if verb.word == "remember" || verb.word == "stop" && !gerund(w.tokens[w.verb+1].word) {
		return nil
	}
	return w.candidates(text)
}

// requested reports whether a clause that asks is a standing request: "Could you
// use metric units from now on?"
func requested(c clause) bool {
	w, ok := wishOf(c)
	return ok && (w.standing || w.name() != nil)
}

// wishOf finds the instruction in a clause.
func wishOf(c clause) (wish, bool) {
	ts := c.tokens
	w := wish{clause: c, standing: c.lasting}
	ts, w.condition = trimEdges(ts)
	w.tokens = ts
	at := w.skipFrame(ts)
	if n := othersEnd(ts); n > 0 && n+2 < len(ts) && lemma(ts[n].word) == "call" && ts[n+1].word == "me" {
		w.verb, w.told = n, true
		return w, true
	}
	for ; at < len(ts); at++ {
		switch word := ts[at].word; {
		case among(word, "always", "ever", "never"):
			w.standing = true
			continue
		case word == "do" && at+1 < len(ts) && (among(ts[at+1].word, "not", "always")):
			w.negated = ts[at+1].word == "not"
			at++
			continue
		case word == "not":
			w.negated = true
			continue
		case among(word, "just", "only", "please", "simply", "to", "also"):
			continue
		case word == "stop" && at+1 < len(ts) && gerund(ts[at+1].word):
			w.negated = true
			continue
		}
		break
	}
	w.verb = at
	return w, at < len(ts) && knownVerbs[lemma(ts[at].word)] && (ts[at].word == lemma(ts[at].word) || at > 0 && ts[at-1].word == "stop")
}

// othersEnd returns the token after "everyone", "my friends" and similar subjects, 0
// for none.
func othersEnd(ts []token) int {
	if len(ts) < 4 {
		return 0
	}
	switch ts[0].word {
	case "everyone", "everybody", "people", "they", "friends":
		return 1
	case "my", "most":
		return 2
	}
	return 0
}

// trimEdges drops fillers and "from now on" from both ends.
func trimEdges(ts []token) (rest, condition []token) {
	if lasting(ts) && len(ts) > 3 && (among(ts[0].word, "in", "for", "from", "when", "whenever", "every", "each")) {
		for i := 2; i < min(12, len(ts)-1); i++ {
			if ts[i].pause() {
				if conditional := ts[:i]; among(ts[0].word, "when", "whenever", "every", "each") {
					condition = conditional
				}
				ts = ts[i:]
				break
			}
		}
	}
	for {
		n := len(ts)
		ts = skipPolitely(ts)
		for _, parts := range standingEdges {
			if len(ts) > len(parts) && sameWords(ts[:len(parts)], parts) {
				ts = ts[len(parts):]
			}
			if len(ts) > len(parts)+1 && sameWords(ts[len(ts)-len(parts):], parts) {
				ts = ts[:len(ts)-len(parts)]
			}
		}
		if len(ts) == n {
			return ts, condition
		}
	}
}

func skipPolitely(ts []token) []token {
	ts = skipFillers(ts)
	if len(ts) > 2 && among(ts[0].word, "can", "could", "would", "will") && ts[1].word == "you" {
		return ts[2:]
	}
	return ts
}

func sameWords(ts []token, words []string) bool {
	for i, w := range words {
		if ts[i].word != w {
			return false
		}
	}
	return true
}

// wishFrames are the words that may be around an instruction.
var wishFrames = fieldsOf("i want you to", "i would like you to", "i 'd like you to", "i need you to", "you should", "you must", "you shall", "you will", "you can", "you may",
	"you are to", "you have to", "you need to", "make sure to", "make sure you", "make sure that you", "be sure to", "remember to", "i would prefer you to", "i would prefer if you",
	"i 'd prefer if you", "i prefer that you", "i prefer you to", "i expect you to", "i wish you would", "i 'd like for you to", "i would like for you to")

// skipFrame returns the token after the words around an instruction.
func (w *wish) skipFrame(ts []token) int {
	for _, parts := range wishFrames {
		if len(ts) > len(parts) && sameWords(ts[:len(parts)], parts) {
			return len(parts)
		}
	}
	return 0
}

// notNames are words that may follow "call me" and are not names.
var notNames = setOf(`back later when at a an the crazy tomorrow today now if in on maybe asap something stupid out names by that this it for again
anything what whatever after before over with some old dumb my first and instead from an- your using please`)

// longestName bounds a name, in words.
const longestName = 4

// name returns the name that the user wants to be called, nil if this is another wish.
func (w wish) name() []token {
	ts := w.tokens[w.verb:]
	if len(ts) < 3 {
		return nil
	}
	at := 0
	switch v := lemma(ts[0].word); {
	case v == "call" && ts[1].word == "me":
		at = 2
	case among(v, "address", "refer") && (ts[1].word == "me" || ts[1].word == "to" && ts[2].word == "me"):
		for at < len(ts) && !among(ts[at].word, "as", "by") {
			at++
		}
		at++
	case among(v, "set", "change", "update", "switch") && ts[1].word == "my" && among(ts[2].word, "name", "nickname") && len(ts) > 4 && ts[3].word == "to":
		at = 4
	default:
		return nil
	}
	if at < len(ts) && (ts[at].word == "as" || ts[at].word == "by" && len(ts) > at+1) {
		at++
	}
	for at+2 < len(ts) && (ts[at].word == "my" && ts[at+1].word == "name") {
		at += 2
	}
	return nameAt(ts, at)
}

func nameAt(ts []token, at int) []token {
	end := at
	for end < len(ts) && end < at+longestName {
		if t := ts[end]; end > at && (t.pause() || small.has("preposition", t.word) || small.has("discourse-tail", t.word) || notNames[t.word] || small.has("subject", t.word)) {
			break
		}
		end++
	}
	if end == at || notNames[ts[at].word] || number(ts[at].word) || strings.HasPrefix(ts[at].word, "+") {
		return nil
	}
	return ts[at:end]
}

// candidates writes down a standing wish.
func (w wish) candidates(text string) []candidate {
	out := writer{text: text, addressed: "it", possessed: "its"}
	words := w.tokens[w.verb:]
	if len(words) > longestClause {
		words = words[:longestClause]
	}
	content := "User wants the assistant to "
	if w.negated {
		content = "User does not want the assistant to "
	}
	for _, t := range w.tokens[:w.verb] {
		if among(t.word, "always", "never", "only") {
			content += t.word + " "
		}
	}
	first := words[0]
	out.b.WriteString(lemmaIf(w.negated && gerund(first.word), first.word))
	out.rest(words[1:])
	end := words[len(words)-1].end
	if mark := balancing(text, first.start, end); mark != "" {
		out.b.WriteString(mark)
		end += len(mark)
	}
	start := w.tokens[0].start
	content += tidy(out.b.String())
	if len(w.condition) > 0 {
		when := writer{text: text, addressed: "it", possessed: "its"}
		when.opening(w.condition)
		content += " " + lowerFirst(tidy(when.b.String()))
		start = w.condition[0].start
	}
	return []candidate{{verdict{preference, 0.9}, content, start, end}}
}

func lemmaIf(wanted bool, word string) string {
	if wanted {
		return lemma(word)
	}
	return word
}
