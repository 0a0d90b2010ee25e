package search

import (
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/words"
)

// maxTerms bounds a question's work; questions that people ask have fewer.
const maxTerms = 32

// expression asks FTS5 for any of the words of a question that are no stop
// words, or of all where there are only stop words. It is empty where there is
// no word. What people write stands in quotes, where nothing is an operator.
func expression(question string) string {
	all, _ := words.Subject(words.Of(question))
	if terms := quoted(all, words.Stop); len(terms) > 0 {
		return strings.Join(terms, " OR ")
	}
	return strings.Join(quoted(all, func(string) bool { return false }), " OR ")
}

func quoted(all []words.Word, skip func(string) bool) []string {
	var terms []string
	seen := map[string]bool{}
	for _, w := range all {
		if seen[w.Stem] || skip(w.Plain) || len(terms) == maxTerms {
			continue
		}
		seen[w.Stem] = true
		terms = append(terms, `"`+strings.ReplaceAll(w.Plain, `"`, `""`)+`"`)
	}
	return terms
}
