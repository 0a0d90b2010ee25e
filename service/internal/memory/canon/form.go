// Package canon reads the meaning of a short statement about a user. It decides whether
// two statements are the same memory, whether both can be true, and whether a reviewer
// should see them side by side. Use Duplicate and Conflict. To compare a statement with
// many, read each once with Of, which takes most of the time, and call SameAs, Contradicts
// and CloseTo. Key recognises a statement whose text may not be kept.
//
// It reads English. In other languages it only compares words, so it finds almost no
// conflicts there, except by a chance of spelling.
package canon

import (
	"slices"
	"strings"
)

// Form is what a statement says about a person. Compare forms through Key,
// or with SameAs and Contradicts, which forgive more than Key does.
type Form struct {
	// Relation is how the values belong to the person: "home", "job", "taste",
	// "answer", or the verb itself if no better name is known.
	Relation string
	// Slot narrows the relation: the kind of a favourite, or the activity of
	// a taste ("play"). Often empty.
	Slot string
	// Values are word stems, sorted, each once. Names are not stemmed.
	Values []string
	// Over are the stems of the second side of a comparison ("tea over coffee").
	Over []string
	// Negative is set by "not", "never", "hate" and similar words.
	Negative bool
	// Numbers are written in digits, sorted, each once.
	Numbers []string
	// Beside has all other words, sorted: those that are neither in the fields
	// above nor only frame them. So no word is ignored. A negation or a number
	// of a word is written before it: "not:beef".
	Beside []string
	// Person is the person that it is about: "user", or "mother", "dog" and so on.
	Person string
	// Time is "past" for what is over, "future" for plans and empty for now.
	Time string

	head   string   // the last value of the text, which the others describe
	joined string   // the values in the order of the text, without spaces
	aside  []string // what the value is not, if the text says so: "not John, it's Mike"
	said   wording
	words  []string // all words that distinguish the statement from others, sorted
}

// Of reads a statement, in the stored form ("User works at a hospital") or in
// the first person ("I work at a hospital"). Every text has a form, even an
// empty one. It takes time linear in the text's length.
func Of(statement string) Form {
	tokens, limits := cut(statement)
	f := readForm(tokens)
	framing := f.framing(tokens)
	f.Beside = f.beside(tokens, framing, limits)
	f.words, f.said = f.telling(), wordingOf(tokens, framing)
	return f
}

func readForm(tokens []token) Form {
	for _, read := range []func([]token) (Form, bool){readName, readAnswers} {
		if f, ok := read(tokens); ok {
			return f
		}
	}
	return parse(tokens).form()
}

// Key returns the form as text: equal keys are equal forms. Case, white space and
// punctuation at the end or between words do not change it. It holds words of the
// statement: hash it with a secret key before you keep it longer than the statement.
func (f Form) Key() string {
	polarity := "+"
	if f.Negative {
		polarity = "-"
	}
	list := func(values []string) string { return strings.Join(values, " ") }
	parts := []string{f.Person, polarity, f.Time, f.Relation, f.Slot, list(f.Values), list(f.Over), list(f.Numbers)}
	if len(f.Beside) > 0 { // an empty Beside leaves the key as it was before Beside existed
		parts = append(parts, list(f.Beside))
	}
	return strings.Join(parts, "|")
}

// equal reports whether both have the same Key, without making it.
func (f Form) equal(other Form) bool {
	return f.Person == other.Person && f.Negative == other.Negative && f.Time == other.Time &&
		f.Relation == other.Relation && f.Slot == other.Slot &&
		slices.Equal(f.Values, other.Values) && slices.Equal(f.Over, other.Over) && slices.Equal(f.Numbers, other.Numbers) &&
		slices.Equal(f.Beside, other.Beside)
}
