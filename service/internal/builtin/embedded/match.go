package embedded

import (
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

// relations maps words of a question to the relations that they ask for, the nearest first. The
// names are those of package canon, or stems where canon has no name. A statement of another
// relation is not an answer, even if it has the same words: "I hate my job" does not name the job.
var relations = table(`
work employ > work job employ
job profess occup career > job work
live home citi > home live move
name > name call
old age > age
bear birthday > birth bear birthday
address > home address
from > origin home birth
`)

// liked are verbs of taste, which canon puts into one relation. kinds are kinds of pets.
var (
	liked = english.Set("like love enjoy hate dislik prefer")
	kinds = table("pet > dog cat rabbit hamster parrot horse fish bird\nchild > son daughter")
)

// table reads lines of words, and maps each word to the word that it stands for.
func table(text string) map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		words, meant, _ := strings.Cut(line, ">")
		for word := range strings.FieldsSeq(words) {
			all[word] = strings.Fields(meant)
		}
	}
	return all
}

const (
	most   = 3  // how many facts an answer states
	latest = 50 // how many of those that answer are compared
)

// best returns the facts that answer a question best.
func (q question) best(facts []fact) (best []fact) {
	highest := 1
	for _, f := range newest(facts, latest, func(f fact) bool { return q.score(f) > 0 }) {
		switch score := q.score(f); {
		case score > highest:
			best, highest = []fact{f}, score
		case score == highest:
			best = append(best, f)
		}
	}
	return best[max(0, len(best)-most):]
}

// score says how well a fact answers, 0 for not at all.
func (q question) score(f fact) int {
	if !q.concerns(f) || !q.placedBy(f.words) {
		return 0
	}
	sum := 1
	for _, stem := range q.wanted {
		has := f.weigh(stem)
		if has == 0 {
			return 0
		}
		sum += has
	}
	if !q.near(f) {
		sum += 2
	}
	if f.Time != "" && !q.has("did was were used") {
		sum--
	}
	return sum
}

// weigh says how well a fact matches a word that is wanted, 0 for not at all.
func (f fact) weigh(stem string) int {
	related, has := relations[stem], func(stem string) bool { return f.stems[stem] }
	switch at := slices.Index(related, f.Relation); {
	case at == 0 && has(stem):
		return 4
	case at >= 0:
		return 3 - min(at, 1)
	case stem == "name" && f.introduces():
		return 1
	case related != nil && general[f.Relation] && slices.ContainsFunc(related, has) && !slices.ContainsFunc(f.words, isRelative):
		return 1
	case related != nil:
		return 0
	case has(stem), liked[stem] && f.Relation == "taste" && f.Negative == dislikes[stem]:
		return 4
	case slices.ContainsFunc(kinds[stem], has):
		return 2
	}
	return 0
}

func isRelative(w english.Word) bool { return relative[w.Plain] }

var (
	dislikes = english.Set("hate dislik")
	// general are the relations of statements that canon has no other name for.
	general = english.Set("do be have attribute")
)

// introduces recognises "User is Anna", which may be a name.
func (f fact) introduces() bool {
	return f.Relation == "be" && f.Person == "user" && len(f.words) < 5 &&
		!slices.ContainsFunc(f.words, func(w english.Word) bool { return !w.Capital() && w.Plain != "is" })
}

// concerns reports whether a fact is about the person that the question asks about, and is negated
// if the question is.
func (q question) concerns(f fact) bool {
	if f.Person != "user" || !q.own {
		named := func(name string) bool { return slices.Contains(q.wanted, stemOf(name)) }
		if !slices.ContainsFunc(strings.Fields(f.Person), named) {
			return false
		}
	}
	return q.asks == "" || q.asks == "why" || f.Negative == q.has("not never hate dislike don't doesn't can't isn't aren't didn't")
}

// related reports whether a question asks for one of the relations.
func (q question) related() bool {
	return slices.ContainsFunc(q.wanted, func(stem string) bool { return relations[stem] != nil })
}

// near reports whether a fact is only close to what a question asks for.
func (q question) near(f fact) bool {
	if q.related() {
		return slices.Contains(q.wanted, "name") && f.introduces()
	}
	return slices.ContainsFunc(q.kind, func(stem string) bool { return !f.stems[stem] })
}

// placing are words that begin a place, a time or a reason.
var placing = map[string]map[string]bool{
	"where": english.Set("in at on by here there near from to for with into behind under around beside inside between above below"),
	"why":   english.Set("because since so due as for"),
	"when": english.Set(`january february march april may june july august september october november december monday tuesday wednesday thursday friday
saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays today tomorrow yesterday tonight week weekend month year morning noon
afternoon evening night midnight spring summer autumn winter soon later ago next every daily`),
}

// placedBy reports whether words name a place, a time or a reason if a question asks for one.
func (q question) placedBy(words []english.Word) bool {
	tells := func(w english.Word) bool { return placing[q.asks][w.Plain] || q.asks == "when" && w.Number() }
	return placing[q.asks] == nil || slices.ContainsFunc(words, tells)
}
