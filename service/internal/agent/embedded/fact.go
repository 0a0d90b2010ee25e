package embedded

import "slices"

// fact is something that the user stated.
type fact struct {
	key key
	// subject is whom it tells of, nil for the user.
	subject key
	owners  []string // the part of the key that names an owner
	object  []string // the stems of what was said
	value   string   // what was said, where it can stand alone: "Anna"
	be      string   // the form of be between the two
	line    line     // the user's words
	weak    bool     // it may have meant something else
	// replaces tells that it corrects what was said before.
	replaces bool
	negated  bool
	past     bool
}

// reader reads facts in order, with what pronouns may refer to.
type reader struct {
	facts   []fact
	person  []token
	topic   *fact // what "it" may correct
	subject key   // of the clause that is read
	// corrected tells that the sentence corrects something.
	corrected bool
}

// statedIn gives the facts of the user's messages, and whom "she" or "it"
// means after them.
func statedIn(messages []message) ([]fact, []token) {
	var r reader
	for _, m := range messages {
		for _, s := range m.sentences {
			if s.unreal || s.mood == requests {
				continue
			}
			r.readSentence(m, s)
		}
		if r.topic != nil && r.topic.line.message.id != m.id {
			r.topic = nil
		}
	}
	return r.facts, r.person
}

func (r *reader) readSentence(m message, s sentence) {
	clauses := clausesOf(m, s)
	if s.mood == asks {
		clauses = statedBeforeQuestion(clauses)
	}
	if startsWith(s.tokens, reminders) > 0 {
		whole := line{m, s.span, s.tokens}
		r.facts = append(r.facts, fact{key: newKey(keyRemember), object: content(s.tokens), line: whole})
	}
	r.corrected = slices.ContainsFunc(s.tokens, func(t token) bool { return correctors[t.word] })
	for _, c := range clauses {
		first := stripped(c.tokens, fillers)
		if len(first) == 0 || interrogative(first) {
			continue
		}
		if suppositions[first[0].word] {
			return
		}
		r.readClause(c, first)
	}
}

// statedBeforeQuestion are the clauses before the question that ends a
// sentence, as in "My name is Anna, what is yours?".
func statedBeforeQuestion(clauses []clause) []clause {
	last := len(clauses) - 1
	if last < 1 || interrogative(stripped(clauses[0].tokens, wrappings)) || startsWith(clauses[0].tokens, wrappings) > 0 {
		return nil
	}
	if !interrogative(clauses[last].tokens) {
		return nil
	}
	return clauses[:last]
}

func (r *reader) readClause(c clause, ts []token) {
	r.subject = nil
	r.readApposed(c, ts)
	if r.readCallMe(c, ts) {
		return
	}
	f, ok := frameOf(ts)
	if !ok {
		r.readHere(c, ts)
		r.readCorrection(c, ts)
		return
	}
	switch first := f.subject[0].word; {
	case selfPronouns[first]:
		r.readFrame(c, f, nil, nil)
	case first == "this" && f.verb == stemBe && len(f.rest) > 0:
		r.readThisIs(c, f)
	case thingPronouns[first] && len(f.subject) == 1:
		r.readIt(c, f)
	case otherPronouns[first]:
		if f.verb == stemBe && len(f.rest) > 0 && ourOwn[f.rest[0].word] {
			r.meet(f.rest)
		}
		if len(r.person) > 0 {
			r.readFrame(c, f, newKey(content(r.person)...), content(r.person))
		}
	case !subjectPronoun(first):
		k, owners := r.subjectKey(f.subject)
		if len(k) > 0 {
			r.readFrame(c, f, k, owners)
			r.meet(f.subject)
		}
		if hasWord(f.subject, "i") { // "my wife and I"
			r.readFrame(c, f, nil, nil)
		}
	}
}

// subjectKey is the key of a subject. One that ends with its owner, as in "and
// my dad's is in July", has the noun of the topic.
func (r *reader) subjectKey(ts []token) (key, []string) {
	last := len(ts) - 1
	if ts[last].word != "'s" || last == 0 || r.topic == nil {
		return nounKey(ts, r.person)
	}
	owners := content(ts[:last])
	nouns := slices.DeleteFunc(slices.Clone(r.topic.key), func(part string) bool { return slices.Contains(r.topic.owners, part) })
	return nouns.with(owners...), owners
}

// readFrame reads what a clause tells of its subject, which is the user where
// the key is empty.
func (r *reader) readFrame(c clause, f frame, subject key, owners []string) {
	r.subject = nil
	r.readCalled(c, f.rest)
	r.subject = subject
	if f.verb == stemBe {
		r.readBe(c, f, subject, owners)
		return
	}
	r.readVerb(c, f, subject)
}

// add keeps a fact of a clause.
func (r *reader) add(c clause, f frame, made fact) {
	made.line = c.quotable()
	made.negated = made.negated != f.negated
	made.subject = r.subject
	made.past = made.past || f.past || f.unsure
	made.replaces = r.corrected
	r.facts = append(r.facts, made)
}

// meet remembers whom "she" or "it" may mean: the owner, if there is one.
func (r *reader) meet(ts []token) {
	if i := lastOwner(ts); i > 0 {
		ts = ts[:i]
	}
	if at, n := apposed(ts); n > 0 {
		ts = ts[:at]
	}
	if i := slices.IndexFunc(ts, func(t token) bool { return prepositions[t.word] }); i >= 0 && i+1 < len(ts) {
		ts = ts[i+1:]
	}
	if !possessives[ts[0].word] && len(content(ts)) > 0 {
		r.person = ts
	}
}
