package rules

// judgePast judges the simple past: big events of a life, not of a day.
func judgePast(f frame) verdict {
	p := f.object
	first := f.next(0)
	if f.modal == "used to" {
		return f.judgeFormer()
	}
	if f.verb == "turn" && number(first) && len(first) < 4 {
		return verdict{fact, 0.88}
	}
	if f.adverbs["never"] && f.verb == "learn" && among(first, "to", "how") && len(f.rest) > 1 && verbs.any(f.rest[len(f.rest)-1].word, "ability", "habit") {
		return verdict{fact, 0.85}
	}
	if f.negated || p.pointed() && f.verb != "break" || p.quoted || f.adverbs["almost"] || f.modal != "" {
		return no
	}
	if rule, ok := turns[f.verb]; ok {
		return rule(f)
	}
	return f.judgeTurn(p, first)
}

// turns are the rules for verbs of big events in a life, or of what it was like.
var turns = map[string]func(frame) verdict{
	"graduate": frame.judgeOrigin, "major": frame.judgeOrigin, "emigrate": frame.judgeOrigin, "immigrate": frame.judgeOrigin, "grow": frame.judgeOrigin,
	"retire": frame.judgeLeap, "marry": frame.judgeLeap, "divorce": frame.judgeLeap, "relocate": frame.judgeLeap, "separate": frame.judgeLeap, "enroll": frame.judgeLeap,
	"enrol": frame.judgeLeap, "convert": frame.judgeLeap, "move": frame.judgeLeap, "quit": frame.judgeLeap, "drop": frame.judgeLeap, "leave": frame.judgeLeap, "fall": frame.judgeLeap,
	"live": frame.judgeLived, "work": frame.judgeLived, "teach": frame.judgeLived, "serve": frame.judgeLived, "study": frame.judgeLived, "go": frame.judgeWent,
}

// judgeOrigin judges "I graduated from …", "I grew up in …".
func (f frame) judgeOrigin() verdict {
	switch {
	case f.verb == "grow" && f.next(0) != "up":
		return no
	case f.adverbs["just"] || f.adverbs["recently"] || f.verb == "graduate" && f.restHas("recently", "month", "week", "yesterday"):
		return verdict{context, 0.9}
	}
	return verdict{fact, 0.95}
}

// judgeLeap judges "I moved to Lyon", "I quit my job".
func (f frame) judgeLeap() verdict {
	first, p := f.next(0), f.object
	ok := true
	switch f.verb {
	case "move":
		ok = among(first, "to", "from", "in", "out", "here", "into", "back")
	case "drop":
		ok = first == "out"
	case "leave":
		ok = p.is("trade", "kin", "pursuit") || among(first, "school", "home")
	case "fall":
		ok = first == "in" && f.next(1) == "love"
	}
	if !ok {
		return no
	}
	return verdict{context, 0.9}
}

// judgeLived judges "I lived in Kent", "I studied law".
func (f frame) judgeLived() verdict {
	if f.restHas("today", "yesterday") && f.verb == "study" || !f.only && f.verb != "study" && (len(f.rest) < 2 || among(f.next(0), "on", "with")) {
		return no
	}
	return verdict{fact, 0.82}
}

// judgeFormer judges "I used to …".
func (f frame) judgeFormer() verdict {
	p := f.object
	if p.pointed() || f.restHas("you") || len(f.rest) == 0 && !f.only {
		return no
	}
	if verbs.any(f.verb, "factual", "habit", "like") || among(f.verb, "be", "have") {
		if verbs.has("like", f.verb) {
			return verdict{preference, 0.8}
		}
		if f.verb == "be" && !p.role() && !f.only || f.verb == "have" && !p.is("kin", "pet", "thing", "trade", "health") {
			return no
		}
		return verdict{fact, 0.85}
	}
	return no
}

