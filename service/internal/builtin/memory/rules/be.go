package rules

import "strings"

// judgeBe judges "I am …", "I was …", "I have been …".
func judgeBe(f frame) verdict {
	if len(f.rest) == 0 || !among(f.modal, "", "used to") {
		return no
	}
	w := f.next(0)
	past := f.past && f.modal == ""
	switch {
	case f.age():
		return verdict{fact, 0.97}
	case strings.Contains(w, "'") && f.measured():
		return verdict{fact, 0.9}
	case f.restHas("tall", "cm", "feet", "kg", "lbs", "pounds") && f.measured():
		return verdict{fact, 0.93}
	case among(w, "called", "named") && len(f.rest) > 1 && len(f.rest) < 5:
		return verdict{fact, 0.92}
	case f.aspect == perfect && w == "to" && len(f.rest) > 1 && (f.rest[1].capital || f.only):
		return verdict{fact, 0.78}
	case among(w, "a", "an", "the", "one", "another", "my", "your"):
		return f.judgePerson()
	case f.object.role() && !small.has("preposition", w) && (!past || f.only) && (people.has("role", w) || !knownVerbs[w]):
		return verdict{fact, 0.92}
	}
	for i, t := range f.rest {
		if i > 4 || t.quoted || i > 0 && t.pause() {
			break
		}
		if v := f.judgeAdjective(i, past); v != no {
			return v
		}
		if !adverb(t.word) && !intensifier[t.word] {
			break
		}
	}
	if w == "interested" && f.next(1) == "in" && !past && f.lastingObject(2) {
		return verdict{preference, 0.85}
	}
	if f.properName() {
		return verdict{fact, 0.8}
	}
	return no
}

var intensifier = setOf(`very so too extremely super pretty rather quite more a bit little highly severely somewhat both also most kind of all second first
third deathly hugely not half part fully almost`)

// age recognises "I am 34", "I am 34 years old", "I'm in my thirties".
func (f frame) age() bool {
	w := strings.TrimPrefix(f.next(0), "almost")
	ts := f.rest
	for len(ts) > 1 && (adverb(ts[0].word) || ts[0].word == "turning") {
		ts, w = ts[1:], ts[1].word
	}
	switch {
	case w == "in" && (among(f.next(1), "my", "our")):
		last := f.rest[min(len(f.rest)-1, 3)].word + f.next(2)
		return strings.ContainsAny(last, "0123456789") || strings.Contains(last, "ties") || strings.Contains(last, "teens") || strings.Contains(last, "twenties")
	case strings.HasSuffix(w, "yo") && number(w[:len(w)-2]):
		return true
	case !number(w) || strings.ContainsAny(w, "$%€£."):
		return false
	case len(ts) == 1:
		return len(w) == 2 && w >= "10"
	}
	next := ts[1].word
	return small.has("age-unit", next) && next != "months" && (len(ts) < 3 || ts[2].word == "old" || next != "years") || len(w) == 2 && (ts[1].pause() || among(next, "and", "now"))
}

// measured recognises "I am 180 cm tall".
func (f frame) measured() bool {
	w := f.next(0)
	return w != "" && (w[0] >= '0' && w[0] <= '9' || number(w))
}

// judgePerson judges "I am a nurse", "I'm a big fan of …".
func (f frame) judgePerson() verdict {
	p := f.object
	switch {
	case p.head == "" || people.has("notperson", p.head) || people.has("notperson", p.words[0]) || p.quoted:
		return no
	case p.det == "the" && !f.only || among(p.det, "your", "one"):
		if p.role() && f.restHas("of") && p.det == "the" {
			return verdict{fact, 0.75}
		}
		return no
	case among(p.head, "fan", "lover", "enthusiast", "hater", "buff", "fanatic", "person", "addict"):
		if f.restHas("this", "that", "these", "your") {
			return no
		}
		return verdict{preference, 0.93}
	case p.role():
		return verdict{fact, 0.95}
	case p.is("pet", "stop") || f.restHas("you", "your"):
		return no
	case f.subject[0].word == "we" && collective(p) && !plural(p.last()):
		return verdict{fact, 0.85}
	case p.holdsAdjective("lasting") || p.proper || f.only || strings.ContainsAny(strings.Join(p.words, ""), "0123456789"):
		return verdict{fact, 0.75}
	}
	return no
}

