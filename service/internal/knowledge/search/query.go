package search

import (
	"math"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/words"
)

// term is a word of a question that says what it is about.
type term struct {
	word   string // as FTS5 is asked for it
	stem   string
	weight float64 // how rare it is in the index
}

type query struct {
	terms []term
	pairs [][2]int // terms that stand side by side in the question
}

// maxTerms bounds a question's work; questions that people ask have fewer.
const maxTerms = 32

// parse takes the words of a question that are no stop words, each stem once.
// Where there are only stop words it takes them all.
func parse(question string) query {
	all := words.Of(question)
	q := parseWords(all, words.Stop)
	if len(q.terms) == 0 {
		q = parseWords(all, func(string) bool { return false })
	}
	return q
}

func parseWords(all []words.Word, skip func(string) bool) query {
	var q query
	seen := map[string]int{}
	last := -1
	for _, w := range all {
		if skip(w.Plain) {
			last = -1
			continue
		}
		at, ok := seen[w.Stem]
		if !ok {
			if len(q.terms) == maxTerms {
				break
			}
			at = len(q.terms)
			seen[w.Stem] = at
			q.terms = append(q.terms, term{word: w.Plain, stem: w.Stem})
		}
		if last >= 0 && last != at {
			q.pairs = append(q.pairs, [2]int{last, at})
		}
		last = at
	}
	return q
}

// expression asks FTS5 for any of the terms.
func (q query) expression() string {
	all := make([]string, len(q.terms))
	for i, t := range q.terms {
		all[i] = quoted(t.word)
	}
	return strings.Join(all, " OR ")
}

// quoted makes a string of FTS5's language, in which nothing is an operator.
func quoted(word string) string { return `"` + strings.ReplaceAll(word, `"`, `""`) + `"` }

// rarity is the inverse document frequency of BM25, which is never below 0 here.
func rarity(n, all int) float64 {
	return math.Log(1 + (float64(all-n)+0.5)/(float64(n)+0.5))
}