// judgeWent judges "I went to MIT", not "I went to the library".
func (f frame) judgeWent() verdict {
	first := f.next(0)
	switch {
	case first == "through" && len(f.rest) > 2, among(first, "vegan", "vegetarian", "blind", "deaf"):
		return verdict{context, 0.82}
	case first != "to" || len(f.rest) < 2:
		return no
	}
	p := phraseAt(f.rest[1:])
	if among(p.head, "college", "university", "school", "mit", "harvard") && p.det != "the" {
		return verdict{fact, 0.85}
	}
	if f.rest[1].capital && f.only {
		return verdict{context, 0.75}
	}
	return no
}

// judgeTurn judges events by their object.
func (f frame) judgeTurn(p phrase, first string) verdict {
	if !verbs.has("event", f.verb) && !among(f.verb, "get", "have", "play") {
		return no
	}
	switch f.verb {
	case "lose":
		if p.is("trade", "kin", "pet") && p.head != "license" || small.has("bodypart", p.head) || f.restHas("weight", "kilos", "pounds", "kg", "lbs", "hearing", "sight") {
			return verdict{context, 0.92}
		}
		return no
	case "get":
		if passiveEvent[first] || among(first, "married", "divorced", "engaged", "pregnant") || first == "into" && f.restHas("college", "university", "school") {
			return verdict{context, 0.9}
		}
		if first == "into" && len(f.rest) > 1 && !phraseAt(f.rest[1:]).pointed() && phraseAt(f.rest[1:]).det == "" {
			return verdict{preference, 0.82}
		}
		if p.is("pet", "trade") && p.head != "degree" && p.det != "the" || p.head == "scholarship" {
			return verdict{context, 0.82}
		}
		if p.is("trade") && p.det != "the" {
			return verdict{fact, 0.85}
		}
		return no
	case "break":
		if first == "up" || among(p.head, "leg", "arm") || small.has("bodypart", p.head) {
			return verdict{context, 0.9}
		}
		return no
	case "start", "begin", "stop":
		if p.is("trade", "project", "event") && !p.is("stop") || small.has("activity", p.head) || among(first, "learning", "studying", "dating") || first == "working" && f.next(1) != "on" || first == "taking" || f.pursuing(first) {
			return verdict{context, 0.88}
		}
		return no
	case "meet", "fail", "pass", "win", "finish", "inherit", "earn", "sell", "buy", "open", "found", "publish", "receive", "join", "switch", "injure", "tear", "sprain", "fracture", "become", "launch", "attend", "apply", "write", "leave", "adopt", "migrate", "argue", "fight", "visit", "play", "raise":
		return f.judgeOutcome(p, first)
	}
	return no
}

// pursuing reports whether a gerund names something that people take up.
func (f frame) pursuing(first string) bool {
	return gerund(first) && (verbs.has("habit", lemma(first)) || verbs.has("progress", lemma(first))) && !f.restHas("this", "that", "it", "the") && !phraseAt(f.rest[1:]).is("stop")
}

func (f frame) judgeOutcome(p phrase, first string) verdict {
	switch {
	case f.verb == "become" && first == "interested" || f.verb == "become" && first == "obsessed":
		return verdict{preference, 0.85}
	case f.verb == "become" && p.role(), f.verb == "switch" && first == "to" && len(f.rest) > 1:
		return verdict{context, 0.85}
	case among(f.verb, "argue", "fight"):
		if first == "with" && phraseAt(f.rest[1:]).is("kin", "circle") {
			return verdict{context, 0.85}
		}
		return no
	case among(f.verb, "migrate", "injure", "sprain", "fracture", "tear"):
		return verdict{context, 0.85}
	case among(f.verb, "buy", "sell", "inherit"):
		if p.is("thing", "pet", "trade") && !among(p.head, "book", "ticket") && p.det != "the" && (p.det != "" || f.only) && !p.is("stop") {
			return verdict{context, 0.82}
		}
		return no
	case p.is("stop"):
		return no
	case p.is("trade", "kin", "event") && (among(p.det, "my", "a", "an") || f.only):
		return verdict{context, 0.85}
	case f.verb == "write" && p.is("project") && f.only, f.verb == "join" && p.det != "the":
		return verdict{context, 0.78}
	}
	return no
}

