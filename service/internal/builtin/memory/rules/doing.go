package rules

import "strings"

// judgeDoing judges "I am writing …" and "I have been learning …".
func judgeDoing(f frame) verdict {
	if f.modal == "will" && f.aspect == progressive && f.dated() && travels[f.verb] {
		return verdict{context, 0.82}
	}
	if f.past && f.aspect == progressive || f.modal != "" {
		return no // "I was thinking" is about the moment
	}
	if rule, ok := doings[f.verb]; ok {
		return rule(f)
	}
	return f.judgeActivity()
}

// doings are the rules for verbs that mean little without the words after them.
var doings = map[string]func(frame) verdict{}

func init() {
	for _, r := range []struct {
		rule  func(frame) verdict
		verbs []string
	}{
		{frame.judgeSearch, []string{"look", "search", "hunt", "seek"}},
		{frame.judgePlan, []string{"try", "plan", "go", "hope", "aim", "want", "dream", "prepare", "intend"}},
		{frame.judgeThought, []string{"think", "consider", "contemplate"}},
		{frame.judgeHaving, []string{"have"}},
		{frame.judgeFeeling, []string{"feel"}},
		{frame.judgeUsing, []string{"use", "run"}},
		{frame.judgeLiving, []string{"live", "reside", "rent", "teach", "attend", "major", "drive", "speak"}},
		{frame.judgeWorking, []string{"work"}},
		{frame.judgeStudying, []string{"study"}},
		{frame.judgeStruggle, []string{"struggle", "suffer", "deal", "cope", "recover", "battle"}},
		{frame.judgeGetting, []string{"get"}},
		{frame.judgeExpecting, []string{"expect", "turn"}},
		{frame.judgeMaking, []string{"make", "do", "create", "see", "read", "watch", "add", "take", "play", "test", "be", "keep", "buy", "sell", "start", "write"}},
	} {
		for _, verb := range r.verbs {
			doings[verb] = r.rule
		}
	}
}

// judgeUsing judges "I'm using Linux".
func (f frame) judgeUsing() verdict {
	if f.usable(f.object) {
		return verdict{fact, 0.78}
	}
	return no
}

// judgeLiving judges "I'm living in Oslo".
func (f frame) judgeLiving() verdict {
	switch p := f.object; {
	case p.is("stop"):
		return no
	case p.is("event") && p.head != "school":
		return verdict{context, 0.85}
	}
	return verdict{fact, 0.92}
}

// judgeStudying judges "I'm studying law", "studying for an exam".
func (f frame) judgeStudying() verdict {
	switch {
	case f.next(0) == "for" || f.aspect == ongoing:
		return verdict{context, 0.92}
	case f.object.pointed():
		return no
	}
	return verdict{fact, 0.92}
}

// judgeExpecting judges "I'm expecting twins", "I'm turning 18".
func (f frame) judgeExpecting() verdict {
	switch {
	case f.verb == "turn" && number(f.next(0)):
		return verdict{fact, 0.88}
	case f.verb == "expect" && (f.object.is("kin") || f.restHas("child", "baby", "twins", "triplets", "girl", "boy")):
		return verdict{context, 0.95}
	}
	return no
}

// travels are verbs of coming and going, whose future is a plan.
var travels = setOf("travel move visit fly go start attend leave drive get study work")

// judgeActivity judges the progressive of what people do over weeks.
func (f frame) judgeActivity() verdict {
	p := f.object
	if f.verb == "learn" && f.aspect == progressive && (f.next(0) == "about" || f.next(0) == "how" && !f.only) {
		return no
	}
	if p.pointed() || p.is("stop") && !p.is("project") || f.restHas("code", "error", "function", "you") {
		return no
	}
	if verbs.has("progress", f.verb) || (f.aspect == ongoing && verbs.any(f.verb, "habit", "like", "factual")) {
		return verdict{context, 0.88}
	}
	if f.aspect == ongoing && f.restHas("years", "months", "weeks", "year") && !verbs.any(f.verb, "request") && !asking[f.verb] {
		return verdict{context, 0.8}
	}
	if f.only && !verbs.any(f.verb, "request") && !asking[f.verb] {
		return verdict{context, 0.68}
	}
	return no
}

var asking = setOf("wonder ask talk refer wait guess assume joke kid call leave die starve sit stand feel enjoy chat discuss debate ready write")

