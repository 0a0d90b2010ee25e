package rules

// judgeMine judges statements about what the user has: "my wife is a nurse".
func judgeMine(f frame) verdict {
	p := f.owned
	switch {
	case among(f.modal, "could", "should", "would") || f.object.quoted && f.verb != "be" || p.head == "":
		return no
	case preferredPhrase(p):
		return f.judgePreferred()
	case p.attribute("passion"):
		if among(f.verb, "be", "include", "involve") && len(f.rest) > 0 && !f.object.pointed() {
			return verdict{preference, 0.93}
		}
		return no
	case p.attribute("aim"):
		if f.verb == "be" && len(f.rest) > 0 && !f.object.pointed() && (f.next(0) != "to" || verbs.any(f.next(1), "life", "progress") && !among(f.next(1), "find", "get", "see", "make")) {
			return verdict{context, 0.88}
		}
		return no
	case p.is("kin") || p.head == "old" && containsAny(p.words, "year", "month"):
		return f.judgeRelative()
	case p.is("pet") && p.head != "mouse":
		return f.judgeRelative()
	case p.attribute("attribute") && (among(f.verb, "be", "have", "require")):
		return f.judgeAttribute()
	case p.is("circle"):
		return f.judgeCircle()
	case p.is("stop"):
		return no
	case p.is("thing", "trade", "health"):
		return f.judgeBelonging()
	case p.is("project") && f.verb == "be" && f.next(0) == "about":
		return verdict{context, 0.78}
	case small.has("bodypart", p.head) && f.restHas("since", "months", "weeks", "years", "always", "often", "lately"):
		return verdict{context, 0.8}
	case f.only && f.verb == "be" && len(f.rest) > 0 && !f.broken() && (p.is("thing", "trade", "trait") || p.det == "my" && f.object.proper):
		return verdict{fact, 0.7}
	}
	return no
}

// attribute reports whether the head of the phrase is in a small list.
func (p phrase) attribute(section string) bool {
	last := p.last()
	return small.has(section, p.head) || small.has(section, last)
}

// judgePreferred judges "my favourite colour is green".
func (f frame) judgePreferred() verdict {
	if f.verb != "be" || f.past && f.owned.is("stop") || len(f.rest) == 0 || f.object.pointed() && f.object.head == "" || among(f.next(0), "this", "that") || among(f.object.head, "one", "ones") || f.object.listedItem() {
		return no
	}
	return verdict{preference, 0.96}
}

var preferred = setOf("favorite favourite fav fave preferred go-to favorites favourites favorit favrite favourit")

func preferredPhrase(p phrase) bool {
	for _, w := range p.words {
		if preferred[w] {
			return true
		}
	}
	return false
}

// judgeRelative judges statements about family and pets.
func (f frame) judgeRelative() verdict {
	if verbs.has("request", f.verb) && !among(f.verb, "want", "need", "get") || f.verb == "ask" || len(f.rest) == 0 && f.aspect == simple && !f.past {
		return no
	}
	switch {
	case f.object.pointed(), f.verb == "be" && len(f.rest) == 0, f.next(0) == "not" && len(f.rest) == 1:
		return no
	case f.verb == "pass" && f.next(0) == "away", f.verb == "die", f.verb == "want", f.verb == "need", f.aspect == progressive, f.aspect == ongoing, f.verb == "leave":
		return verdict{context, 0.85}
	case f.past && f.aspect == simple && !among(f.verb, "be", "work", "live"):
		if f.only {
			return verdict{fact, 0.8}
		}
		return verdict{context, 0.7}
	case f.verb == "be" && (adjectives.has("passing", f.next(0))):
		return no
	}
	return verdict{fact, 0.9}
}

// judgeAttribute judges "my name is", "my height is", "my job is".
func (f frame) judgeAttribute() verdict {
	head := f.owned.head
	switch {
	case len(f.rest) == 0 || f.object.pointed() || f.past && !f.only || f.broken():
		return no
	case among(head, "plan", "build") || head == "condition" && len(f.rest) < 2:
		return no
	}
	if among(head, "name", "nickname") {
		if f.negated && len(f.rest) > 3 || among(f.next(0), "on", "in", "a", "spelled", "wrong") {
			return no
		}
	}
	if head == "job" && (f.next(0) == "to" || adjectives.any(f.next(0), "trouble")) {
		return verdict{context, 0.7}
	}
	return verdict{fact, 0.95}
}

// broken reports whether a clause says that a thing does not work: a request for help.
func (f frame) broken() bool {
	return f.restHas("broken", "wrong", "correct", "incorrect", "declined", "blocked", "locked", "stolen", "lost", "missing", "working", "slow", "expired", "dead", "stuck", "flat", "frozen", "overdue", "ready", "due", "invalid", "misspelled") || f.negated && !among(f.verb, "be", "have")
}

// judgeCircle judges statements about colleagues, teachers and similar people: a worry
// of the user is context, the rest is about others.
func (f frame) judgeCircle() verdict {
	head := f.owned.head
	if f.only && f.verb == "be" && f.aspect == simple && len(f.rest) > 1 && head == "friend" {
		return verdict{fact, 0.65}
	}
	if among(head, "friend", "neighbor", "neighbour", "crush", "client", "customer") || verbs.has("request", f.verb) && !among(f.verb, "want", "expect") {
		return no
	}
	if f.aspect != simple || among(f.verb, "want", "expect") || f.verb == "be" && !f.past {
		return verdict{context, 0.75}
	}
	return no
}

// judgeBelonging judges "my laptop has 16 GB", "my company sells shoes".
func (f frame) judgeBelonging() verdict {
	if f.broken() || f.past && f.aspect == simple && !f.only || f.modal != "" || len(f.rest) == 0 || f.object.pointed() || f.aspect == progressive && !f.owned.is("trade") {
		return no
	}
	if f.verb == "be" && (adjectives.has("passing", f.next(0)) || participle(f.next(0)) && !among(f.next(0), "called", "named", "built", "located")) && !f.owned.is("health") {
		return no
	}
	switch f.verb {
	case "be", "have", "run", "sell", "make", "offer", "use", "grow", "contain", "specialize", "support", "provide", "consist", "build", "require":
		return verdict{fact, 0.85}
	}
	if f.owned.is("trade") && f.aspect != simple {
		return verdict{context, 0.75}
	}
	return no
}
