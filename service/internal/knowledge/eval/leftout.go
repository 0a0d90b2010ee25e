package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/answer"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
)

// Outcome is what a question would be answered with, and how sure that is.
type Outcome struct {
	Question
	Confidence, Enough float64 // it is answered where Confidence is above Enough
	Right              bool    // the quotes hold an answer
	Quotes, Characters int
}

// Outcomes asks the questions of what was found for each. From which confidence on one is
// answered was chosen on the other articles.
func Outcomes(set Set, hits [][]search.Hit) []Outcome {
	var all []Outcome
	for i, q := range set.Questions {
		all = append(all, outcome(q, answer.Best(q.Question, hits[i])))
	}
	for i, o := range all {
		others := slices.DeleteFunc(slices.Clone(all), func(other Outcome) bool { return other.Document == o.Document })
		all[i].Enough = enough(others)
	}
	return all
}

func outcome(q Question, a answer.Answer) Outcome {
	o := Outcome{Question: q, Confidence: a.Confidence, Quotes: len(a.Quotes)}
	for _, quote := range a.Quotes {
		o.Characters += len([]rune(quote.Text))
		o.Right = o.Right || quote.Key == q.Document && q.answeredBy(quote.Text)
	}
	return o
}

// mostWrong is the share of unanswerable questions that may be answered where a
// threshold is chosen. The aim elsewhere is 0.35.
const mostWrong = 0.3

// enough is the lowest confidence that keeps to mostWrong: halfway between two questions.
func enough(all []Outcome) float64 {
	var confidences []float64
	for _, o := range all {
		if !o.Answerable {
			confidences = append(confidences, o.Confidence)
		}
	}
	slices.Sort(confidences)
	at := len(confidences) - int(mostWrong*float64(len(confidences)))
	if at == 0 || at == len(confidences) {
		return answer.Enough
	}
	return (confidences[at-1] + confidences[at]) / 2
}

// Tally counts outcomes.
type Tally struct{ Answerable, Unanswerable, Right, Wrong, Answered, Quotes, Characters int }

func (t *Tally) add(o Outcome) {
	answered := o.Quotes > 0 && o.Confidence > o.Enough
	switch {
	case !o.Answerable:
		t.Unanswerable++
		t.Wrong += count(answered)
		return
	case answered:
		t.Answered++
		t.Right += count(o.Right)
		t.Quotes += o.Quotes
		t.Characters += o.Characters
	}
	t.Answerable++
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// LeftOut writes what becomes of the questions of each article and of all.
func LeftOut(to io.Writer, all []Outcome) error {
	tallies, whole := map[string]*Tally{}, Tally{}
	for _, o := range all {
		if tallies[o.Document] == nil {
			tallies[o.Document] = &Tally{}
		}
		tallies[o.Document].add(o)
		whole.add(o)
	}
	if _, err := fmt.Fprintf(to, "\nleave one article out  answers right  wrongly answered  quotes  characters\n"); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(tallies)) {
		if err := tallies[name].write(to, name); err != nil {
			return err
		}
	}
	return whole.write(to, "all")
}

func (t Tally) write(to io.Writer, name string) error {
	_, err := fmt.Fprintf(to, "%-21s %6.3f %7s %8.3f %8s %7.2f %11.0f\n", name,
		share(float64(t.Right), t.Answerable), fmt.Sprintf("%d/%d", t.Right, t.Answerable),
		share(float64(t.Wrong), t.Unanswerable), fmt.Sprintf("%d/%d", t.Wrong, t.Unanswerable),
		share(float64(t.Quotes), t.Answered), share(float64(t.Characters), t.Answered))
	return err
}