// judgeSearch judges "I'm looking for a new job".
func (f frame) judgeSearch() verdict {
	if f.next(0) == "forward" && f.next(1) == "to" {
		p := phraseAt(f.rest[2:])
		if p.is("event", "kin") && p.det == "my" {
			return verdict{context, 0.75}
		}
		return no
	}
	if f.next(0) == "to" && verbs.has("life", f.next(1)) {
		return f.pursues(f.next(1), f.rest[2:], 0.8)
	}
	if !among(f.next(0), "for", "into") {
		return no
	}
	p := phraseAt(f.rest[1:])
	switch {
	case p.pointed(), p.is("stop") && !f.restHas("my"):
		return no
	case p.is("trade", "kin", "pet") && !among(p.head, "restaurant", "shop", "store", "blog", "book"):
		return verdict{context, 0.88}
	case among(p.head, "house", "apartment", "flat", "home", "car", "roommate", "work", "love"):
		return verdict{context, 0.85}
	}
	return no
}

// judgePlan judges "I'm planning to …", "trying to …", "going to …".
func (f frame) judgePlan() verdict {
	if f.verb == "go" && (f.next(0) != "to" || f.aspect == ongoing) {
		return f.judgeGoing()
	}
	if among(f.verb, "plan", "dream", "prepare") {
		switch f.next(0) {
		case "a", "an", "my", "our", "on", "for", "of", "about":
			p := f.object
			if p.head == "" {
				p = phraseAt(f.rest[1:])
			}
			if p.pointed() || p.is("stop") && !p.is("project", "event") {
				return no
			}
			return verdict{context, 0.9}
		}
	}
	if f.next(0) != "to" || len(f.rest) < 2 {
		return no
	}
	confidence := 0.82
	if f.verb == "go" {
		confidence = 0.78
		if p := phraseAt(f.rest[1:]); (f.rest[1].capital || f.dated() && p.det == "" && !verbs.has("life", p.head) && !knownVerbs[f.next(1)]) && !p.pointed() && !p.is("stop") || p.is("event") && f.dated() || among(p.head, "college", "university", "therapy") {
			return verdict{context, 0.8}
		}
	}
	return f.pursues(f.next(1), f.rest[2:], confidence)
}

// judgeGoing judges "I'm going through a divorce", "going back to school".
func (f frame) judgeGoing() verdict {
	switch f.next(0) {
	case "through":
		return verdict{context, 0.88}
	case "on":
		if f.restHas("vacation", "holiday", "trip", "honeymoon", "diet", "date", "cruise", "tour", "safari") {
			return verdict{context, 0.85}
		}
	case "back":
		if f.restHas("school", "college", "university", "work") {
			return verdict{context, 0.85}
		}
	case "to":
		if p := phraseAt(f.rest[1:]); f.aspect == ongoing && (small.has("activity", p.head) || p.is("trade", "health") || p.head == "therapy") {
			return verdict{context, 0.85}
		}
	case "blind", "deaf", "bald", "vegan", "camping", "hiking", "skiing":
		return verdict{context, 0.85}
	}
	return no
}

// judgeThought judges "I'm thinking of moving to Argentina".
func (f frame) judgeThought() verdict {
	rest := f.rest
	if len(rest) > 1 && (among(rest[0].word, "of", "about")) {
		rest = rest[1:]
	} else if f.verb == "think" {
		return no
	}
	if len(rest) > 1 && gerund(rest[0].word) {
		return f.pursues(lemma(rest[0].word), rest[1:], 0.82)
	}
	p := phraseAt(rest)
	if f.verb != "think" && p.head != "" && !p.pointed() && p.is("pursuit", "trade", "event", "project") {
		return verdict{context, 0.78}
	}
	return no
}

func (f frame) judgeHaving() verdict {
	p := f.object
	switch {
	case containsAny(p.words, "trouble", "troubles", "difficulty", "difficulties", "hard") || among(p.head, "trouble", "problem", "issue", "difficulty", "hard", "time"):
		return f.judgeTrouble()
	case p.ill() && !f.restHas("now", "today"), p.is("kin", "event") && !p.pointed():
		return verdict{context, 0.85}
	}
	return no
}

