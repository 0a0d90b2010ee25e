package embedded

import (
	"slices"
	"strings"
)

// readBe reads "X is Y": as what X is, as what can be told of a person, and,
// for "Ana is my sister", as what my sister is.
func (r *reader) readBe(c clause, f frame, subject key, owners []string) {
	if len(f.rest) == 0 {
		return
	}
	if len(subject) > 0 {
		r.readAttribute(c, f, subject, owners)
	}
	if !subject.grouped() && !f.unsure {
		for i, part := range segments(f.rest) {
			r.readPerson(c, f, subject, part, i == 0)
		}
	}
	if len(subject) > 0 && (ourOwn[f.rest[0].word] || possessives[f.rest[0].word]) && !f.negated {
		noun := segments(f.rest)[0]
		k, owners := nounKey(noun, r.person)
		text := written(c, f.subject)
		r.add(c, f, fact{key: k, owners: owners, object: content(f.subject), value: text, be: f.be})
		if isName(f.subject) && !k.grouped() {
			r.add(c, f, fact{key: k.with(keyName), owners: k, object: content(f.subject), value: text, be: "is"})
		}
		r.meet(noun)
	}
}

func (r *reader) readAttribute(c clause, f frame, subject key, owners []string) {
	made := fact{key: subject, owners: owners, object: f.object(), value: valueText(c, f.rest), be: f.be}
	if subject.has(keyName) || subject.has(keyNick) || subject.has(keySurname) {
		made.value = nameText(c, f.rest)
	}
	if f.unsure {
		made.value = ""
	}
	r.add(c, f, made)
	r.topic = &fact{}
	*r.topic = r.facts[len(r.facts)-1]
}

// segments cuts at pauses: "I'm Anna, 34, from Lyon" is three.
func segments(ts []token) [][]token {
	var parts [][]token
	start := 0
	for i := range ts {
		if i > start && ts[i].pause {
			parts = append(parts, ts[start:i])
			start = i
		}
	}
	return append(parts, ts[start:])
}

// readPerson reads what follows "I am" or "my sister is".
func (r *reader) readPerson(c clause, f frame, subject key, ts []token, first bool) {
	tell := func(group string) {
		r.add(c, f, fact{key: subject.with(group), owners: subject, object: content(ts)})
	}
	tell(keyBe)
	switch word := ts[0].word; {
	case number(ts[0]):
		if len(ts) == 1 || ageFollowers[ts[1].word] {
			tell(keyAge)
		}
	case word == "from":
		tell(keyOrigin)
	case articles[word]:
		r.readRole(ts, tell)
	case namesOfOrigin[ts[0].stem]:
		tell(keyNation)
	case first:
		if name, weak := introducedName(ts); name > 0 && (len(subject) == 0 || !weak) {
			r.add(c, f, fact{key: subject.with(keyName), owners: subject, object: content(ts[:name]), value: written(c, ts[:name]), be: "is", weak: weak})
		}
	}
	if at := slices.IndexFunc(ts, func(t token) bool { return t.word == "from" }); at > 0 && len(ts) > at+1 {
		tell(keyOrigin)
	}
}

// readRole reads "a nurse at the hospital".
func (r *reader) readRole(ts []token, tell func(string)) {
	head := ts
	if i := slices.IndexFunc(ts, func(t token) bool { return prepositions[t.word] || asking[t.word] || t.word == "that" }); i > 0 {
		head = ts[:i]
	}
	for _, stem := range content(head) {
		if noJobs[stem] || faiths[stem] || adverbs[stem] {
			return
		}
		if namesOfOrigin[stem] && len(content(head)) == 1 {
			tell(keyNation)
			return
		}
	}
	if len(content(head)) == 0 {
		return
	}
	if aged(ts) {
		tell(keyAge)
	}
	tell(keyJob)
	if len(head) < len(ts) && hasWord(ts[len(head):len(head)+1], "at", "for", "in", "with") {
		tell(keyWork)
	}
}

// aged tells "a 29-year-old nurse" and "a 29 year old nurse".
func aged(ts []token) bool {
	for i, t := range ts {
		if number(t) && (strings.Contains(t.word, "year") || i+2 < len(ts) && ts[i+1].stem == "year" && ts[i+2].word == "old") {
			return true
		}
	}
	return false
}

// readVerb reads "X does Y".
func (r *reader) readVerb(c clause, f frame, subject key) {
	f.negated = f.negated != dislikes[f.verb]
	groups := verbKeys(f)
	structural := groups[0] == keyHome || groups[0] == keyWork || groups[0] == keyJob || groups[0] == keyName
	if structural && f.unsure {
		return
	}
	for _, group := range groups {
		made := fact{key: subject.with(group), owners: subject, object: f.object()}
		if group == keyName || group == keyNick {
			made.value, made.be = nameText(c, f.rest), "is"
		}
		r.add(c, f, made)
	}
	if f.verb == stemHave || verbGroups[f.verb] == keyHave {
		r.meetThing(f.rest)
		r.readAfterPause(c, f.rest)
	}
}

// verbKeys are the keys of what a verb with what follows it tells.
func verbKeys(f frame) []string {
	next := ""
	if len(f.rest) > 0 {
		next = f.rest[0].word
	}
	switch group := verbGroups[f.verb]; {
	case f.verb == stemOf("move") && hasWord(f.rest, "to"):
		return []string{keyHome, f.verb}
	case group == keyWork && hasWord(f.rest, "as"):
		return []string{keyJob, keyWork}
	case f.verb == stemOf("come") && next == "from", f.verb == stemOf("hail"), f.verb == stemOf("grow") && next == "up":
		return []string{keyOrigin, f.verb}
	case f.verb == stemOf("go") && next == "by":
		return []string{keyNick}
	case f.verb == stemOf("turn") && len(f.rest) > 0 && number(f.rest[0]):
		return []string{keyAge, f.verb}
	case f.verb == stemHave && next == "to":
		return []string{"have to"}
	case group == keyName && !f.passive:
		return []string{f.verb}
	case group == keyHave, group == keyLike:
		return []string{group}
	case group != "":
		return []string{group, f.verb}
	}
	return []string{f.verb}
}

// meetThing lets "it" and "her" mean what somebody has: "I have a dog. Its
// name is Rex."
func (r *reader) meetThing(ts []token) {
	if len(ts) < 2 || !determiners[ts[0].word] && !number(ts[0]) {
		return
	}
	end := slices.IndexFunc(ts, func(t token) bool {
		return prepositions[t.word] || passive(t) || asking[t.word] || conjunctions[t.word] || t.word == "that" || t.pause
	})
	if end < 0 {
		end = len(ts)
	}
	if end > 1 {
		r.person = ts[end-1 : end]
	}
}

func number(t token) bool {
	return numberWords[strings.Split(t.word, "-")[0]] || t.word != "" && t.word[0] >= '0' && t.word[0] <= '9'
}
