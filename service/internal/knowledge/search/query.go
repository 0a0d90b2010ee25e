package search

import (
	"github.com/chatsdk/chatsdk/service/internal/english"
)

// maxTerms bounds a question's work; questions that people ask have fewer. It is
// also how many marks has room for.
const maxTerms = 32

// Term is a word that a question asks for, as package english gives it.
type Term struct{ Plain, Stem string }

// termsOf gives the words of a question that are no stop words, or all where
// there are only stop words.
func termsOf(question string) []Term {
	all, _ := english.Subject(english.Of(question))
	if terms := distinct(all, english.Stop); len(terms) > 0 {
		return terms
	}
	return distinct(all, func(string) bool { return false })
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