// judgeFeeling judges "I feel stressed at work lately".
func (f frame) judgeFeeling() verdict {
	for i, t := range f.rest {
		if i < 5 && adjectives.has("trouble", t.word) && (f.troubled() || f.aspect == ongoing || f.habitual()) {
			return verdict{context, 0.85}
		}
		if i < 4 && among(t.word, "down", "sad", "tired", "stuck", "lost") && (f.aspect == ongoing || f.troubled()) {
			return verdict{context, 0.8}
		}
	}
	if f.next(0) == "like" && f.restHas("my") && f.troubled() {
		return verdict{context, 0.78}
	}
	return no
}

// usable reports whether a tool or a piece of equipment is named.
func (f frame) usable(p phrase) bool {
	if p.pointed() || p.quoted || p.is("stop") && !p.is("thing") {
		return false
	}
	if p.det == "the" && !p.tool() {
		return false
	}
	return p.tool() || p.proper || p.is("thing", "trade") && !p.is("stop")
}

// judgeWorking judges "I'm working as a nurse", "working on a novel".
func (f frame) judgeWorking() verdict {
	switch f.next(0) {
	case "on", "with":
		p := phraseAt(f.rest[1:])
		if p.pointed() || p.head == "" || p.is("stop") && !p.is("project", "event") || p.is("stop") && f.next(0) == "with" || f.restHas("code", "error") {
			return no
		}
		return verdict{context, 0.88}
	case "as", "at", "for", "in", "full", "part", "full-time", "part-time", "remotely", "two", "from", "night", "nights":
		if p := phraseAt(f.rest[1:]); p.pointed() {
			return no
		}
		return verdict{fact, 0.9}
	case "towards", "toward", "out", "hard", "overtime":
		return verdict{context, 0.8}
	case "":
		return verdict{no.kind, 0}
	}
	return no
}

func (f frame) judgeStruggle() verdict {
	if f.restHas("code", "function", "error", "query", "script", "install", "this", "question", "formula", "equation", "homework", "problem") {
		return no
	}
	if len(f.rest) == 0 || f.next(0) == "to" && (among(f.next(1), "understand", "find", "figure", "get", "see", "grasp")) {
		return no
	}
	return verdict{context, 0.88}
}

func (f frame) judgeGetting() verdict {
	w := f.next(0)
	p := f.object
	switch {
	case among(w, "married", "divorced", "engaged", "fired", "promoted", "old", "older", "bullied", "burnt", "burned"):
		return verdict{context, 0.92}
	case w == "ready" && f.restHas("wedding", "exam", "college", "trip", "interview", "marathon", "move", "baby"), w == "into" && !f.restHas("this", "that", "trouble"):
		return verdict{context, 0.82}
	case p.is("pet", "trade", "health", "event") && !p.pointed() && p.det != "the" && !p.is("stop"):
		return verdict{context, 0.8}
	}
	return no
}

// judgeMaking judges verbs whose object decides whether they mean anything.
func (f frame) judgeMaking() verdict {
	p := f.object
	if p.pointed() || p.quoted || strings.Contains("code error errors test tests", p.head) && p.head != "" {
		return no
	}
	switch {
	case among(f.verb, "play", "read", "watch") && f.aspect != ongoing && !f.only:
		return no
	case p.is("project", "event", "pursuit") && p.det != "the", f.next(0) == "work" && f.next(1) == "on":
		return verdict{context, 0.85}
	case f.verb == "take" && (among(p.head, "class", "course") || among(p.last(), "classes", "lessons")):
		return verdict{context, 0.85}
	case p.is("stop"):
		return no
	case p.is("circle", "trade", "health", "thing", "pet") && p.det != "the":
		return verdict{context, 0.8}
	case f.aspect == ongoing && f.verb == "do" && p.head != "" && f.restHas("years", "months", "weeks", "year"):
		return verdict{context, 0.8}
	case small.has("activity", p.head), among(p.head, "diy", "research", "phd"):
		return verdict{context, 0.82}
	case f.verb == "start" && (gerund(f.next(0)) || f.next(0) == "to"):
		return f.pursues(lemma(f.next(0)), f.rest[1:], 0.8)
	case f.aspect == ongoing && (among(f.verb, "play", "read", "watch", "write")), f.only && among(f.verb, "play", "make", "write", "take") && p.head != "":
		return verdict{context, 0.8}
	}
	return no
}
