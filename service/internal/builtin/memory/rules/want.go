package rules

// judgeWant judges wishes and plans: lasting ones are about the user's life, the others
// are requests.
func judgeWant(f frame) verdict {
	if f.negated && f.verb != "plan" || f.past && f.verb != "decide" && !(f.aspect == perfect) && f.verb != "plan" {
		return no
	}
	if f.verb == "rather" {
		return verdict{preference, 0.85}
	}
	confidence := 0.8
	switch f.verb {
	case "plan", "intend", "decide", "dream":
		confidence = 0.86
	case "need", "wish":
		confidence = 0.7
	}
	if f.verb == "plan" && f.next(0) == "on" && len(f.rest) > 2 && gerund(f.next(1)) {
		return f.pursues(lemma(f.next(1)), f.rest[2:], confidence)
	}
	if f.verb == "dream" && len(f.rest) > 2 && among(f.next(0), "of", "about") && gerund(f.next(1)) {
		return verdict{context, 0.88}
	}
	if f.next(0) != "to" || len(f.rest) < 2 {
		return f.wantsThing()
	}
	if f.next(1) == "be" && (among(f.next(2), "called", "addressed", "named", "known", "referred")) || f.next(1) == "go" && f.next(2) == "by" {
		return verdict{preference, 0.9}
	}
	if f.adverbs["always"] {
		return verdict{context, 0.85}
	}
	at := 1
	for at+1 < len(f.rest) && (among(f.next(at), "really", "finally", "start", "stop", "try")) {
		at++
	}
	verb := f.next(at)
	if at > 1 && gerund(verb) {
		verb = lemma(verb)
	}
	return f.pursues(verb, f.rest[at+1:], confidence)
}

// wantsThing judges "I want a dog".
func (f frame) wantsThing() verdict {
	p := f.object
	if f.verb == "want" && f.adverbs["always"] && p.head != "" && !p.pointed() {
		return verdict{preference, 0.75}
	}
	if among(f.verb, "want", "need") && small.has("answers", p.last()) && (among(p.det, "", "all") || f.lasting) && f.next(0) != "more" {
		return verdict{preference, 0.75}
	}
	if f.verb == "need" && !f.past && (p.ill() && p.head != "pain" || p.head == "surgery" || p.head == "glasses" && f.only) && !p.pointed() {
		return verdict{context, 0.72}
	}
	if f.only && !p.pointed() && (p.is("pet", "kin") || p.is("trade") && p.head == "job") && f.verb == "want" {
		return verdict{context, 0.75}
	}
	return no
}

// pursues judges an aim by its verb and its object.
func (f frame) pursues(verb string, rest []token, confidence float64) verdict {
	if !verbs.has("life", verb) {
		return no
	}
	p := phraseAt(rest)
	first := ""
	if len(rest) > 0 {
		first = rest[0].word
	}
	if p.pointed() || among(first, "it", "you") || p.quoted {
		return no
	}
	switch verb {
	case "become", "marry", "divorce", "retire", "graduate", "relocate", "emigrate", "adopt":
		return verdict{context, confidence + 0.08}
	case "move", "travel":
		if first == "on" || first == "the" && !among(p.head, "world", "country", "globe") || p.is("stop") {
			return no
		}
		return verdict{context, confidence + 0.06}
	case "learn", "study", "improve", "practice", "practise", "train":
		if among(first, "more", "about") || first == "how" && verb != "learn" || p.is("stop") && p.head != "mountain" || among(first, "what", "why", "if") {
			return no
		}
		return verdict{context, confidence + 0.05}
	case "lose", "quit", "save", "pass", "apply", "enroll", "join", "visit", "exercise", "volunteer", "conceive":
		if p.is("stop") && !f.restHas("weight") || verb == "save" && p.is("project") {
			return no
		}
		return verdict{context, confidence}
	}
	return f.undertakes(verb, first, p, confidence)
}

// undertakes judges verbs that tasks also use: "make", "get", "write". Their object must
// be a project of the user.
func (f frame) undertakes(verb, first string, p phrase, confidence float64) verdict {
	switch {
	case verb == "be":
		if p.role() && p.det != "the" {
			return verdict{context, confidence}
		}
	case verb == "change":
		if p.det == "my" && containsAny(p.words, "job", "jobs", "career", "careers", "major", "diet", "lifestyle", "habits", "life") || among(p.head, "job", "career") {
			return verdict{context, confidence}
		}
	case verb == "find":
		if p.is("kin") || containsAny(p.words, "job", "work", "apartment", "house", "love", "flat", "internship", "roommate", "home", "career") {
			return verdict{context, confidence}
		}
	case among(verb, "live", "own", "have") && f.restHas("someday", "day"):
		return verdict{context, confidence}
	case verb == "go":
		if phraseHeadAfter(first, f.rest) {
			return verdict{context, confidence}
		}
	case verb == "get" && (among(first, "married", "divorced", "fit") || first == "better" && f.restHas("at") || first == "into" && f.restHas("college", "university", "school", "shape") || first == "in" && f.restHas("shape") || among(first, "pregnant", "promoted", "healthy", "stronger")):
		return verdict{context, confidence}
	case verb == "eat" && (among(first, "healthier", "less", "more", "healthy")), verb == "sleep" && first == "better", verb == "stay" && first != "here":
		return verdict{context, confidence}
	case p.is("stop") && !p.is("pursuit"), p.det == "the" && !among(verb, "master", "climb", "play"):
	case p.is("pet", "trade", "kin") && p.head != "restaurant", p.is("project") && !among(verb, "play", "have", "get") && !among(p.head, "story", "essay", "trip", "game") || p.is("project") && f.verb == "plan":
		return verdict{context, confidence - 0.02}
	case p.is("pursuit") && verb != "write", p.is("thing") && (among(verb, "buy", "own", "build", "sell", "rent")):
		return verdict{context, confidence - 0.04}
	}
	return no
}

// phraseHeadAfter reports whether "go to …" names a school or a journey.
func phraseHeadAfter(first string, rest []token) bool {
	if first == "vegan" || gerund(first) || among(first, "vegetarian", "abroad", "back") {
		return true
	}
	for i, t := range rest {
		if t.word == "to" && i > 0 && i+1 < len(rest) && rest[i-1].word == "go" {
			n := rest[i+1]
			p := phraseAt(rest[i+1:])
			return n.capital || p.holds("trade") || small.has("activity", p.head)
		}
	}
	return false
}
