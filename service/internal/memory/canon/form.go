// Package canon reads a short statement about a user and says what it states,
// whatever its words: it decides which two are the same memory and which two
// can't both be true, and which a reviewer should see side by side. Use Duplicate
// and Conflict; whoever compares a statement with many reads each once with Of,
// which is where the time goes, and asks SameAs, Contradicts and CloseTo. Key
// serves those who have to recognise a statement whose text they may not keep.
//
// It reads English. Of another language it compares the words alone, so that
// nothing is called a conflict there but a few things by chance of spelling.
package canon

import (
	"slices"
	"strings"
)

// Form is what a statement says about a person. Compare forms through Key,
// or with SameAs and Contradicts, which forgive more than Key does.
type Form struct {
	// Relation is how the values belong to the person: "home", "job", "taste",
	// "answer", or the verb itself where nothing better is known.
	Relation string
	// Slot narrows the relation: what a favourite is a favourite of, or which
	// activity a taste is about ("play"). Often empty.
	Slot string
	// Values are word stems, sorted, each once. Names are not stemmed.
	Values []string
	// Over are the stems of what comes second in a comparison ("tea over coffee").
	Over []string
	// Negative is what "not", "never", "hate" and the like make of a statement.
	Negative bool
	// Numbers are written in digits, sorted, each once.
	Numbers []string
	// Beside is what else the words say, sorted: whatever is neither in the fields
	// above nor only frames them, so that nothing new hides after them. A word that
	// turns another, and a number that counts one, are before it: "not:beef".
	Beside []string
	// Person is whom it is about: "user", or "mother", "dog" and so on.
	Person string
	// Time is "past" for what is over, "future" for plans and empty for now.
	Time string

	head   string   // the last value of the text, which the others describe
	joined string   // the values in the order of the text, without spaces
	aside  []string // what it is not, where the text says that too: "not John, it's Mike"
	said   wording
	words  []string // all that tells the statement from others, sorted
}

// Of reads a statement, in the stored form ("User works at a hospital") or in
// the first person ("I work at a hospital"). Every text has a form, an empty
// one too. It takes time linear in the text's length.
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

// Key is the form as text: equal keys are equal forms. It doesn't change with
// case, punctuation at the end or between words, or white space. It holds
// words of the statement: hash it with a key before keeping it longer than the
// statement itself.
func (f Form) Key() string {
	polarity := "+"
	if f.Negative {
		polarity = "-"
	}
	list := func(values []string) string { return strings.Join(values, " ") }
	parts := []string{f.Person, polarity, f.Time, f.Relation, f.Slot, list(f.Values), list(f.Over), list(f.Numbers)}
	if len(f.Beside) > 0 { // without it the key is what it was before there was one
		parts = append(parts, list(f.Beside))
	}
	return strings.Join(parts, "|")
}

// equal reports whether both have one Key, without making it.
func (f Form) equal(other Form) bool {
	return f.Person == other.Person && f.Negative == other.Negative && f.Time == other.Time &&
		f.Relation == other.Relation && f.Slot == other.Slot &&
		slices.Equal(f.Values, other.Values) && slices.Equal(f.Over, other.Over) && slices.Equal(f.Numbers, other.Numbers) &&
		slices.Equal(f.Beside, other.Beside)
}
