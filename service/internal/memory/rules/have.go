package rules

// judgeHave judges "I have two daughters", "I don't have a car", "I had surgery".
func judgeHave(f frame) verdict {
	p := f.object
	switch {
	case f.next(0) == "to":
		return f.judgeDuty()
	case f.modal != "" && f.modal != "used to", p.head == "", p.pointed(), f.next(0) == "been":
		return no
	case containsAny(p.words, "trouble", "troubles", "difficulty", "difficulties") || f.next(0) == "trouble" || f.next(0) == "difficulty" || p.head == "trouble" || p.head == "problem" || p.head == "problems" || p.head == "issue" || p.head == "difficulty":
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

// possession judges what is had by what it is.
func (f frame) possession(p phrase) verdict {
	if p.det == "no" && !p.is("thing", "kin", "pet", "trade", "trait", "health") {
		return no
	}
	switch {
	case p.ill():
		return f.ailment(p)
	case p.is("kin", "pet"):
		return verdict{fact, 0.95}
	case p.head == "heart" || p.head == "obsession" || p.head == "passion" || p.head == "love" || p.head == "interest" || p.head == "preference":
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
		if (p.head == "friend" || p.head == "meeting") && !(f.negated || p.det == "no" || p.det == "few") {
			return no
		}
		return verdict{fact, 0.75}
	case p.is("project"):
		return verdict{fact, 0.65}
	case p.is("circle") && (f.negated || p.det == "no" || p.det == "few"):
		return verdict{fact, 0.75}
	case f.only && !fleeting[p.words[0]] && !fleeting[p.head] && !p.holds("stop") && !number(p.words[0]) && len(p.head) > 2:
		return verdict{fact, 0.7}
	}
	return no
}

// fleeting are what nobody has for long.
var fleeting = map[string]bool{"flat": true, "broken": true, "dead": true, "lost": true, "overdue": true, "pending": true, "late": true, "cold": true, "fever": true, "cough": true,
	"throat": true, "hangover": true, "headache": true, "option": true, "options": true, "day": true, "hour": true, "break": true, "good": true, "great": true, "hard": true, "cramp": true, "dollars": true, "time": true, "money": true, "cash": true, "clue": true, "access": true, "luck": true, "blast": true, "fun": true}

// ailment tells an illness from a passing pain.
func (f frame) ailment(p phrase) verdict {
	if p.head == "headache" || f.restHas("now", "today", "moment") {
		return no
	}
	if p.head == "pain" || p.head == "ache" || p.head == "injury" || p.head == "surgery" || p.head == "flu" || p.head == "covid" || p.head == "rash" || p.head == "burnout" {
		return verdict{context, 0.85}
	}
	if p.head == "switch" || p.head == "ms" {
		return no
	}
	return verdict{fact, 0.93}
}

// occasion judges "I have an exam tomorrow".
func (f frame) occasion(p phrase) verdict {
	if p.head == "hair" || p.is("stop") && !f.dated() {
		return no
	}
	if p.head == "meeting" || p.head == "appointment" || p.head == "flight" || p.head == "trip" || p.head == "essay" || p.head == "paper" || p.head == "project" || p.head == "date" || p.head == "move" || p.head == "speech" {
		if !f.dated() {
			return no
		}
		return verdict{context, 0.78}
	}
	return verdict{context, 0.88}
}

// dated tells that a clause says when.
func (f frame) dated() bool {
	for i, t := range f.rest {
		if small.has("time", t.word) && i > 0 || t.word == "soon" || t.word == "tomorrow" || t.word == "due" || t.word == "tonight" {
			return true
		}
	}
	return len(f.front) > 0
}

// had judges the past: illnesses, losses and events last, things don't.
func (f frame) had(v verdict, p phrase) verdict {
	switch {
	case f.aspect == perfect:
		return v
	case p.ill() && v != no:
		return verdict{context, 0.85}
	case p.is("event") || p.head == "baby" || p.head == "fight" || p.head == "argument":
		if p.head == "dream" || p.is("stop") && !p.is("project") {
			return no
		}
		return verdict{context, 0.8}
	case p.is("kin", "pet") && f.only:
		return verdict{fact, 0.75}
	}
	return no
}

// listed looks for something worth having further on: "I have a lot of cats".
func (f frame) listed() verdict {
	if f.restHas("this", "that", "these", "which") {
		return no
	}
	for i, t := range f.rest {
		if i > 0 && i < 7 && (t.word == "of" || t.word == "and" || t.word == "in" || t.word == "with" || t.word == "for") {
			p := phraseAt(f.rest[i+1:])
			if p.is("kin", "pet") && t.word != "for" && t.word != "in" {
				return verdict{fact, 0.85}
			}
		}
	}
	return no
}

// judgeTrouble judges "I'm having trouble sleeping": of a life, not of a task.
func (f frame) judgeTrouble() verdict {
	if f.restHas("this", "that", "your", "code", "account", "card", "login", "website", "app", "question") {
		return no
	}
	for i, t := range f.rest {
		if i == 0 {
			continue
		}
		w := t.word
		if livingVerbs[w] || nouns.any(singular(w), "kin", "health") || nouns.any(w, "circle") || w == "work" || w == "school" || w == "family" || w == "alcohol" || w == "anger" || w == "money" || w == "studies" || w == "marriage" || w == "relationship" || w == "weight" {
			return verdict{context, 0.85}
		}
	}
	return no
}

var livingVerbs = map[string]bool{"sleeping": true, "breathing": true, "eating": true, "walking": true, "concentrating": true, "focusing": true, "studying": true, "relaxing": true,
	"hearing": true, "seeing": true, "losing": true, "making": false, "keeping": true, "balancing": true, "sleep": true, "conceiving": true, "coping": true, "falling": true, "waking": true}

// judgeDuty judges "I have to move out by May".
func (f frame) judgeDuty() verdict {
	if len(f.rest) < 3 || f.past {
		return no
	}
	verb, object := lemma(f.next(1)), phraseAt(f.rest[2:])
	switch {
	case object.pointed():
		return no
	case verb == "move" || verb == "relocate" || verb == "commute":
		return verdict{context, 0.85}
	case verb == "take" && object.ill(), verb == "wear" || verb == "avoid":
		return verdict{fact, 0.8}
	case (verb == "work" || verb == "care" || verb == "travel") && f.next(2) != "on":
		return verdict{context, 0.75}
	case (verb == "give" || verb == "take" || verb == "pass" || verb == "prepare") && (object.is("event") || f.restHas("exam", "presentation", "wedding")) && !object.is("stop"):
		return verdict{context, 0.75}
	}
	return no
}
