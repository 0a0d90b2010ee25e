package answer

import (
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/english"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
)

// sentence is a sentence of a passage that the search found.
type sentence struct {
	hit     int
	span    english.Span // in the passage
	words   []english.Word
	stems   map[string]bool
	joined  map[string]int // two words written as one, and the index of the second
	passage []*sentence    // all of the passage
	index   int            // in passage
	above   []english.Word // its title and headings
	at      []int          // of each term of the question, the index of its word, or -1
	under   []bool         // of each term, whether it is above
}

// longestQuote is the longest sentence that is quoted, in bytes. Longer ones are drawings
// or listings.
const longestQuote = 800

// mostCells is the most cells of a table row that is quoted. A longer row can't be read
// without the table's header.
const mostCells = 5

// quotable reports whether a sentence can be read by itself. A sentence that ends with a
// colon can't, and neither can a line of code.
func quotable(text string) bool {
	code := strings.Contains(text, "\n") && strings.ContainsAny(text, "{}=;")
	return len(text) <= longestQuote && strings.Count(text, " | ") < mostCells && !strings.HasSuffix(text, ":") && !code
}

// sentences returns the sentences of all hits, in order.
func sentences(hits []search.Hit) []*sentence {
	var all []*sentence
	for i, h := range hits {
		above := english.Of(h.Title)
		for _, heading := range h.Headings {
			above = append(above, english.Of(heading)...)
		}
		first := len(all)
		for _, span := range english.Sentences(h.Text) {
			if !quotable(h.Text[span.Start:span.End]) {
				continue
			}
			s := &sentence{hit: i, span: span, words: english.Of(h.Text[span.Start:span.End]), stems: map[string]bool{}, joined: map[string]int{}, above: above}
			for j, w := range s.words {
				s.stems[w.Stem] = true
				if j > 0 {
					s.joined[s.words[j-1].Plain+w.Plain] = j
				}
			}
			all = append(all, s)
		}
		for j, s := range all[first:] {
			s.passage, s.index = all[first:], j
		}
	}
	return all
}

// find returns the index of the word of the sentence that is the term, or -1.
func (s *sentence) find(t term) int {
	exact := s.stems[t.word.Stem]
	for i, w := range s.words {
		if exact && w.Stem == t.word.Stem || !exact && same(t.word, w) {
			return i
		}
	}
	if i, ok := s.joined[t.word.Plain]; ok {
		return i
	}
	return slices.IndexFunc(s.words, func(w english.Word) bool { return t.joined[0] == w.Plain || t.joined[1] == w.Plain })
}
