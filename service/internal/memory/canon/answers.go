package canon

import "slices"

// readAnswers reads wishes to the assistant: its language, pace,
// volume and accent, and the manner of its answers.
func readAnswers(tokens []token) (Form, bool) {
	w := wishOf(tokens)
	for _, read := range []func(wish) (Form, bool){readLanguage, readPace, readAccent, readStyle} {
		if f, ok := read(w); ok {
			f.Person = "user"
			f.settle()
			return f, true
		}
	}
	return Form{}, false
}

// A wish is the part of a text that is addressed to the assistant.
type wish struct {
	tokens    []token
	addressed bool // the assistant is spoken to
	wanting   bool // the user says what they want
}

func wishOf(tokens []token) wish {
	w := wish{tokens: tokens}
	w.addressed = len(skipRequest(tokens)) < len(tokens)
	for i, t := range tokens {
		w.addressed = w.addressed || t.word == "your" || t.word == "you" || i == 0 && is("imperative", t.base)
		w.wanting = w.wanting || is("want", t.base) || t.base == "dislike"
	}
	return w
}

func (w wish) has(class string) bool {
	return slices.ContainsFunc(w.tokens, func(t token) bool { return is(class, t.base) })
}

func (w wish) denied() bool {
	negative := false
	for _, t := range w.tokens {
		if t.word == "not" || t.word == "never" || t.word == "no" || t.word == "without" || t.word == "no-longer" || slices.Contains(refusals, t.base) {
			negative = !negative
		}
	}
	return negative
}

var refusals = []string{"dislike", "avoid", "stop", "skip", "quit"}

func readLanguage(w wish) (Form, bool) {
	if !w.has("language") || w.has("learning") || !w.addressed && (!w.wanting || !w.has("speaking") && !w.has("variant")) || w.has("accentword") {
		return Form{}, false
	}
	if slices.ContainsFunc(w.tokens, func(t token) bool { return t.base == "like" }) && !w.addressed && !w.has("answerword") {
		return Form{}, false
	}
	var wanted, unwanted []string
	for i, t := range w.tokens {
		switch {
		case is("variant", t.word):
			wanted = append(wanted, t.word)
		case !is("language", t.word):
		case w.contrasted(i) || i > 0 && w.tokens[i-1].word == "from":
			unwanted = append(unwanted, t.word)
		default:
			wanted = append(wanted, t.word)
		}
	}
	f := Form{Relation: "answer.language", Values: wanted, aside: unwanted}
	if len(wanted) == 0 {
		f.Values, f.Negative = unwanted, true
	}
	return f, true
}

// contrasted looks back from a language for a contrast, up to another language.
func (w wish) contrasted(i int) bool {
	for back := i - 1; back >= max(0, i-6) && !is("language", w.tokens[back].word); back-- {
		if contrast(w.tokens[back]) {
			return true
		}
	}
	return false
}

// contrast reports whether a word marks the value after it as unwanted.
func contrast(t token) bool {
	return t.word == "instead-of" || t.word == "over" || t.word == "not" || t.word == "never" ||
		t.base == "stop" || t.word == "than"
}

func readAccent(w wish) (Form, bool) {
	if !w.has("accentword") || !w.addressed && !w.wanting {
		return Form{}, false
	}
	f := Form{Relation: "answer.accent", Negative: w.denied(), Values: w.rest("accentword", "speaking")}
	return f, len(f.Values) > 0
}

// rest returns the words of a wish outside its frame and some classes.
func (w wish) rest(classes ...string) []string {
	var left []token
	for _, t := range w.tokens {
		known := slices.ContainsFunc(classes, func(class string) bool { return is(class, t.base) })
		if !known && !is("wishframe", t.base) && !slices.Contains(refusals, t.base) {
			left = append(left, t)
		}
	}
	return content(left, true)
}

var paces = map[string][2]string{
	"fast": {"answer.speed", "fast"}, "speed-up": {"answer.speed", "fast"}, "slow": {"answer.speed", "slow"},
	"slow-down": {"answer.speed", "slow"}, "loud": {"answer.volume", "loud"}, "quiet": {"answer.volume", "quiet"},
	"whisper": {"answer.volume", "quiet"},
}

var opposite = map[string]string{"fast": "slow", "slow": "fast", "loud": "quiet", "quiet": "loud"}

// readPace reads "talk slower" and "you talk too fast" as one wish.
func readPace(w wish) (Form, bool) {
	if !w.addressed && (!w.wanting || !w.has("speechword")) {
		return Form{}, false
	}
	f := Form{}
	for i, t := range w.tokens {
		found, ok := paces[t.base]
		if !ok {
			found, ok = w.turned(i)
		}
		if !ok {
			continue
		}
		f.Relation = found[0]
		f.Values = []string{found[1]}
		if w.refused(i) {
			f.Values = []string{opposite[found[1]]}
		}
	}
	return f, len(f.Values) > 0 && (w.has("speechword") || len(w.rest("speechword")) <= 1)
}

// turned reads "speed it up", "lower your volume", "reduce the pace".
func (w wish) turned(i int) ([2]string, bool) {
	scale, known := scales[w.tokens[i].base]
	around := w.tokens[max(0, i-4):min(len(w.tokens), i+5)]
	more := slices.ContainsFunc(around, func(t token) bool { return is("more", t.word) })
	less := slices.ContainsFunc(around, func(t token) bool { return is("less", t.word) })
	if !known || more == less {
		return [2]string{}, false
	}
	if more {
		return paces[scale[0]], true
	}
	return paces[scale[1]], true
}

var scales = map[string][2]string{
	base("speed"): {"fast", "slow"}, base("pace"): {"fast", "slow"}, base("rate"): {"fast", "slow"},
	base("volume"): {"loud", "quiet"},
}

// refused finds "too fast", "not so fast", "whisper mode off".
func (w wish) refused(i int) bool {
	if i > 0 && w.tokens[i-1].word == "too" || slices.ContainsFunc(w.tokens[max(0, i-3):i], denial) {
		return true
	}
	off := w.tokens[max(0, i-2):min(len(w.tokens), i+4)]
	return w.tokens[i].base == "whisper" && slices.ContainsFunc(off, func(t token) bool { return t.word == "off" || t.word == "disable" || t.word == "end" })
}

func denial(t token) bool { return t.word == "not" || t.base == "stop" || t.base == "less" }

// readStyle reads how answers should be: short, formal, in bullet points.
func readStyle(w wish) (Form, bool) {
	asked := w.addressed && (w.has("answerword") || w.has("styleword"))
	if !asked && !(w.wanting && w.has("answerword")) {
		return Form{}, false
	}
	f := Form{Relation: "answer", Negative: w.denied(), Values: w.rest("answerword")}
	first, over := compared(w.tokens)
	if len(over) > 0 {
		f.Values, f.Over = wish{tokens: first}.rest("answerword"), sorted(wish{tokens: over}.rest("answerword"))
	}
	f.Numbers = numbers(w.tokens)
	return f, len(f.Values)+len(f.Numbers) > 0
}
