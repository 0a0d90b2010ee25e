package answer

import (
	"cmp"
	_ "embed" // the weights
	"encoding/json"
	"math"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
)

// Model has the weights of evidence, which `make knowledge-fit` computes from questions with
// known answers.
type Model struct {
	Rank  Evidence  `json:"rank"`
	Judge []float64 `json:"judge"` // for what Evidence.Judged returns
}

// weights are computed from questions of SQuAD 2.0, CC BY-SA 4.0, whose credits are in
// ../testdata/README.md.
//
//go:embed model.json
var weights []byte

var learned = func() (m Model) {
	if err := json.Unmarshal(weights, &m); err != nil {
		panic("answer: model.json: " + err.Error())
	}
	return m
}()

// Learned returns the model that Find uses.
func Learned() Model { return learned }

// Candidate is a sentence that may be quoted.
type Candidate struct {
	Quote
	Evidence Evidence
}

// Candidates returns the sentences of the hits that are related to a question.
func Candidates(question string, hits []search.Hit) []Candidate {
	q := readQuestion(question)
	return q.candidates(hits)
}

func (q *question) candidates(hits []search.Hit) []Candidate {
	sentences := sentences(hits)
	q.weighTerms(sentences)
	for _, s := range sentences {
		q.placeTerms(s)
	}
	var all []Candidate
	for _, s := range sentences {
		if q.touches(s) {
			e := q.weigh(s)
			e[score] = share(hits[s.hit].Score, hits[0].Score)
			all = append(all, Candidate{s.quote(hits[s.hit]), e})
		}
	}
	return all
}

// behind is the least likelihood, relative to the best sentence, at which another one is
// quoted with it.
const behind = 0.07

// Best returns the candidates that are quoted if the first one answers, best first.
func (m Model) Best(all []Candidate) []Candidate {
	rank := func(c Candidate) float64 { return Dot(m.Rank[:], c.Evidence[:]) }
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(rank(b), rank(a)) })
	all = all[:min(len(all), Most)]
	return slices.DeleteFunc(all, func(c Candidate) bool { return rank(c) < rank(all[0])+math.Log(behind) })
}

// Confidence returns how likely a candidate is to answer.
func (m Model) Confidence(c Candidate) float64 {
	return 1 / (1 + math.Exp(-Dot(m.Judge, c.Evidence.Judged())))
}

// Dot multiplies weights and evidence. It rounds each product, so that the result is the same on
// all processors.
func Dot(weights, evidence []float64) (sum float64) {
	for i, w := range weights {
		sum += float64(w * evidence[i])
	}
	return sum
}
