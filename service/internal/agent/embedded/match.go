package embedded

import "slices"

// match tells how well a fact answers a key.
type match int

const (
	noMatch match = iota
	looseMatch
	valueMatch
	partMatch
	fullMatch
)

// answers are the facts that a key asks for, oldest first.
func (q query) answers(facts []fact, k key) []fact {
	var found []fact
	best := noMatch
	for _, f := range facts {
		m := q.match(f, k)
		if m == noMatch || m < best || !q.fits(f.line.tokens, k) {
			continue
		}
		if m > best {
			found, best = nil, m
		}
		found = append(found, f)
	}
	return q.choose(found, k)
}

func (q query) match(f fact, k key) match {
	switch {
	case len(q.noun) > 0 && (q.asking == "when" || q.asking == "where") && slices.Equal(f.subject, k):
		return fullMatch
	case slices.Equal(f.key, k):
		if !q.says(f, k) {
			return noMatch
		}
		return fullMatch
	case len(q.noun) == 0:
		return noMatch
	case slices.Equal(f.key.general(), k):
		return valueMatch
	case f.key.within(k) && k.within(f.key, f.object):
		return partMatch
	case f.value != "" && (slices.Equal(newKey(f.object...), k) || f.key.has(keyName) && k.within(f.object)):
		return valueMatch
	case !k.grouped() && k.within(f.key) && !f.key.grouped() && !owned(f.key, f.owners, k):
		return looseMatch
	}
	return noMatch
}

// general puts the kind in the place of its members: what is said of a cat is
// said of a pet.
func (k key) general() key {
	all := slices.Clone(k)
	for i, part := range all {
		if kind := kinds[part]; kind != "" {
			all[i] = kind
		}
	}
	return newKey(all...)
}

// owned tells whether what a key has more than another is an owner.
func owned(more key, owners []string, k key) bool {
	return slices.ContainsFunc(more, func(part string) bool { return !k.has(part) && slices.Contains(owners, part) })
}

// says tells whether a fact holds what the question names: "do I like tea" asks
// for tea.
func (q query) says(f fact, k key) bool {
	if singularKey(k) {
		return true
	}
	if q.either {
		return slices.ContainsFunc(q.objects, func(object string) bool { return sayAll(f, []string{object}) })
	}
	return sayAll(f, q.objects)
}

func sayAll(f fact, objects []string) bool {
	for _, object := range objects {
		if !slices.ContainsFunc(f.object, func(said string) bool { return said == object || kinds[said] == object || kinds[object] == said }) {
			return false
		}
	}
	return true
}

// kinds tells what some things are, as far as people ask for it.
var kinds = func() map[string]string {
	all := map[string]string{}
	for kind, members := range map[string]string{
		"pet":     "dog cat bird hamster rabbit fish parrot turtle horse snake puppy kitten guinea",
		"sibling": "brother sister twin",
		"child":   "son daughter baby",
		"parent":  "mother father",
	} {
		for member := range stems(members) {
			all[member] = kind
		}
	}
	return all
}()

// fits tells whether words can answer "when", "where" and "how many".
func (q query) fits(ts []token, k key) bool {
	has := func(pass func(token) bool) bool { return slices.ContainsFunc(ts, pass) }
	switch {
	case q.asking == "when":
		return has(func(t token) bool { return number(t) || timeWords[t.stem] })
	case q.asking == "where":
		return tellsPlace(ts) || k.has(keyWork) && hasWord(ts, "for") && !hasWord(ts, "as")
	case q.quality == "many", q.quality == "much", q.quality == "old":
		return has(func(t token) bool { return number(t) || articles[t.word] || t.word == "no" })
	}
	return true
}

// tellsPlace tells "in the garden" from "in May" and "at 5".
func tellsPlace(ts []token) bool {
	for i, t := range ts {
		last := i+1 == len(ts)
		switch {
		case placeGroups[nounGroups[t.stem]], namesOfOrigin[t.stem], last && placeWords[t.word]:
			return true
		case !last && placeWords[t.word]:
			at := ts[i+1]
			alone := i+2 == len(ts) || ts[i+2].pause || prepositions[ts[i+2].word] || timeWords[ts[i+2].stem]
			if !timeWords[at.stem] && !(number(at) && alone) {
				return true
			}
		}
	}
	return false
}

// placeGroups are the groups that tell a place.
var placeGroups = words("~home ~work ~origin")
