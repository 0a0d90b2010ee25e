package answer

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

// term is a word of a question that says what it is about.
type term struct {
	word   english.Word
	at     int  // its index among the words of the question
	asks   bool // it may stand for the answer, as "country" in "Which country ...?"
	name   bool // a name or a number, which has no other word for it
	weight float64
	joined [2]string // with the word before it, and with the word after it, each pair written as one word
}

type question struct {
	words []english.Word
	stems map[string]bool
	terms []term // each stem once
	term  []int  // of each word, the place of its term, or -1
	rare  float64
	// open means that the question asks for all that is said; a negated sentence can answer
	// it too.
	open bool
}

// maxWords bounds the work for a question. Real questions have fewer words.
const maxWords = 64

func readQuestion(text string) question {
	all, open := english.Subject(english.Of(text))
	q := question{words: all[:min(len(all), maxWords)], stems: map[string]bool{}, open: open}
	for i, w := range q.words {
		if !q.stems[w.Stem] && !english.Stop(w.Plain) {
			q.terms = append(q.terms, q.newTerm(i))
		}
		q.stems[w.Stem] = true
		q.term = append(q.term, slices.IndexFunc(q.terms, func(t term) bool { return t.word.Stem == w.Stem && !english.Stop(w.Plain) }))
	}
	return q
}

func (q question) newTerm(i int) term {
	w := q.words[i]
	t := term{word: w, at: i, name: w.Number() || i > 0 && w.Capital() || i == 0 && mixed(w.Text)}
	t.asks = asking[w.Plain] || i > 0 && interrogatives[q.words[i-1].Plain]
	if i > 0 {
		t.joined[0] = q.words[i-1].Plain + w.Plain
	}
	if i+1 < len(q.words) {
		t.joined[1] = w.Plain + q.words[i+1].Plain
	}
	return t
}

// mixed reports whether a word has a capital after the first letter: DNA, vBNS.
func mixed(word string) bool {
	return strings.IndexFunc(word, unicode.IsUpper) >= 0 && strings.LastIndexFunc(word, unicode.IsUpper) > 0
}

// weighTerms gives each term the weight that BM25 would, counted in sentences.
func (q *question) weighTerms(all []*sentence) {
	weight := func(n int) float64 { return math.Log(1 + (float64(len(all)-n)+0.5)/(float64(n)+0.5)) }
	q.rare = min(rare, weight(0))
	for i := range q.terms {
		t, n := &q.terms[i], 0
		for _, s := range all {
			if s.stems[t.word.Stem] {
				n++
			}
		}
		t.weight = weight(n)
		if t.asks {
			t.weight /= 2
		}
	}
}

// rare is the weight from which a name counts in full if there are enough sentences. A name
// with less weight is in many sentences, and is what they are all about.
const rare = 4

// placeTerms looks for each term in a sentence and above it.
func (q question) placeTerms(s *sentence) {
	s.at, s.under = make([]int, len(q.terms)), make([]bool, len(q.terms))
	for i, t := range q.terms {
		s.at[i] = s.find(t)
		s.under[i] = slices.ContainsFunc(s.above, func(w english.Word) bool { return same(t.word, w) })
	}
}

// touches reports whether a sentence has a term itself, or is under a heading about the
// subject of an open question.
func (q question) touches(s *sentence) bool {
	return slices.ContainsFunc(s.at, func(at int) bool { return at >= 0 }) || q.open && !slices.Contains(s.under, false)
}
