package answer

import (
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

// evidence is what speaks for and against a sentence being an answer.
type evidence struct {
	order     float64 // share of neighbours in the question that are neighbours in the sentence
	density   float64 // share of the sentence that the question says
	scattered float64 // share of the question that stands in the passage, but not in the sentence
	names     float64 // names and numbers of the question that are not said
	negation  float64 // 1 where the question says no and the sentence does not, less the other way
	opposite  float64 // 1 where the sentence has the opposite of a word that is missing
	verb      float64 // 1 where what is done, as far as it is told, is missing
	length    float64 // of the question, in terms
}

// compare holds a sentence against the question.
func (q question) compare(s *sentence) evidence {
	e := evidence{order: q.order(s), density: q.density(s), verb: q.verbMissing(s), length: float64(len(q.terms))}
	all := 0.0
	for _, t := range q.terms {
		all += t.weight
		if s.find(t) >= 0 {
			continue
		}
		near := s.near(t)
		if near > 0 && near < inTitle {
			e.scattered += t.weight
		}
		if t.name && near < inTitle {
			e.names += (1 - near) * q.whole(t, s) * min(t.weight/rare, 1)
		}
		if near < inBefore && q.contradicts(t, s) {
			e.opposite = 1
		}
	}
	e.scattered = share(e.scattered, all)
	switch asks, says := negates(q.words), negates(s.words); {
	case q.open:
	case asks && !says:
		e.negation = 1
	case says && !asks:
		e.negation = 0.3
	}
	return e
}

// rare is the weight from which on a name counts in full: one that many of the
// sentences have is what they are about.
const rare = 4

// order looks at each two terms that stand near each other in the question.
func (q question) order(s *sentence) float64 {
	pairs, kept, last := 0.0, 0.0, -1
	for i, w := range q.words {
		if english.Stop(w.Plain) {
			continue
		}
		if last >= 0 && i-last <= 3 {
			pairs++
			kept += together(s.find(term{word: q.words[last]}), s.find(term{word: w}), i-last)
		}
		last = i
	}
	if pairs == 0 {
		return 0.5
	}
	if q.under(s) {
		return max(0.5, kept/pairs)
	}
	return kept / pairs
}

// together is 1 for places as near each other, and in the same order, as in the
// question, where the distance was apart; less for others that are not far.
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

// verbMissing looks for the first term behind the auxiliary: "did the king
// found", "was founded by".
func (q question) verbMissing(s *sentence) float64 {
	at := slices.IndexFunc(q.words, func(w english.Word) bool { return auxiliaries[w.Plain] })
	if at < 0 {
		return 0
	}
	for _, w := range q.words[at+1:] {
		if english.Stop(w.Plain) {
			continue
		}
		if s.find(term{word: w}) < 0 {
			return 1
		}
		return 0
	}
	return 0
}

// contradicts tells whether the sentence has, in the place of a term, its
// opposite, or another year.
func (q question) contradicts(t term, s *sentence) bool {
	return slices.ContainsFunc(s.words, func(w english.Word) bool {
		return !q.stems[w.Stem] && (opposite(t.word.Stem, w.Stem) || year(t.word) && year(w))
	})
}

func year(w english.Word) bool { return w.Number() && len(w.Plain) == 4 }

func negates(all []english.Word) bool {
	return slices.ContainsFunc(all, func(w english.Word) bool { return negations[w.Plain] })
}

// whole is less for a name of which another part is said: of "Isaac Newton"
// often one is enough.
func (q question) whole(t term, s *sentence) float64 {
	for _, other := range q.terms {
		if other.name && (other.at == t.at-1 || other.at == t.at+1) && !other.word.Number() && !t.word.Number() && s.find(other) >= 0 {
			return 0.5
		}
	}
	return 1
}
