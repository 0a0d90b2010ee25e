package embedded

import "slices"

// fromNoun asks for what a noun is.
func (q query) fromNoun(ts, person []token) query {
	ts = trimmedTail(ts)
	for len(ts) > 1 && (ts[len(ts)-1].word == "called" || ts[len(ts)-1].word == "named") {
		q.called, ts = true, ts[:len(ts)-1]
	}
	if at, n := apposed(ts); q.closed && n > 0 {
		ts = ts[:at]
	}
	q.noun = ts
	k, _ := nounKey(ts, person)
	q.you = len(ts) > 0 && (ts[0].word == "you" || ts[0].word == "your" || ts[0].word == "yours")
	switch {
	case q.called:
		k = k.with(keyName)
	case q.quality == "old":
		k = k.with(keyAge)
	case len(q.kind) > 0:
		k = k.with(q.kind...)
	case q.quality != "" && q.quality != "many" && q.quality != "much":
		k = k.with(q.quality)
	}
	q.keys = instead(k)
	if !k.grouped() && q.asking != "when" && q.asking != "where" {
		q.keys = append(q.keys, k.with(keyName))
	}
	return q
}

// guesses are the query and, for "is my name Bob", those without what was
// guessed: "is my name". They keep the noun that follows an owner.
func (q query) guesses(person []token) []query {
	all := []query{q}
	if len(q.kind) > 0 && len(q.noun) > 0 {
		bare := q
		bare.kind, bare.near = nil, true
		all = append(all, bare.fromNoun(q.noun, person))
	}
	if !q.closed {
		return all
	}
	for n := len(q.noun) - 1; n > 0 && q.noun[n-1].word != "'s"; n-- {
		if k, _ := nounKey(q.noun[:n], person); len(k) > 0 {
			all = append(all, q.fromNoun(q.noun[:n], person))
		}
	}
	return all
}

// fromFrame asks for what somebody does or is.
func (q query) fromFrame(f frame, person []token) query {
	if len(f.subject) == 0 {
		return q
	}
	var subject key
	switch first := f.subject[0].word; {
	case f.verb == stemCall && hasWord(f.rest, "me"): // whoever does
	case first == "you":
		q.you = true
	case otherPronouns[first], thingPronouns[first] && len(f.subject) == 1:
		subject = newKey(content(person)...)
		if len(subject) == 0 {
			subject = newKey(first)
		}
	case selfPronouns[first]:
		q.self = true
	default:
		subject, _ = nounKey(f.subject, person)
	}
	q.negated = f.negated != dislikes[f.verb]
	q.objects = append(content(trimmedTail(f.rest)), content(f.lead)...)
	q.either = slices.ContainsFunc(f.rest, func(t token) bool { return t.word == "or" })
	for _, group := range q.groups(f) {
		q.keys = append(q.keys, instead(subject.with(group))...)
		if group == keyHave && len(q.kind) > 0 {
			q.keys = append(q.keys, subject.with(q.kind...))
		}
	}
	return q
}

// groups are what the verb of a question asks for.
func (q *query) groups(f frame) []string {
	switch {
	case f.verb == stemBe && q.quality == "old":
		return []string{keyAge}
	case f.verb == stemBe && len(f.rest) > 0 && f.rest[0].word == "from":
		return []string{keyOrigin}
	case f.verb == stemBe && len(q.objects) == 0 && q.asking == "who":
		return []string{keyName}
	case f.verb == stemBe && len(q.objects) == 0 && q.asking == "what":
		return []string{keyJob, keyBe}
	case f.verb == stemBe:
		if q.quality != "" {
			q.objects = append(q.objects, q.quality)
		}
		if q.asking == "" && isName(f.rest) {
			return []string{keyName}
		}
		return []string{keyBe}
	case f.verb == stemOf("do") && newKey(q.objects...).within(jobWords):
		q.objects = nil
		return []string{keyJob, f.verb}
	case f.verb == stemCall && hasWord(f.rest, "me"):
		q.objects = nil
		return []string{keyNick}
	}
	return verbKeys(f)
}

var jobWords = []string{stemOf("living"), stemOf("work"), stemOf("job"), stemOf("day"), stemOf("profession"), stemOf("life")}

// instead adds to a key what answers where nothing was said under it.
func instead(k key) []key {
	all := []key{k}
	for _, row := range substitutes {
		if !k.has(row[0]) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(k), func(part string) bool { return part == row[0] })
		for _, group := range row[1:] {
			all = append(all, rest.with(group))
		}
		return all
	}
	return all
}

var substitutes = [][]string{
	{keyName, keyNick}, {keyNick, keyName}, {keySurname, keyName}, {keyJob, keyWork}, {keyOrigin, keyBirth, keyNation},
	{keyNation, keyOrigin}, {stemOf("city"), keyHome}, {stemOf("town"), keyHome}, {stemOf("country"), keyHome, keyOrigin},
}
