package rules

// judgeHave judges "I have two daughters", "I don't have a car", "I had surgery".
func judgeHave(f frame) verdict {
	p := f.object
	switch {
	case f.next(0) == "to":
		return f.judgeDuty()
	case !among(f.modal, "", "used to"), p.head == "", p.pointed(), f.next(0) == "been":
		return no
	case containsAny(p.words, "trouble", "troubles", "difficulty", "difficulties") || among(f.next(0), "trouble", "difficulty") || among(p.head, "trouble", "problem", "problems", "issue", "difficulty"):
		return f.judgeTrouble()
	case p.quoted, p.head == "question", p.det == "the" && !p.is("health", "kin"):
		return no
	}
	v := f.possession(p)
	if f.past && f.modal == "" {
		return f.had(v, p)
	}
	if v == no && !p.is("stop") {
		v = f.listed()
	}
	return v
}

// possession judges a possession by its kind.
func (f frame) possession(p phrase) verdict {
	if p.det == "no" && !p.is("thing", "kin", "pet", "trade", "trait", "health") {
		return no
	}
	switch {
	case nouns.has("stop", p.words[0]) && p.proper && len(p.words) > 1:
		return no // "a class Dog"
	case p.ill():
		return f.ailment(p)
	case p.is("kin", "pet"):
		return verdict{fact, 0.95}
	case among(p.head, "heart", "obsession", "passion", "love", "interest", "preference"):
		if f.restHas("for", "with", "in") && !f.restHas("this", "that") {
			return verdict{preference, 0.85}
		}
		return no
	case p.is("stop") && !(p.is("thing", "project") && p.det == "my"):
		return no
	case p.is("event"):
		return f.occasion(p)
	case p.is("thing", "trade", "trait"):
		return verdict{fact, 0.9}
	case p.tool(), p.proper && !p.is("project"):
		return verdict{fact, 0.82}
	case p.is("circle"):
		if among(p.head, "friend", "meeting") && !(f.negated || among(p.det, "no", "few")) {
			return no
		}
		return verdict{fact, 0.75}
	case p.is("project"):
		return verdict{fact, 0.65}
	case f.only && !fleeting[p.words[0]] && !fleeting[p.head] && !p.holds("stop") && !number(p.words[0]) && len(p.head) > 2:
		return verdict{fact, 0.7}
	}
	return no
}

// fleeting are things that nobody has for long.
var fleeting = setOf(`flat broken dead lost overdue pending late cold fever cough throat hangover headache option options day hour break good great hard
cramp dollars time money cash clue access luck blast fun`)

// ailment distinguishes an illness from a passing pain.
func (f frame) ailment(p phrase) verdict {
	if p.head == "headache" || f.restHas("now", "today", "moment") {
		return no
	}
	if among(p.head, "pain", "ache", "injury", "surgery", "flu", "covid", "rash", "burnout") {
		return verdict{context, 0.85}
	}
	if among(p.head, "switch", "ms") {
		return no
	}
	return verdict{fact, 0.93}
}

// occasion judges "I have an exam tomorrow".
func (f frame) occasion(p phrase) verdict {
	if p.head == "hair" || p.is("stop") && !f.dated() {
		return no
	}
	if among(p.head, "meeting", "appointment", "flight", "trip", "essay", "paper", "project", "date", "move", "speech") {
		if !f.dated() {
			return no
		}
		return verdict{context, 0.78}
	}
	return verdict{context, 0.88}
}

// dated reports whether a clause says when.
func (f frame) dated() bool {
	for i, t := range f.rest {
		if small.has("time", t.word) && i > 0 || among(t.word, "soon", "tomorrow", "due", "tonight") {
			return true
		}
	}
	return len(f.front) > 0
}

// had judges past possessions: illnesses, losses and events stay true, things don't.
func (f frame) had(v verdict, p phrase) verdict {
	switch {
	case f.aspect == perfect:
		return v
	case p.ill() && v != no:
		return verdict{context, 0.85}
	case p.is("event") || among(p.head, "baby", "fight", "argument"):
		if p.head == "dream" || p.is("stop") && !p.is("project") {
			return no
		}
		return verdict{context, 0.8}
	case p.is("kin", "pet") && f.only:
		return verdict{fact, 0.75}
	}
	return no
}

// listed looks for a possession further on in the phrase: "I have a lot of cats".
func (f frame) listed() verdict {
	if f.restHas("this", "that", "these", "which") {
		return no
	}
	for i, t := range f.rest {
		if i > 0 && i < 7 && (among(t.word, "of", "and", "in", "with", "for")) {
			p := phraseAt(f.rest[i+1:])
			if p.is("kin", "pet") && !among(t.word, "for", "in") {
				return verdict{fact, 0.85}
			}
		}
	}
	return no
}

// judgeTrouble judges "I'm having trouble sleeping": trouble in life, not with a task.
func (f frame) judgeTrouble() verdict {
	if f.restHas("this", "that", "your", "code", "account", "card", "login", "website", "app", "question") {
		return no
	}
	for i, t := range f.rest {
		if i == 0 {
			continue
		}
		w := t.word
		if livingVerbs[w] || nouns.any(singular(w), "kin", "health") || nouns.any(w, "circle") || among(w, "work", "school", "family", "alcohol", "anger", "money", "studies", "marriage", "relationship", "weight") {
			return verdict{context, 0.85}
		}
	}
	return no
}

var livingVerbs = setOf(`sleeping breathing eating walking concentrating focusing studying relaxing hearing seeing losing keeping balancing sleep
conceiving coping falling waking`)

// judgeDuty judges "I have to move out by May".
func (f frame) judgeDuty() verdict {
	if len(f.rest) < 3 || f.past {
		return no
	}
	verb, object := lemma(f.next(1)), phraseAt(f.rest[2:])
	switch {
	case object.pointed():
		return no
	case among(verb, "move", "relocate", "commute"):
		return verdict{context, 0.85}
	case verb == "take" && object.ill(), among(verb, "wear", "avoid"):
		return verdict{fact, 0.8}
	case among(verb, "work", "care", "travel") && f.next(2) != "on":
		return verdict{context, 0.75}
	case among(verb, "give", "take", "pass", "prepare") && (object.is("event") || f.restHas("exam", "presentation", "wedding")) && !object.is("stop"):
		return verdict{context, 0.75}
	}
	return no
}
