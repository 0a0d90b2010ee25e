package answer

import (
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

// Evidence is what speaks for and against a sentence being an answer, by the kinds below. Shares
// are of the question's terms, by their weights.
type Evidence [kinds]float64

const (
	score    = iota // share of the best passage's score; not comparable between searches
	said            // share that the sentence says
	above           // share that is in a heading or the title, but not in the sentence
	before          // the same for the sentence before it
	after           // the same for the sentence after it
	rest            // the same for other sentences of the passage
	order           // share of neighbours in the question that are neighbours in the sentence
	density         // share of the sentence that the question says
	names           // names and numbers of the question that are not said
	negation        // 1 if the question is negated and the sentence is not, less if only the sentence is
	opposite        // 1 where the sentence has the opposite of a term that is missing
	verb            // 1 if the question's main verb is missing
	length          // of the question, in terms
	kinds
)

// Judged returns the evidence on whether a question is answered at all: without what only
// compares the sentences of one search, and with a 1 first for the bias.
func (e Evidence) Judged() []float64 { return append([]float64{1}, e[said+1:]...) }

// weigh compares a sentence with the question.
func (q question) weigh(s *sentence) Evidence {
	e := Evidence{order: q.order(s), density: q.density(s), negation: q.negation(s), verb: q.verbMissing(s)}
	e[length] = float64(min(len(q.terms), longest)) / 10
	all := 0.0
	for i, t := range q.terms {
		all += t.weight
		p := s.place(i)
		if p < kinds {
			e[p] += t.weight
		}
		if p == said || p == above {
			continue
		}
		if t.name {
			e[names] += distance[p] * q.whole(t, s) * min(t.weight/q.rare, 1)
		}
		if p != before && q.contradicts(t, s) {
			e[opposite] = 1
		}
	}
	for _, p := range []int{said, above, before, after, rest} {
		e[p] = share(e[p], all)
	}
	return e
}

// about says, for an open question, how much of its subject is in the sentence or above it.
func (e Evidence) about() float64 { return (1 - min(e[names], 1)) * (e[said] + e[above]) }

// longest is the most terms of a question that count.
const longest = 12

// nowhere is the place of a term that is not in the passage.
const nowhere = kinds

// distance is how much a missing name counts, by where it is instead.
var distance = map[int]float64{before: 0.5, after: 0.75, rest: 0.75, nowhere: 1}

// place returns where a term is: said, above, before, after, rest or nowhere.
func (s *sentence) place(term int) int {
	switch {
	case s.at[term] >= 0:
		return said
	case s.under[term]:
		return above
	case s.index > 0 && s.passage[s.index-1].at[term] >= 0:
		return before
	case s.index+1 < len(s.passage) && s.passage[s.index+1].at[term] >= 0:
		return after
	case slices.ContainsFunc(s.passage, func(other *sentence) bool { return other.at[term] >= 0 }):
		return rest
	}
	return nowhere
}

// order compares pairs of terms that are near each other in the question. A term that asks need
// not be in the sentence.
func (q question) order(s *sentence) float64 {
	pairs, kept, last := 0.0, 0.0, -1
	for i, term := range q.term {
		if term < 0 {
			continue
		}
		if last >= 0 && i-last <= 3 {
			near := together(s.at[q.term[last]], s.at[term], i-last)
			if near > 0 || !q.terms[term].asks && !q.terms[q.term[last]].asks {
				pairs++
				kept += near
			}
		}
		last = i
	}
	if pairs == 0 {
		return 0.5
	}
	return kept / pairs
}

// together is 1 for positions that are as near each other, and in the same order, as in the
// question, where the distance was apart; it is less for others that are not far from each other.
func together(a, b, apart int) float64 {
	if a < 0 || b < 0 {
		return 0
	}
	distance := b - a
	if distance < 0 {
		distance = 1 - distance
	}
	switch {
	case distance <= apart+1:
		return 1
	case distance <= 6:
		return 0.5
	}
	return 0
}

func (q question) density(s *sentence) float64 {
	content, said := 0.0, 0.0
	for _, w := range s.words {
		if english.Stop(w.Plain) {
			continue
		}
		content++
		if q.stems[w.Stem] {
			said++
		}
	}
	return share(said, content)
}

// verbMissing looks for the first term after the auxiliary: "did the king found", "was founded
// by".
func (q question) verbMissing(s *sentence) float64 {
	at := slices.IndexFunc(q.words, func(w english.Word) bool { return auxiliaries[w.Plain] })
	if at < 0 {
		return 0
	}
	for _, term := range q.term[at+1:] {
		switch {
		case term < 0:
		case s.at[term] < 0 && !q.terms[term].asks:
			return 1
		default:
			return 0
		}
	}
	return 0
}

// negation compares negations. A sentence that negates something can still answer an open
// question.
func (q question) negation(s *sentence) float64 {
	switch asks, says := negates(q.words), negates(s.words); {
	case q.open:
	case asks && !says:
		return 1
	case says && !asks:
		return 0.3
	}
	return 0
}

func negates(all []english.Word) bool {
	return slices.ContainsFunc(all, func(w english.Word) bool { return negations[w.Plain] })
}

// contradicts reports whether the sentence has, instead of a term, its opposite, another year or
// another small number.
func (q question) contradicts(t term, s *sentence) bool {
	return slices.ContainsFunc(s.words, func(w english.Word) bool {
		return !q.stems[w.Stem] && (opposed(t.word.Stem, w.Stem) || year(t.word) && year(w) || counting[t.word.Plain] && counting[w.Plain])
	})
}

func year(w english.Word) bool { return w.Number() && len(w.Plain) == 4 }

// whole is less for a name if another part of it is in the sentence: of "Isaac Newton" one part
// is often enough.
func (q question) whole(t term, s *sentence) float64 {
	for i, other := range q.terms {
		if other.name && (other.at == t.at-1 || other.at == t.at+1) && !other.word.Number() && !t.word.Number() && s.at[i] >= 0 {
			return 0.5
		}
	}
	return 1
}
