package search

import (
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/words"
)

// maxTerms bounds a question's work; questions that people ask have fewer. It is
// also how many marks has room for.
const maxTerms = 32

// term is a word that a question asks for.
type term struct {
	// match asks FTS5 for it. What people write stands in quotes, where nothing
	// is an operator.
	match string
	stem  string
}

// termsOf gives the words of a question that are no stop words, or all where
// there are only stop words.
func termsOf(question string) []term {
	all, _ := words.Subject(words.Of(question))
	if terms := distinct(all, words.Stop); len(terms) > 0 {
		return terms
	}
	return distinct(all, func(string) bool { return false })
}

func distinct(all []words.Word, skip func(string) bool) []term {
	var terms []term
	seen := map[string]bool{}
	for _, w := range all {
		if seen[w.Stem] || skip(w.Plain) || len(terms) == maxTerms {
			continue
		}
		seen[w.Stem] = true
		terms = append(terms, term{match: `"` + strings.ReplaceAll(w.Plain, `"`, `""`) + `"`, stem: w.Stem})
	}
	return terms
}

func counterOf(terms []term) *words.Counter {
	stems := make([]string, len(terms))
	for i, t := range terms {
		stems[i] = t.stem
	}
	return words.NewCounter(stems)
}
