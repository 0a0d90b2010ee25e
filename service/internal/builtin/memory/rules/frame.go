package rules

import "strings"

// aspect is the tense and aspect that a verb's auxiliaries give it.
type aspect int

const (
	simple      aspect = iota // I work, I worked, I can work
	progressive               // I am working
	perfect                   // I have worked
	ongoing                   // I have been working
)

// person is whom a clause is about.
type person int

const (
	nobody person = iota
	self          // I, we
	couple        // my wife and I
	mine          // my wife, our house
)

// frame is a parsed clause.
type frame struct {
	clause
	front   []token // "for two years", which the statement moves to the end
	person  person
	subject []token
	// owned is what follows "my" in the subject.
	owned phrase
	group []token // auxiliaries, adverbs and the verb
	aspect
	negated bool
	past    bool
	modal   string // can, would, used to
	adverbs map[string]bool
	verb    string  // in its base form
	rest    []token // what follows the verb
	object  phrase  // at the beginning of rest
}

// frameOf parses a clause; ok is false if it says nothing about the user.
func frameOf(c clause) (frame, bool) {
	f := frame{clause: c}
	ts := skipFillers(c.tokens)
	if len(ts) > 2 && ts[0].word == "that" && (among(ts[1].word, "i", "my", "we")) {
		ts = ts[1:]
	}
	for len(ts) > 2 && (among(ts[0].word, "given", "remember", "note", "considering", "seeing", "knowing")) {
		ts = afterThat(ts[1:])
	}
	if c.subject != nil {
		f.person, f.subject = self, c.subject
	} else {
		ts = f.takeFront(ts)
		ts = f.takeSubject(skipFillers(ts))
	}
	if f.person == nobody || len(ts) == 0 {
		return f, false
	}
	f.tokens = trimTail(ts)
	f.takeVerb(f.tokens)
	return f, f.verb != ""
}

// takeFront takes a phrase of time or place off the beginning.
func (f *frame) takeFront(ts []token) []token {
	if len(ts) < 3 || !small.has("fronting", ts[0].word) || verbs.has("request", lemma(ts[1].word)) || gerund(ts[1].word) {
		return ts
	}
	for i := 1; i < min(len(ts)-1, 8); i++ {
		w := ts[i].word
		if among(w, "i", "we") {
			timely := small.any(ts[i-1].word, "time") || ts[i].pause()
			if timely || i < 4 {
				if !aside[ts[i-1].word] {
					f.front = ts[:i]
				}
				return ts[i:]
			}
			return ts
		}
		if ts[i].pause() && w != "my" || finite[w] {
			return ts
		}
	}
	return ts
}

// aside are words of phrases such as "for context", which are neither a time nor a place.
var aside = setOf(`context reference info information background example instance record way addition fact all case question questions answer beginning
least first general now me`)

// takeSubject takes the subject off the beginning.
func (f *frame) takeSubject(ts []token) []token {
	if len(ts) < 2 || ts[0].quoted {
		return nil
	}
	switch w := ts[0].word; {
	case among(w, "i", "we"):
		f.person, f.subject = self, ts[:1]
		if ts[1].pause() && len(ts) > 2 {
			return nil
		}
		return ts[1:]
	case among(w, "my", "our"):
		return f.takeMine(ts)
	case w == "both" && (among(ts[1].word, "my", "of")):
		return f.takeMine(ts)
	case w == "me" && ts[1].word == "and" && len(ts) > 3 && ts[2].word == "my":
		return f.takeMine(ts)
	}
	return nil
}

// takeMine takes "my wife", "my wife and I" or "me and my wife".
func (f *frame) takeMine(ts []token) []token {
	from := 0
	switch {
	case ts[0].word == "me":
		from, f.person = 2, couple
	case ts[0].word == "both" && ts[1].word == "of":
		from = 2
	case ts[0].word == "both":
		from = 1
	}
	p := phraseAt(ts[from:])
	end := from + p.end
	if p.head == "" || end >= len(ts) {
		return nil
	}
	if end+1 < len(ts) && ts[end].word == "and" && (among(ts[end+1].word, "i", "me")) {
		end += 2
		f.person = couple
	} else if f.person == nobody {
		f.person = mine
	}
	end = apposition(ts, end)
	f.owned, f.subject = p.unnamed(), ts[:end]
	return ts[end:]
}

// apposition returns the end of what is between commas after a subject that ends at a
// token: "my mother, who is 80, lives here".
func apposition(ts []token, end int) int {
	if end >= len(ts) || !ts[end].pause() {
		return end
	}
	for k := end + 1; k < min(end+9, len(ts)-1); k++ {
		if ts[k].pause() {
			return k
		}
	}
	return end
}

// trimTail drops "too", "please" and similar words from the end.
func trimTail(ts []token) []token {
	for len(ts) > 1 && (small.has("discourse-tail", ts[len(ts)-1].word) && !ts[len(ts)-1].quoted || among(ts[len(ts)-1].word, "and", "but", "so")) {
		ts = ts[:len(ts)-1]
	}
	if n := len(ts); n > 3 && ts[n-2].word == "as" && ts[n-1].word == "well" {
		return ts[:n-2]
	}
	if n := len(ts); n > 4 && ts[n-3].word == "by" && ts[n-2].word == "the" && ts[n-1].word == "way" {
		return ts[:n-3]
	}
	return ts
}