// holdsAdjective reports whether one of the phrase's words is in a list of adjectives.
func (p phrase) holdsAdjective(section string) bool {
	for _, w := range p.words {
		if adjectives.has(section, w) {
			return true
		}
	}
	return false
}

// judgeAdjective judges the word at i of what follows "am".
func (f frame) judgeAdjective(i int, past bool) verdict {
	w, next, after := f.next(i), f.next(i+1), f.next(i+2)
	switch {
	case f.restHas("you", "your"):
		return no
	case w == "from" && !among(next, "the", "your", "this"), w == "originally" && next == "from":
		return verdict{fact, 0.95}
	case w == "born", w == "raised", w == "adopted", w == "diagnosed", w == "homeschooled", w == "bullied", w == "brought" && next == "up":
		return verdict{fact, 0.95}
	case past && passiveEvent[w]:
		return verdict{context, 0.9}
	case past && w == "in" && f.restHas("army", "military", "navy", "marines", "prison", "jail", "hospital", "foster", "coma", "war", "band"):
		return verdict{fact, 0.88}
	case past && !(adjectives.any(w, "lasting") && f.only):
		return no
	case w == "single" && !among(next, "", "and"):
		return no
	case adjectives.has("lasting", w) && !among(w, "afraid", "scared"):
		return verdict{lastingKind(w), 0.93}
	case strings.Contains(w, "-") && adjectives.has("lasting", w[strings.LastIndex(w, "-")+1:]):
		return verdict{fact, 0.85}
	case among(w, "color", "colour", "lactose", "gluten", "left", "right"):
		if among(next, "blind", "intolerant", "handed") {
			return verdict{fact, 0.95}
		}
		return no
	case among(w, "alergic", "allergic", "vegetarien", "intollerant"):
		return verdict{fact, 0.93}
	case among(w, "expecting", "pregnant"):
		return verdict{context, 0.93}
	}
	for _, rule := range []func(string, string, string, int) verdict{f.judgeLeaning, f.judgeState, f.judgePlace} {
		if v := rule(w, next, after, i); v != no {
			return v
		}
	}
	return no
}

// judgeLeaning judges "good at chess", "into jazz", "afraid of spiders".
func (f frame) judgeLeaning(w, next, after string, i int) verdict {
	switch {
	case among(w, "good", "bad", "terrible", "great", "new", "proficient", "awful", "decent", "horrible", "fluent", "skilled", "better", "experienced"):
		if among(next, "at", "to", "in", "with") && !small.has("pointing", after) && (next != "with" || w != "great") {
			return verdict{fact, 0.88}
		}
		return no
	case w == "into" && f.lastingObject(i+1):
		return verdict{preference, 0.9}
	case among(w, "fond", "keen", "obsessed", "passionate", "crazy"):
		if !small.has("pointing", after) && after != "" {
			return verdict{preference, 0.9}
		}
		return no
	case w == "tired" && next == "of" && !small.has("pointing", after), w == "sick" && next == "of" && !small.has("pointing", after):
		return verdict{preference, 0.72}
	case among(w, "afraid", "scared", "terrified") && among(next, "of", "that") && !small.has("pointing", after) && !finite[after]:
		if next == "that" {
			return verdict{context, 0.75}
		}
		return verdict{fact, 0.85}
	}
	return no
}

// judgeState judges what lasts longer than a mood: "always late for work".
func (f frame) judgeState(w, next, _ string, _ int) verdict {
	switch {
	case adjectives.has("passing", w) && (f.adverbs["always"] || f.adverbs["never"] || f.adverbs["often"] || f.adverbs["usually"]) && f.only && next != "":
		return verdict{fact, 0.75}
	case f.aspect == perfect && among(w, "sick", "ill", "tired", "sad", "busy", "unable") && f.restHas("since", "weeks", "months", "years", "days", "lately", "recently", "week"):
		return verdict{context, 0.8}
	case w == "under" && f.restHas("pressure", "stress"):
		return verdict{context, 0.82}
	case adjectives.has("trouble", w) && f.troubled():
		return verdict{context, 0.8}
	}
	return no
}

