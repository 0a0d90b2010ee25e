package main

import (
	"maps"
	"math"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/builtin/knowledge/answer"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
)

// Case is a question with what may be quoted for it.
type Case struct {
	Question
	Candidates []answer.Candidate
	right      func(answer.Candidate) bool // as figures count it
	marked     func(answer.Candidate) bool // right, and in the paragraph that readers marked
}

// Cases makes cases of the questions and what was found for each.
func Cases(set Set, hits [][]search.Hit) []Case {
	var all []Case
	for i, q := range set.Questions {
		p := set.Articles[q.Document].Paragraphs[q.Paragraph]
		right := func(c answer.Candidate) bool { return c.Key == q.Document && q.answeredBy(c.Text) }
		marked := func(c answer.Candidate) bool { return right(c) && c.Start < p.End && c.End > p.Start }
		all = append(all, Case{q, answer.Candidates(q.Question, hits[i]), right, marked})
	}
	return all
}

// without leaves out an article.
func without(cases []Case, article string) []Case {
	return slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return c.Document == article })
}

func articles(cases []Case) []string {
	names := map[string]bool{}
	for _, c := range cases {
		names[c.Document] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// Fit makes the weights. It takes the bias from cases that the weights had not seen:
// it again leaves out one article after another.
func Fit(cases []Case) answer.Model {
	var unseen []Outcome
	for _, article := range articles(cases) {
		m := weigh(without(cases, article))
		for _, c := range cases {
			if c.Document == article {
				unseen = append(unseen, c.outcome(m))
			}
		}
	}
	m := weigh(cases)
	m.Judge[0] -= threshold(unseen)
	for i := range m.Rank {
		m.Rank[i] = round(m.Rank[i])
	}
	for i := range m.Judge {
		m.Judge[i] = round(m.Judge[i])
	}
	return m
}

// round keeps four decimals, since what processors calculate differs in the last ones. Adding 0 makes -0 a 0.
func round(x float64) float64 { return math.Round(x*1e4)/1e4 + 0 }

// mostWrong is the share of unanswerable questions that may be answered when the bias
// is chosen. It is below the aim of 0.35, because other articles may exceed it.
const mostWrong = 0.33

// threshold is the lowest log odds that keep to mostWrong, halfway between two questions.
func threshold(unseen []Outcome) float64 {
	var odds []float64
	for _, o := range unseen {
		if !o.Answerable {
			odds = append(odds, math.Log(o.Confidence/(1-o.Confidence)))
		}
	}
	slices.Sort(odds)
	at := len(odds) - int(mostWrong*float64(len(odds)))
	return (odds[at-1] + odds[at]) / 2
}

// weigh fits the weights without choosing the bias.
func weigh(cases []Case) answer.Model {
	m := answer.Model{Rank: fitRank(cases)}
	m.Judge = fitJudge(cases, m)
	return m
}

// fitRank makes the marked sentences of a question likely among all of its sentences
// (a conditional logit).
func fitRank(cases []Case) (rank answer.Evidence) {
	cases = slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return !slices.ContainsFunc(c.Candidates, c.marked) })
	marked := make([][]bool, len(cases))
	for i, c := range cases {
		for _, candidate := range c.Candidates {
			marked[i] = append(marked[i], c.marked(candidate))
		}
	}
	ascend(rank[:], rankDecay/float64(len(cases)), func(weights, slope []float64) {
		for i, c := range cases {
			c.slope(weights, slope, marked[i], 1/float64(len(cases)))
		}
	})
	return rank
}

// slope adds how the log likelihood of a case changes with each weight.
func (c Case) slope(weights, slope []float64, marked []bool, share float64) {
	odds, all, right := make([]float64, len(c.Candidates)), 0.0, 0.0
	for i, candidate := range c.Candidates {
		odds[i] = math.Exp(answer.Dot(weights, candidate.Evidence[:]))
		all += odds[i]
		if marked[i] {
			right += odds[i]
		}
	}
	for i, candidate := range c.Candidates {
		d := -odds[i] / all
		if marked[i] {
			d += odds[i] / right
		}
		add(slope, candidate.Evidence[:], float64(d*share))
	}
}

// fitJudge separates, by logistic regression, the best sentences that answer their question from those of
// unanswerable questions, and from the best of answerable ones once the sentences that answer are left out.
func fitJudge(cases []Case, m answer.Model) []float64 {
	var evidence [][]float64
	var answers []bool
	for _, c := range cases {
		best := m.Best(c.Candidates)
		if len(best) > 0 && (!c.Answerable || slices.ContainsFunc(best, c.right)) {
			evidence, answers = append(evidence, best[0].Evidence.Judged()), append(answers, c.Answerable)
		}
		rest := m.Best(slices.DeleteFunc(slices.Clone(c.Candidates), c.right))
		if c.Answerable && len(rest) > 0 {
			evidence, answers = append(evidence, rest[0].Evidence.Judged()), append(answers, false)
		}
	}
	judge := make([]float64, len(evidence[0]))
	ascend(judge, judgeDecay/float64(len(evidence)), func(weights, slope []float64) {
		for i, e := range evidence {
			d := -1 / (1 + math.Exp(-answer.Dot(weights, e)))
			if answers[i] {
				d++
			}
			add(slope, e, d/float64(len(evidence)))
		}
	})
	return judge
}

// The variances of the weights are one over these.
const (
	rankDecay  = 3
	judgeDecay = 0.1
)

// ascend climbs from weights of 0, by steps with momentum. decay pulls each weight back.
func ascend(weights []float64, decay float64, slopeAt func(weights, slope []float64)) {
	step := make([]float64, len(weights))
	for range 400 {
		slope := make([]float64, len(weights))
		slopeAt(weights, slope)
		for i := range weights {
			step[i] = float64(0.9*step[i]) + float64(0.4*(slope[i]-float64(decay*weights[i])))
			weights[i] += step[i]
		}
	}
}

func add(sum, row []float64, times float64) {
	for i, x := range row {
		sum[i] += float64(times * x)
	}
}
