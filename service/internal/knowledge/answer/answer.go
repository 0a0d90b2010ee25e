// Package answer answers questions from passages without a model: it quotes the
// sentences that answer, or finds that none does. Use Find.
//
// It compares words and never writes any: what it gives stands in a document,
// verbatim. Nothing in a passage is followed as an instruction. Its lists of
// words are English; questions in other languages are answered by shared words
// alone.
//
// To follow a question through the code: question.go reads it, sentence.go finds
// the sentences that say most of it, evidence.go compares the best with the
// question, and judge.go decides whether that is an answer.
package answer

import (
	"cmp"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

// Quote is a sentence of a document, verbatim.
type Quote struct {
	Key      string   // of the document
	Title    string   // of the document
	Headings []string // that the sentence stands under
	Start    int      // in UTF-16 units of the document's text
	End      int
	Text     string
	Hit      int // the index of the hit that it stands in
}

// Answer is what was found. Quotes are at most Most, the best first; there are
// none where no passage answers. Confidence is from 0 to 1; it is set in both
// cases, and Quotes are given from Enough on.
type Answer struct {
	Quotes     []Quote
	Confidence float64
}

// Most is how many sentences an answer may have.
const Most = 3

// Find answers a question from what a search for it found, best first. It is
// pure and needs no more than about ten hits.
func Find(question string, hits []search.Hit) Answer {
	a := Best(question, hits)
	if a.Confidence < Enough {
		a.Quotes = nil
	}
	return a
}

// Best gives the quotes of Find whatever the confidence is.
func Best(question string, hits []search.Hit) Answer {
	q := readQuestion(question)
	found := q.best(sentences(hits), hits)
	var a Answer
	for _, s := range found {
		a.Confidence = max(a.Confidence, q.compare(s).confidence())
	}
	for _, s := range found {
		a.Quotes = append(a.Quotes, s.quote(hits[s.hit]))
	}
	return a
}

// best gives the sentences that say most of the question, best first.
func (q question) best(all []*sentence, hits []search.Hit) []*sentence {
	q.weighTerms(all)
	found := slices.DeleteFunc(slices.Clone(all), func(s *sentence) bool { return !q.touches(s) })
	for _, s := range found {
		s.score = q.cover(s) + rankBonus*share(hits[s.hit].Score, hits[0].Score)
	}
	slices.SortStableFunc(found, func(a, b *sentence) int { return cmp.Compare(b.score, a.score) })
	found = found[:min(len(found), Most)]
	return slices.DeleteFunc(found, func(s *sentence) bool { return s.score < behind*found[0].score })
}

// behind is the share of the best sentence's score from which on others are
// quoted with it.
const behind = 0.6

// rankBonus is what the best passage adds to its sentences, whose own score is
// at most 1.
const rankBonus = 0.15

func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

func (s *sentence) quote(h search.Hit) Quote {
	start := h.Start + split.Units(h.Text[:s.span.Start])
	text := h.Text[s.span.Start:s.span.End]
	return Quote{
		Key: h.Key, Title: h.Title, Headings: h.Headings, Text: text,
		Start: start, End: start + split.Units(text), Hit: s.hit,
	}
}