func lastingKind(w string) string {
	if among(w, "pregnant", "unemployed", "jobless") {
		return context
	}
	return fact
}

var passiveEvent = setOf(`fired laid promoted hired diagnosed accepted rejected married divorced robbed injured hospitalized evicted awarded transferred
dumped`)

// judgePlace judges "I am in high school", "on a diet", "out of work".
func (f frame) judgePlace(w, next, after string, _ int) verdict {
	joined := w + " " + next + " " + after
	switch {
	case w == "in" && (among(next, "high", "middle", "college", "university", "school", "love", "grad", "graduate", "rehab", "therapy", "recovery")):
		return verdict{fact, 0.9}
	case w == "in" && (among(after, "grade", "army", "military", "navy", "band", "relationship", "year", "wheelchair", "choir")):
		return verdict{fact, 0.9}
	case strings.HasPrefix(joined, "in my ") && f.restHas("year", "semester"), w == "in" && f.restHas("grade"):
		return verdict{fact, 0.88}
	case w == "about" && next == "to" && len(f.rest) > 3:
		return f.pursues(after, f.rest[3:], 0.82)
	case w == "in" && f.restHas("relationship"), joined == "on the spectrum":
		return verdict{fact, 0.88}
	case joined == "in the process", joined == "in the middle" && f.restHas("divorce", "move", "pregnancy", "project", "exams"):
		return verdict{context, 0.75}
	case w == "in" && len(f.rest) > 1 && f.rest[1].capital && f.only:
		return verdict{fact, 0.75}
	case w == "on" && f.restHas("diet", "keto", "medication", "antidepressants", "insulin", "disability", "dialysis", "vacation", "holiday", "leave", "parole", "sabbatical", "budget"):
		return verdict{context, 0.85}
	case strings.HasPrefix(joined, "out of work"), strings.HasPrefix(joined, "out of shape"), strings.HasPrefix(joined, "between jobs"):
		return verdict{context, 0.9}
	case w == "on" && f.usable(phraseAt(f.rest[1:])):
		return verdict{fact, 0.8}
	case w == "of" && f.restHas("descent", "heritage", "origin", "ancestry"):
		return verdict{fact, 0.9}
	case w == "at" && (among(next, "university", "college", "uni")):
		return verdict{fact, 0.88}
	}
	return no
}

// troubled reports whether a state is more than a mood: it has a time or a cause in
// the user's life.
func (f frame) troubled() bool {
	return f.restHas("lately", "recently", "work", "job", "always", "often", "weeks", "months", "years", "days", "school", "exam", "exams", "life", "since", "career", "future", "because", "breakup", "family", "studies") || f.adverbs["always"] || f.adverbs["often"] || f.adverbs["already"] || f.adverbs["constantly"]
}

// lastingObject reports whether the words from i name something outside this conversation.
func (f frame) lastingObject(i int) bool {
	if i >= len(f.rest) {
		return false
	}
	p := phraseAt(f.rest[i:])
	if gerund(f.next(i)) {
		return !aboutAnswers[lemma(f.next(i))]
	}
	return p.head != "" && !p.pointed() && !p.is("stop") && p.det != "the" && !small.has("pointing", f.next(i))
}

var aboutAnswers = setOf("know learn hear see find understand try read get")

// properName recognises "I'm Sarah" and "I am Tom Okafor".
func (f frame) properName() bool {
	name := f.rest
	for i, t := range name {
		if i > 0 && t.pause() {
			name = name[:i]
			break
		}
	}
	if len(name) > 3 || !f.tokens[0].first && f.next(0) == "" || f.past {
		return false
	}
	for _, t := range name {
		if !t.capital || t.quoted || knownVerbs[t.word] || strings.ToUpper(t.word) == t.word {
			return false
		}
	}
	return !adjectives.any(f.next(0), "passing", "trouble") && !f.negated && len(f.next(0)) > 2
}