// takeVerb finds the verb after its auxiliaries and adverbs.
func (f *frame) takeVerb(ts []token) {
	f.adverbs = map[string]bool{}
	f.modal = ""
	aux := ""
	for i, t := range ts {
		w := t.word
		switch {
		case t.quoted:
			return
		case among(w, "not", "never", "n't"):
			f.negated = true
			f.adverbs[w] = true
		case w == "no" && i+1 < len(ts) && ts[i+1].word == "longer", w == "longer" && i > 0 && ts[i-1].word == "no":
			f.negated = true
			f.adverbs["longer"] = true
		case w == "'d":
			f.modal = "would"
			if i+1 < len(ts) && participle(ts[i+1].word) && ts[i+1].word != "read" && aux == "" && !small.has("adverb", ts[i+1].word) {
				f.modal, aux = "", "have"
			}
		case small.has("modal", w) && f.verb == "":
			f.modal = w
		case adverb(w) && i+1 < len(ts) && w != "like":
			f.adverbs[w] = true
		case f.helper(ts, i):
			aux += "+" + lemma(w)
			f.past = f.past || among(w, "was", "were", "did", "had")
		default:
			f.settle(ts, i, aux)
			return
		}
	}
}

// adverb reports whether a word may be between a subject and its verb.
func adverb(w string) bool {
	return small.has("adverb", w) || len(w) > 4 && strings.HasSuffix(w, "ly") && !knownVerbs[w] && !adjectives.any(w, "lasting", "trouble", "passing")
}

// helper reports whether the word at i is an auxiliary of a verb that follows.
func (f frame) helper(ts []token, i int) bool {
	next := ""
	for _, t := range ts[i+1:] {
		if !adverb(t.word) && t.word != "not" {
			next = t.word
			break
		}
	}
	switch lemma(ts[i].word) {
	case "do":
		return next == "like" || next != "" && !small.has("determiner", next) && !gerund(next) && knownWord(next) && !among(ts[i].word, "doing", "done")
	case "have":
		return participle(next) || next == "got"
	case "be":
		return !f.defined() && gerund(next) && ts[i].word != "being"
	}
	return false
}

// defined reports whether the subject is what an "is" explains: "my hobby is
// fishing" is not in the progressive.
func (f frame) defined() bool {
	p := f.owned
	return f.person == mine && (preferredPhrase(p) || p.attribute("passion") || p.attribute("aim") || p.attribute("attribute"))
}

func knownWord(w string) bool { return !small.has("preposition", w) && !small.has("pointing", w) }

// settle sets the verb at i, and the fields that depend on it.
func (f *frame) settle(ts []token, i int, aux string) {
	w := ts[i].word
	if strings.Trim(w, "abcdefghijklmnopqrstuvwxyz-'") != "" {
		return // not an English verb
	}
	f.verb, f.group, f.rest = lemma(w), ts[:i+1], ts[i+1:]
	f.past = f.past || past(w) && aux == ""
	switch {
	case w == "got" && strings.HasSuffix(aux, "have"):
		f.verb, aux, f.past = "have", "", false
	case strings.HasSuffix(aux, "have") && w == "been", strings.HasSuffix(aux, "have") && participle(w):
		f.aspect, f.past = perfect, false
	case strings.Contains(aux, "have+be"):
		f.aspect = ongoing
	case strings.HasSuffix(aux, "be") && gerund(w):
		f.aspect = progressive
	}
	if w == "used" && len(f.rest) > 1 && f.rest[0].word == "to" && aux == "" {
		f.modal, f.past = "used to", true
		f.verb, f.group, f.rest = lemma(f.rest[1].word), ts[:i+3], f.rest[2:]
	}
	if w == "use" && len(f.rest) > 1 && f.rest[0].word == "to" && aux == "" && f.past {
		f.modal = "used to"
		f.verb, f.group, f.rest = lemma(f.rest[1].word), ts[:i+3], f.rest[2:]
	}
	for f.verb == "be" && len(f.rest) > 1 && (f.rest[0].word == "not" || small.has("adverb", f.rest[0].word)) {
		f.negated = f.negated || f.rest[0].word == "not"
		f.adverbs[f.rest[0].word] = true
		f.rest = f.rest[1:]
	}
	f.object = objectAt(f.rest)
}

// next returns word n after the verb, "" beyond the end.
func (f frame) next(n int) string {
	if n < len(f.rest) && !f.rest[n].quoted {
		return f.rest[n].word
	}
	return ""
}

// restHas reports whether one of the words follows the verb.
func (f frame) restHas(words ...string) bool {
	for _, t := range f.rest {
		for _, w := range words {
			if t.word == w {
				return true
			}
		}
	}
	return false
}

// habitual reports whether the clause says how often.
func (f frame) habitual() bool {
	for a := range f.adverbs {
		if small.has("frequency", a) {
			return true
		}
	}
	for i, t := range append(f.front[:len(f.front):len(f.front)], f.rest...) {
		switch t.word {
		case "every", "everyday", "daily", "weekly", "often", "regularly", "weekends", "sometimes", "twice", "usually", "nightly", "mornings", "evenings", "weekdays", "sundays", "occasionally", "frequently", "rarely", "always", "normally":
			return true
		case "lot":
			if i > 0 && i == len(f.rest)-1 {
				return true
			}
		case "week", "day", "month", "year":
			if i > 0 && len(f.rest) > i && (among(f.rest[i-1].word, "a", "per")) {
				return true
			}
		}
	}
	return false
}
