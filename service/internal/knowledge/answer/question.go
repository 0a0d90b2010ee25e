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
	name   bool // a name or a number, which has no other word for it
	weight float64
	joined [2]string // with the word before it and with the one behind it, written as one
}

type question struct {
	words []english.Word
	stems map[string]bool
	terms []term // each stem once
	// open asks for all that is said: a sentence that denies something answers it too.
	open bool
}

// maxWords bounds the work for a question; those that people ask have fewer.
const maxWords = 64

func readQuestion(text string) question {
	all, open := english.Subject(english.Of(text))
	q := question{words: all[:min(len(all), maxWords)], stems: map[string]bool{}, open: open}
	for i, w := range q.words {
		if !q.stems[w.Stem] && !english.Stop(w.Plain) {
			t := term{word: w, at: i, name: w.Number() || i > 0 && w.Capital() || i == 0 && mixed(w.Text)}
			if i > 0 {
				t.joined[0] = q.words[i-1].Plain + w.Plain
			}
			if i+1 < len(q.words) {
				t.joined[1] = w.Plain + q.words[i+1].Plain
			}
			q.terms = append(q.terms, t)
		}
		q.stems[w.Stem] = true
	}
	return q
}

// mixed tells a capital after the first letter: DNA, vBNS.
func mixed(word string) bool {
	return strings.IndexFunc(word, unicode.IsUpper) >= 0 && strings.LastIndexFunc(word, unicode.IsUpper) > 0
}

// weighTerms gives each term the weight that BM25 would, counted in sentences.
func (q question) weighTerms(all []*sentence) {
	for i := range q.terms {
		t, n := &q.terms[i], 0
		for _, s := range all {
			if s.stems[t.word.Stem] {
				n++
			}
		}
		t.weight = math.Log(1 + (float64(len(all)-n)+0.5)/(float64(n)+0.5))
	}
}

// cover is how much of the question a sentence says, from 0 to 1.
func (q question) cover(s *sentence) float64 {
	said, all := 0.0, 0.0
	for _, t := range q.terms {
		all += t.weight
		if s.stems[t.word.Stem] {
			said += t.weight
		} else {
			said += t.weight * s.near(t)
		}
	}
	return share(said, all)
}

// touches tells whether a sentence has any term itself, or stands under what is
// asked about.
func (q question) touches(s *sentence) bool {
	return slices.ContainsFunc(q.terms, func(t term) bool { return s.find(t) >= 0 }) || q.under(s)
}

// under tells whether an open question is about a heading of the sentence.
func (q question) under(s *sentence) bool {
	return q.open && !slices.ContainsFunc(q.terms, func(t term) bool { return s.find(t) < 0 && s.near(t) < inTitle })
}
