package search

import (
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

// maxTerms bounds the work for a question; real questions have fewer. It is also how many terms
// fit into marks.
const maxTerms = 32

// Term is a word for which a question searches, as package english returns it.
type Term struct{ Plain, Stem string }

// termsOf returns the words of a question that are not stop words. If there are only stop words,
// it returns all of them and the phrase that they form; "Why?" forms none.
func termsOf(question string) (terms []Term, phrase string) {
	all, _ := english.Subject(english.Of(question))
	if terms := distinct(all, english.Stop); len(terms) > 0 {
		return terms, ""
	}
	if len(all) < 2 {
		return nil, ""
	}
	return distinct(all, func(string) bool { return false }), phraseOf(question)
}

// phraseOf returns the words of a text with a space before and after each.
func phraseOf(text string) string {
	var words strings.Builder
	for _, w := range english.Of(text) {
		words.WriteString(" " + w.Plain)
	}
	return words.String() + " "
}

func distinct(all []english.Word, skip func(string) bool) []Term {
	var terms []Term
	seen := map[string]bool{}
	for _, w := range all {
		if seen[w.Stem] || skip(w.Plain) || len(terms) == maxTerms {
			continue
		}
		seen[w.Stem] = true
		terms = append(terms, Term{Plain: w.Plain, Stem: w.Stem})
	}
	return terms
}

func counterOf(terms []Term) *english.Counter {
	stems := make([]string, len(terms))
	for i, t := range terms {
		stems[i] = t.Stem
	}
	return english.NewCounter(stems)
}

// Talk reports whether a word is one with which people address each other. A passage that
// contains such a word need not be about the question.
func Talk(word string) bool { return talk[word] }

var talk = english.Set(`hello hi hey good morning evening afternoon night bye goodbye thanks thank please ok okay yes no yeah sure sorry great nice
well welcome help helps helped write tell give make say said know think want need like let see look talk mind wrong right today tomorrow`)