// judgePerfect judges "I've lived here for years", "I've never used Rust".
func judgePerfect(f frame) verdict {
	p := f.object
	switch {
	case f.modal != "" || p.pointed() || p.quoted || f.restHas("error", "question"):
		return no
	case verbs.has("like", f.verb):
		return verdict{preference, 0.9}
	case f.verb == "want":
		if f.next(0) == "to" && (f.adverbs["always"] || f.restHas("years")) {
			return verdict{context, 0.88}
		}
		return no
	case f.verb == "decide":
		return judgeWant(f)
	case f.adverbs["never"]:
		if tried[f.verb] && p.det != "the" && !p.is("stop") && f.verb != "be" && f.next(0) != "to" || f.verb == "be" && (among(f.next(0), "to", "out", "on", "in")) {
			return verdict{fact, 0.82}
		}
		return no
	case f.negated && tried[f.verb] && p.head != "" && f.restHas("years", "months", "since", "weeks"):
		return verdict{fact, 0.82}
	case verbs.has("request", f.verb) || f.negated || p.is("stop") && !p.is("project"):
		return no
	}
	return f.judgeDone()
}

// judgeDone judges what somebody has done: "I've worked as a nurse".
func (f frame) judgeDone() verdict {
	p := f.object
	switch {
	case among(f.verb, "read", "watch", "play"):
		if p.proper || f.only {
			return verdict{preference, 0.7}
		}
		return no
	case verbs.has("factual", f.verb) && p.det != "the" && f.next(0) != "on", f.verb == "know" && p.is("kin", "circle"):
		return verdict{fact, 0.88}
	case among(f.verb, "start", "begin", "stop"):
		if f.takenUp() || p.is("trade", "project") {
			return verdict{context, 0.85}
		}
		return no
	case f.verb == "go":
		return no
	}
	if v := judgePast(f); v != no {
		return v
	}
	if f.only && verbs.has("habit", f.verb) && p.det != "the" {
		return verdict{fact, 0.7}
	}
	return no
}

// takenUp reports whether "started" is followed by something that people take up.
func (f frame) takenUp() bool {
	verb := f.next(0)
	if gerund(verb) {
		return verbs.any(lemma(verb), "habit", "progress")
	}
	return verb == "to" && len(f.rest) > 2 && verbs.any(f.next(1), "habit", "progress") && !among(f.next(1), "get", "see", "feel")
}

// tried are the verbs of "I have never …".
var tried = setOf(`be use have play learn eat drink drive fly travel own work live study code program cook write visit leave smoke swim ski bake paint date
marry run kiss meet do smoked try break`)

// judgeAble judges "I can speak Italian", "I can't eat gluten".
func judgeAble(f frame) verdict {
	p := f.object
	switch {
	case f.modal == "would" && f.verb == "rather":
		return f.judgeRather()
	case f.modal != "can" || p.pointed() || p.quoted || p.is("stop") || p.det == "the" && !nouns.has("generic", p.head):
		return no
	case f.restHas("this", "that", "it", "you"):
		return no
	case f.negated && f.verb == "live" && f.next(0) == "without":
		return verdict{preference, 0.88}
	case f.verb == "sleep":
		if f.restHas("lately", "night", "nights", "weeks") || f.habitual() {
			return verdict{context, 0.8}
		}
		return no
	case f.negated && (among(f.verb, "see", "run", "hear", "write", "type", "read", "touch", "have")):
		if f.verb == "have" && (among(p.head, "dairy", "gluten") || p.is("kin", "pet")) || f.verb == "hear" && f.only || f.restHas("wheelchair", "glasses", "ear", "eye") {
			return verdict{fact, 0.85}
		}
		return no
	case f.verb == "work" && f.adverbs["only"] && len(f.rest) > 0:
		return verdict{fact, 0.75}
	case verbs.has("ability", f.verb) && (f.negated || ableTo[f.verb] || f.only) && (f.negated || !among(f.verb, "run", "read", "see")):
		return verdict{fact, 0.88}
	}
	return no
}

// ableTo are verbs that name a skill even without a "not".
var ableTo = setOf("speak play swim cook bench juggle knit sew ski lift")
