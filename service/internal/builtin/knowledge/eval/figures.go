package main

import (
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
)

// Figures count the results of questions.
type Figures struct {
	Answerable, Unanswerable int
	At5                      int     // answerable ones with a right passage among the first five
	Reciprocal               float64 // the sum of 1/rank of the first right passage among ten
	Answered                 int     // answerable ones that were answered correctly
	Wrong                    int     // unanswerable ones that were answered
}

// Recall is recall at 5.
func (f Figures) Recall() float64 { return share(float64(f.At5), f.Answerable) }

// MRR is the mean reciprocal rank at 10.
func (f Figures) MRR() float64 { return share(f.Reciprocal, f.Answerable) }

// Right is the share of answerable questions whose quotes hold an answer.
func (f Figures) Right() float64 { return share(float64(f.Answered), f.Answerable) }

// WronglyAnswered is the share of unanswerable questions that got an answer.
func (f Figures) WronglyAnswered() float64 { return share(float64(f.Wrong), f.Unanswerable) }

func share(part float64, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return part / float64(whole)
}

// Quote is a text that was quoted as an answer.
type Quote struct{ Key, Text string }

// Add counts a question, what was found for it and what was quoted.
func (f *Figures) Add(q Question, p Paragraph, hits []search.Hit, quotes []Quote) {
	if !q.Answerable {
		f.Unanswerable++
		if len(quotes) > 0 {
			f.Wrong++
		}
		return
	}
	f.Answerable++
	if rank := q.rank(p, hits); rank > 0 {
		f.Reciprocal += 1 / float64(rank)
		if rank <= 5 {
			f.At5++
		}
	}
	for _, quote := range quotes {
		if quote.Key == q.Document && q.answeredBy(quote.Text) {
			f.Answered++
			return
		}
	}
}

// rank is the rank of the first right passage, or 0.
func (q Question) rank(p Paragraph, hits []search.Hit) int {
	for i, h := range hits {
		if h.Key == q.Document && h.Start < p.End && h.End > p.Start && q.answeredBy(h.Text) {
			return i + 1
		}
	}
	return 0
}

func (q Question) answeredBy(text string) bool {
	text = strings.Join(strings.Fields(text), " ")
	for _, answer := range q.Answers {
		if strings.Contains(text, strings.Join(strings.Fields(answer), " ")) {
			return true
		}
	}
	return false
}
