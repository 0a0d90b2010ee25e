package search

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

// The constants of BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009)
// with the values of FTS5, and how much a word in the title counts if one in the text or a
// heading counts 1.
const (
	saturation  = 1.2
	lengthShare = 0.75
	titleWeight = 0.5
)

// Limits of a search. A word that more than tooCommon of the passages contain says little, and is
// ignored if the question has another. The texts of the mostRead passages with the most telling
// words are compared.
const (
	tooCommon = 20_000
	mostRead  = 500
	readAtOne = 100
)

// marks has the bits of the terms of a question that a passage contains, by their indexes.
type marks uint32

// candidate is a passage that contains terms of the question.
type candidate struct {
	id       int64
	document int // the index of its key
	terms    marks
	weight   float64 // the sum of its terms' weights
}

// ranking is one search. It counts only within its ground: a score over all passages of the index
// would reveal what documents of others contain.
type ranking struct {
	index   Index
	ground  Ground
	terms   []Term
	counter *english.Counter // of the terms
	weights []float64        // of the terms: the rarer the more
	asked   []float64        // the same, for the relevance
	phrase  string           // of a question that has only stop words
	keys    []string
	limit   int
	hits    []Hit // the best so far, best first
}

// candidates finds the passages of the ground that contain a term, those with the most telling
// terms first. Equal ones are in the order of the keys.
func (r *ranking) candidates(ctx context.Context) ([]candidate, error) {
	found := make([][]int64, len(r.terms))
	telling := false
	for i, t := range r.terms {
		var err error
		if found[i], err = r.holding(ctx, t); err != nil {
			return nil, err
		}
		telling = telling || len(found[i]) > 0 && len(found[i]) < tooCommon
	}
	r.weights, r.asked = make([]float64, len(r.terms)), make([]float64, len(r.terms))
	held := map[int64]marks{}
	for i, ids := range found {
		r.asked[i] = weight(len(ids), max(r.ground.count, fewPassages))
		if len(ids) == tooCommon && telling {
			continue
		}
		r.weights[i] = weight(len(ids), r.ground.count)
		for _, id := range ids {
			held[id] |= 1 << i
		}
	}
	return r.inOrder(held), nil
}

// weight is the inverse document frequency, in the form that is never negative.
func weight(holding, all int) float64 {
	return math.Log(1 + (float64(all-holding)+0.5)/(float64(holding)+0.5))
}

// holding returns the passages of the ground that contain a term, at most tooCommon.
func (r *ranking) holding(ctx context.Context, t Term) (ids []int64, err error) {
	err = r.index.Holding(ctx, t, r.ground, func(id int64) bool {
		if _, found := r.ground.documentOf(id); found {
			ids = append(ids, id)
		}
		return len(ids) < tooCommon
	})
	return ids, err
}

func (r *ranking) inOrder(held map[int64]marks) []candidate {
	all := make([]candidate, 0, len(held))
	for id, terms := range held {
		c := candidate{id: id, terms: terms}
		c.document, _ = r.ground.documentOf(id)
		for i, weight := range r.weights {
			if terms&(1<<i) != 0 {
				c.weight += weight
			}
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(-cmp.Compare(a.weight, b.weight), cmp.Compare(a.document, b.document), cmp.Compare(a.id, b.id))
	})
	return all[:min(len(all), mostRead)]
}

// run reads the candidates until no further one can be among the best.
func (r *ranking) run(ctx context.Context) ([]Hit, error) {
	all, err := r.candidates(ctx)
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(all, readAtOne) {
		if len(r.hits) == r.limit && r.hits[r.limit-1].Score >= part[0].weight*(saturation+1) {
			break
		}
		if err := r.compare(ctx, part); err != nil {
			return nil, err
		}
	}
	return r.hits, nil
}

// compare reads candidates and keeps the best.
func (r *ranking) compare(ctx context.Context, part []candidate) error {
	ids := make([]int64, len(part))
	for i, c := range part {
		ids[i] = c.id
	}
	hits, err := r.index.Passages(ctx, ids)
	if err != nil {
		return err
	}
	for i, h := range hits {
		counts := r.counts(h)
		if !r.isRelevant(h, counts) {
			continue
		}
		h.Key = r.keys[part[i].document]
		h.Score = r.score(part[i], h, counts)
		r.hits = append(r.hits, h)
	}
	slices.SortStableFunc(r.hits, func(a, b Hit) int { return -cmp.Compare(a.Score, b.Score) })
	r.hits = r.hits[:min(len(r.hits), r.limit)]
	return nil
}

// score is BM25 of a passage.
func (r *ranking) score(c candidate, h Hit, counts []float64) (score float64) {
	length := 1 - lengthShare + lengthShare*float64(h.End-h.Start)/r.ground.mean
	for i, weight := range r.weights {
		if c.terms&(1<<i) == 0 {
			continue
		}
		count := counts[i]
		if count == 0 {
			count = 1 // only the index knows this form of the word
		}
		score += weight * count * (saturation + 1) / (count + saturation*length)
	}
	return score
}

// counts returns how often a passage, its headings and its title contain each term.
func (r *ranking) counts(h Hit) []float64 {
	counts := r.counter.Count(strings.Join(append(slices.Clone(h.Headings), h.Text), "\n"))
	for i, count := range r.counter.Count(h.Title) {
		counts[i] += titleWeight * count
	}
	return counts
}

// A passage is relevant if it contains minRelevance of a question, where each word counts by how
// rare it is. Among few passages every word is either frequent or missing, so a library with
// fewer than fewPassages is treated as if the rest of them contained no word of the question.
const (
	minRelevance = 0.25
	fewPassages  = 100
)

// isRelevant reports whether a passage contains enough of the question. For a question with only
// stop words, such as "The Who", it must contain the whole phrase.
func (r *ranking) isRelevant(h Hit, counts []float64) bool {
	if r.phrase != "" {
		return strings.Contains(phraseOf(strings.Join(append([]string{h.Title, h.Text}, h.Headings...), "\n")), r.phrase)
	}
	all, held := 0.0, 0.0
	for i, t := range r.terms {
		all += r.asked[i]
		if counts[i] > 0 && !talk[t.Plain] {
			held += r.asked[i]
		}
	}
	return held >= minRelevance*all && held > 0
}
