package answer

import (
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/english"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
)

// sentence is one of a passage that was found.
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
	under   []bool         // of each term, whether it stands above
}

// longestQuote is what a sentence may have, in bytes; what is longer is a drawing
// or a listing.
const longestQuote = 800

// mostCells is what a row of a table may have; what has more can't be read
// without its head.
const mostCells = 5

// quotable tells what can be read by itself. What ends with a colon introduces
// what it leaves out, and lines with the signs of code are some.
func quotable(text string) bool {
	code := strings.Contains(text, "\n") && strings.ContainsAny(text, "{}=;")
	return len(text) <= longestQuote && strings.Count(text, " | ") < mostCells && !strings.HasSuffix(text, ":") && !code
}

// sentences are those of all hits, in order.
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
