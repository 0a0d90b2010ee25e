package embedded

import "slices"

// singular are the groups of which the latest statement alone counts; of the
// others several hold at once.
var singular = words("~name ~surname ~nick ~age ~home ~job ~work ~origin ~birth ~nation")

func singularKey(k key) bool {
	return slices.ContainsFunc(k, func(part string) bool { return singular[part] })
}

// enough is how many statements an answer quotes.
const enough = 5

// choose leaves the facts that hold: the latest where there can be but one, and
// nothing that was taken back.
func (q query) choose(facts []fact, k key) []fact {
	if len(facts) == 0 {
		return nil
	}
	if q.approved {
		return q.holding(facts)
	}
	if len(q.noun) > 0 && !k.has(keyLike) && !k.has(keyHave) || singularKey(k) {
		return q.latestOfEach(facts)
	}
	if q.asking == "" {
		return facts[len(facts)-1:]
	}
	return q.standing(facts, k)
}

// holding are the approved facts of the asked sense, the contrary ones where there are no others.
func (q query) holding(facts []fact) []fact {
	for _, pass := range []func(fact) bool{
		func(f fact) bool { return f.negated == q.negated && f.past == q.past },
		func(f fact) bool { return f.negated == q.negated },
		func(fact) bool { return true },
	} {
		own := slices.DeleteFunc(slices.Clone(facts), func(f fact) bool { return !pass(f) })
		if len(own) > 0 {
			return own[max(0, len(own)-enough):]
		}
	}
	return nil
}

// latestOfEach is the latest fact of each key that was found: one, if it is
// known what is asked for, more for "the names of my pets".
func (q query) latestOfEach(facts []fact) []fact {
	if q.asking == "when" || q.asking == "where" { // the keys are of one subject
		return []fact{q.latest(facts)}
	}
	var all []fact
	for len(facts) > 0 && len(all) < enough {
		same := func(f fact) bool { return slices.Equal(f.key, facts[0].key) }
		var own []fact
		for _, f := range facts {
			if same(f) {
				own = append(own, f)
			}
		}
		all = append(all, q.latest(own))
		facts = slices.DeleteFunc(slices.Clone(facts), same)
	}
	return all
}

// latest is the last fact that holds, the last at all if none does.
func (q query) latest(facts []fact) fact {
	holds := []func(fact) bool{
		func(f fact) bool { return !f.negated && f.past && q.past },
		func(f fact) bool { return !f.negated && !f.weak && !f.past },
		func(f fact) bool { return !f.negated && !f.past },
		func(f fact) bool { return !f.negated },
	}
	for _, pass := range holds {
		for i := len(facts) - 1; i >= 0; i-- {
			if pass(facts[i]) && !takenBack(facts[i], facts[i+1:]) {
				return facts[i]
			}
		}
	}
	return facts[len(facts)-1]
}

// takenBack tells whether a later fact says the contrary of the same thing.
func takenBack(f fact, later []fact) bool {
	return slices.ContainsFunc(later, func(l fact) bool {
		return l.negated != f.negated && (newKey(f.object...).within(l.object) || newKey(l.object...).within(f.object))
	})
}

// standing are the facts of the asked sense that were not taken back.
func (q query) standing(facts []fact, k key) []fact {
	var all []fact
	for i, f := range facts {
		if f.negated != q.negated || takenBack(f, facts[i+1:]) {
			continue
		}
		if f.replaces && !k.has(keyLike) && !k.has(keyHave) {
			all = nil
		}
		all = append(all, f)
	}
	ofKind := slices.DeleteFunc(slices.Clone(all), func(f fact) bool { return !sayAll(f, q.kind) })
	if !newKey(q.kind...).within(k) && (len(ofKind) > 0 || q.quality != "" || k.has(keyHave)) {
		all = ofKind
	}
	return all[max(0, len(all)-enough):]
}
