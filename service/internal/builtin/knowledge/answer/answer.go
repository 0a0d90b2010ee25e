// Package answer answers questions from passages without a model: it quotes the sentences that
// answer, or finds that there are none. Use Find.
//
// It compares words and never writes any: everything that it returns is verbatim from a document.
// It follows no instructions in passages. Its word lists are English; questions in other
// languages are only compared by shared words.
//
// To follow a question through the code: question.go reads it, sentence.go splits the passages
// into sentences, evidence.go compares each with the question, and model.go ranks them by learned
// weights and decides whether the best one is an answer.
package answer

import (
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

// Quote is a sentence of a document, verbatim.
type Quote struct {
	Key      string   // of the document
	Title    string   // of the document
	Headings []string // the headings above the sentence
	Start    int      // in UTF-16 units of the document's text
	End      int
	Text     string
	Hit      int // the index of the hit that contains it
}

// Answer is the result. Quotes are at most Most sentences, the best first; they are empty if no
// passage answers. Confidence is from 0 to 1. It is set in both cases; Quotes are returned if
// it is at least Enough.
type Answer struct {
	Quotes     []Quote
	Confidence float64
}

// Most is how many sentences an answer may have, and Enough is the least confidence of an answer.
const (
	Most   = 3
	Enough = 0.5
)

// Find answers a question from the hits of a search for it, best first. It is pure and needs no
// more than about ten hits.
func Find(question string, hits []search.Hit) Answer { return learned.Find(question, hits) }

// Find is the function Find with other weights.
func (m Model) Find(question string, hits []search.Hit) Answer {
	q := readQuestion(question)
	best := m.Best(q.candidates(hits))
	if len(best) == 0 {
		return Answer{}
	}
	a := Answer{Confidence: m.Confidence(best[0])}
	if q.open {
		a.Confidence = best[0].Evidence.about()
	}
	if a.Confidence < Enough {
		return a
	}
	for _, c := range best {
		a.Quotes = append(a.Quotes, c.Quote)
	}
	return a
}

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
