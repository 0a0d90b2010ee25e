package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/builtin/knowledge/answer"
)

// Outcome is what a question would be answered with, and how sure that is.
type Outcome struct {
	Question
	Confidence         float64
	Right              bool // the quotes hold an answer
	Quotes, Characters int
}

// Outcomes answers each question with the weights that were made without its article.
// For another folder these are the learned weights, which have seen none of its
// articles.
func Outcomes(cases []Case) []Outcome {
	var all []Outcome
	for _, c := range cases {
		m, found := folds[c.Document]
		if !found {
			m = answer.Learned()
		}
		all = append(all, c.outcome(m))
	}
	return all
}

func (c Case) outcome(m answer.Model) Outcome {
	best := m.Best(c.Candidates)
	o := Outcome{Question: c.Question, Quotes: len(best)}
	for _, candidate := range best {
		o.Characters += len([]rune(candidate.Text))
		o.Right = o.Right || c.right(candidate)
	}
	if len(best) > 0 {
		o.Confidence = m.Confidence(best[0])
	}
	return o
}

// Tally counts outcomes.
type Tally struct{ Answerable, Unanswerable, Right, Wrong, Answered, Quotes, Characters int }

func (t *Tally) add(o Outcome) {
	answered := o.Quotes > 0 && o.Confidence >= answer.Enough
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

// rules has, for each article, the right answers and the wrong answers to unanswerable questions that hand-written
// rules gave before there were weights. Their threshold was chosen on the other five, but their other constants on all
// six.
var rules = map[string][2]int{
	"force.md": {26, 2}, "immune-system.md": {29, 1}, "islamism.md": {20, 0}, "packet-switching.md": {15, 8}, "steam-engine.md": {31, 7}, "warsaw.md": {30, 5},
}

// TallyAll counts all outcomes.
func TallyAll(all []Outcome) (t Tally) {
	for _, o := range all {
		t.add(o)
	}
	return t
}

// LeftOut writes the results for the questions of each article and for all questions.
func LeftOut(to io.Writer, all []Outcome) error {
	if _, err := fmt.Fprintf(to, "\n%-20s %13s %18s %8s %11s %15s\n",
		"one article left out", "answers right", "wrongly answered", "quotes", "characters", "rules before"); err != nil {
		return err
	}
	articles := map[string][]Outcome{}
	for _, o := range all {
		articles[o.Document] = append(articles[o.Document], o)
	}
	var before [2]int
	for _, name := range slices.Sorted(maps.Keys(articles)) {
		if err := TallyAll(articles[name]).write(to, name, rules[name]); err != nil {
			return err
		}
		before[0], before[1] = before[0]+rules[name][0], before[1]+rules[name][1]
	}
	return TallyAll(all).write(to, "all", before)
}

func (t Tally) write(to io.Writer, name string, before [2]int) error {
	_, err := fmt.Fprintf(to, "%-20s %5.3f %7s %10.3f %7s %8.2f %11.0f %9.3f %.3f\n", name,
		share(float64(t.Right), t.Answerable), fmt.Sprintf("%d/%d", t.Right, t.Answerable),
		share(float64(t.Wrong), t.Unanswerable), fmt.Sprintf("%d/%d", t.Wrong, t.Unanswerable),
		share(float64(t.Quotes), t.Answered), share(float64(t.Characters), t.Answered),
		share(float64(before[0]), t.Answerable), share(float64(before[1]), t.Unanswerable))
	return err
}
