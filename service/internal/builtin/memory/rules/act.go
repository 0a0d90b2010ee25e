package rules

// judgeLike judges tastes: "I love jazz". The object must not be a part of this
// conversation: "I like the second one".
func judgeLike(f frame, reacts bool) verdict {
	first := f.next(0)
	switch {
	case among(f.verb, "stand", "bear"):
		if !f.negated || f.modal != "can" || f.object.pointed() {
			return no
		}
		return verdict{preference, 0.93}
	case f.verb == "rather" || f.modal == "would" && f.verb == "rather":
		return f.judgeRather()
	case len(f.rest) == 0:
		return no
	case among(f.modal, "would", "will"):
		return f.judgeWish()
	case f.past && f.aspect == simple && f.modal == "" && !f.only:
		return no
	case first == "it" && (among(f.next(1), "when", "if")):
		return verdict{preference, 0.9}
	case f.verb == "prefer" && among(first, "that", "if") && f.next(1) == "you":
		return verdict{preference, 0.85}
	case among(first, "how", "what", "where", "way", "#", "that") || first == "to" && len(f.rest) < 2:
		return no
	case first == "when" && !f.restHas("this", "that"):
		return verdict{preference, 0.88}
	case first == "to":
		if spoken[f.next(1)] || f.next(1) == "see" && !f.only {
			return no
		}
		return verdict{preference, 0.9}
	}
	return f.judgeTaste(reacts)
}

// spoken are the verbs of "I hate to say …", which is not a taste.
var spoken = setOf("know thank ask bother admit say think hear add point tell break")

// comparative are wishes about the last answer: "I prefer shorter".
var comparative = setOf("shorter longer simpler better smaller bigger less more")

// judgeTaste judges what is liked.
func (f frame) judgeTaste(reacts bool) verdict {
	p := f.object
	first := f.next(0)
	switch {
	case among(f.verb, "prefer", "like") && first == "you" && f.next(1) == "to":
		return verdict{preference, 0.85}
	case small.has("pointing", first) || p.pointed() || first == "you" || first == "both" && len(f.rest) < 3 || first == "all" && (among(f.next(1), "of", "these")):
		return no
	case p.head == "" && !f.rest[0].quoted:
		return no
	case len(f.rest) == 1 && comparative[first]:
		return no
	case f.restHas("you", "your"), p.head == "something", small.has("pointing", f.rest[len(f.rest)-1].word), hasHash(f.rest), p.listedItem(), p.det == "our" && p.is("stop"):
		return no
	case p.is("stop") && !among(p.det, "", "my") && !nouns.has("generic", p.head) && !f.only:
		return no
	case reacts && len(p.words) == 1 && len(f.rest) == 1 && !gerund(first):
		return no // "Those are cool. I like Wolfsjager."
	case p.det == "the":
		if nouns.any(p.head, "generic") || nouns.any(p.last(), "generic") || p.proper || p.tool() || f.restHas("of") && f.only || f.only && !ordinal(p) {
			if ordinal(p) || p.is("stop") && !nouns.has("generic", p.words[0]) && !p.proper {
				return no
			}
			return verdict{preference, 0.85}
		}
		return no
	case among(f.verb, "need", "fear", "dread"):
		return verdict{preference, 0.75}
	}
	return verdict{preference, 0.93}
}

// listedItem recognises "option B", "number 3", "2".
func (p phrase) listedItem() bool {
	return among(p.head, "number", "reply") || containsAny(p.words, "option", "options", "#") || len(p.words) > 0 && number(p.words[0]) && len(p.words) == 1 || len(p.head) == 1
}

func ordinal(p phrase) bool {
	for _, w := range p.words {
		switch w {
		case "first", "second", "third", "last", "fourth", "other", "latter", "former", "two", "three", "idea", "ending", "answer", "way":
			return true
		}
	}
	return false
}

func hasHash(ts []token) bool {
	for _, t := range ts {
		if t.word[0] == '#' {
			return true
		}
	}
	return false
}

// judgeRather judges "I'd rather you didn't …".
func (f frame) judgeRather() verdict {
	if f.next(0) == "not" || among(f.next(0), "have", "get", "see") && !f.restHas("than") || f.restHas("this", "it", "that") || len(f.rest) < 2 {
		return no
	}
	return verdict{preference, 0.82}
}

// judgeWish judges "I'd like …", which is a request unless it is about the user's life.
func (f frame) judgeWish() verdict {
	if f.negated {
		return no
	}
	if f.verb == "prefer" {
		if f.restHas("it", "this") && !f.restHas("you") || f.object.pointed() || f.object.listedItem() || among(f.object.det, "a", "an") {
			return no
		}
		return verdict{preference, 0.82}
	}
	if f.next(0) != "to" || len(f.rest) < 3 {
		return no
	}
	if f.next(1) == "be" && f.next(2) == "called" {
		return verdict{preference, 0.9}
	}
	switch f.next(1) {
	case "go":
		if f.restHas("someday", "day", "sometime") {
			return verdict{context, 0.78}
		}
		return no
	case "book", "make", "create", "get", "have", "pay", "buy", "write", "apply", "sell", "play", "eat", "cook", "save", "open", "rent", "start", "stop", "fly", "study":
		if f.restHas("app", "website") || !among(f.next(1), "start", "open") {
			return no
		}
	}
	return f.pursues(f.next(1), f.rest[2:], 0.75)
}

// judgeHabit judges the simple present.
func judgeHabit(f frame) verdict {
	p := f.object
	verb := f.verb
	switch {
	case verbs.has("request", verb) && !(verb == "believe" && f.next(0) == "in" && f.only) && !among(verb, "find", "know", "feel", "try", "get"):
		return no
	case verb == "feel":
		return f.judgeFeeling()
	case verb == "know":
		return f.judgeKnowing()
	case verb == "find":
		if f.hardness() && !p.pointed() && f.next(0) != "it" {
			return verdict{preference, 0.85}
		}
		return no
	case verb == "learn":
		if among(f.next(0), "best", "better") || f.restHas("best") {
			return verdict{preference, 0.92}
		}
		return no
	case among(verb, "try", "tend"):
		if f.next(0) == "to" && len(f.rest) > 2 && verbs.has("habit", f.next(1)) && !among(f.next(1), "use", "get", "make") && !phraseAt(f.rest[2:]).pointed() && phraseAt(f.rest[2:]).det != "the" {
			return verdict{f.habit(), 0.8}
		}
		return no
	case among(verb, "care", "value"):
		if f.negated || p.pointed() || verb == "care" && f.next(0) != "about" || phraseAt(f.rest[min(1, len(f.rest)):]).pointed() {
			return no
		}
		return verdict{preference, 0.8}
	case among(verb, "struggle", "suffer"):
		return f.judgeStruggle()
	case p.pointed() || p.quoted || f.restHas("you", "your"):
		if !f.habitual() || p.quoted || p.pointed() || f.restHas("you", "your") {
			return no
		}
	case p.is("stop") && !p.is("project", "thing", "pet", "kin", "pursuit") && !(p.head == "lot" && !f.restHas("of")):
		return no
	}
	return f.judgeAction(p)
}

// hardness recognises "I find maths difficult".
func (f frame) hardness() bool {
	for _, t := range f.rest {
		if small.has("hard", t.word) {
			return true
		}
	}
	return false
}

// judgeKnowing judges skills: "I don't know how to swim".
func (f frame) judgeKnowing() verdict {
	p := f.object
	switch {
	case f.next(0) == "how" && f.next(1) == "to" && len(f.rest) > 2:
		if verbs.has("ability", f.next(2)) && !phraseAt(f.rest[3:]).pointed() && phraseAt(f.rest[3:]).det != "the" && !phraseAt(f.rest[3:]).is("stop") {
			return verdict{fact, 0.82}
		}
		return no
	case p.tool() && !p.pointed() && p.det != "the", p.head == "language" && p.det == "":
		return verdict{fact, 0.88}
	case among(f.next(0), "nothing", "much", "anything", "little") && f.next(1) == "about" && !among(f.next(2), "this", "it", "that"):
		return verdict{fact, 0.85}
	case f.restHas("basics") && f.restHas("of"):
		return verdict{fact, 0.8}
	}
	return no
}

// judgeAction judges what somebody does as a rule.
func (f frame) judgeAction(p phrase) verdict {
	verb := f.verb
	the := p.det == "the" && !nouns.has("generic", p.last()) && !small.any(p.head, "activity", "religion") && !p.tool()
	switch {
	case verb == "turn" && number(f.next(0)) && len(f.next(0)) < 4, verb == "stand" && f.restHas("feet", "tall"):
		return verdict{fact, 0.85}
	case len(f.rest) == 0 && !f.only:
		return no
	case f.negated && (among(verb, "eat", "drink", "smoke", "drive", "own", "speak", "celebrate", "believe")):
		if f.adverbs["never"] && verb == "drink" && f.habitualRest() {
			return verdict{fact, 0.85}
		}
		return verdict{fact, 0.92}
	case verb == "work":
		return f.judgeJob()
	case verb == "use":
		if f.usable(p) && (!the || p.tool()) {
			return useKind(f)
		}
		return no
	case among(verb, "run", "own", "manage", "lead"):
		if p.is("trade", "thing", "pet", "project", "circle") && !the && (verb == "own" || !p.is("stop")) && !among(p.head, "server", "app") {
			return verdict{fact, 0.92}
		}
		if verb == "run" && p.head != "" && !p.is("pursuit") && (!f.habitual() || the) || the {
			return no
		}
	case among(verb, "take", "go", "do", "get", "make", "keep", "come", "belong"):
		return f.judgeLight(p)
	case verbs.has("factual", verb) && (!the || among(verb, "coach", "teach", "lead", "manage")):
		if among(verb, "play", "support", "share", "come") {
			break
		}
		return verdict{fact, 0.9}
	}
	return f.judgePastime(p, the)
}

// habit returns the type of a habit: a way of working is a preference, everything else
// is a fact.
func (f frame) habit() string {
	if f.habitual() && working[f.verb] {
		return preference
	}
	return fact
}

var working = setOf(`use write code test plan start begin review document format learn read work prefer choose avoid commit design sketch outline program`)

func useKind(f frame) verdict {
	if f.habitual() {
		return verdict{preference, 0.85}
	}
	return verdict{fact, 0.85}
}

// habitualRest reports whether what follows the verb says when.
func (f frame) habitualRest() bool { return f.restHas("after", "before", "coffee", "tea") }

// judgeJob judges "I work as …", "I work from home".
func (f frame) judgeJob() verdict {
	if among(f.next(0), "on", "with") {
		p := phraseAt(f.rest[1:])
		if p.pointed() || p.head == "" || p.is("stop") {
			return no
		}
		return verdict{context, 0.78}
	}
	if len(f.rest) == 0 && !f.negated {
		return no
	}
	return verdict{fact, 0.94}
}

// judgeLight judges verbs that mean little without their object.
func (f frame) judgeLight(p phrase) verdict {
	first := f.next(0)
	switch f.verb {
	case "come":
		if first == "from" && !phraseAt(f.rest[1:]).pointed() {
			return verdict{fact, 0.92}
		}
		return no
	case "belong":
		return verdict{fact, 0.85}
	case "keep":
		if p.is("pet") || p.is("project") && f.only {
			return verdict{fact, 0.85}
		}
		return no
	case "get":
		if among(first, "up", "along") || p.ill() && p.head != "headache" || small.has("activity", p.head) {
			return verdict{f.habit(), 0.8}
		}
		return f.routine(0.75)
	case "go":
		if first == "by" {
			return verdict{preference, 0.9}
		}
		if first == "to" && len(f.rest) > 1 {
			q := phraseAt(f.rest[1:])
			if small.any(q.head, "activity", "religion") || q.is("trade") {
				return verdict{fact, 0.88}
			}
		}
		return f.routine(0.8)
	}
	if small.has("activity", p.head) && p.det != "the" || p.is("pursuit", "health") && p.det != "the" && !p.pointed() {
		return verdict{f.habit(), 0.78}
	}
	return f.routine(0.75)
}

// routine judges a verb that is a habit only with a frequency.
func (f frame) routine(confidence float64) verdict {
	p := f.object
	if f.habitual() && !f.restHas("error", "this", "that", "code") || f.only && (len(f.rest) > 1 || p.det == "" && p.head != "") && !among(f.verb, "get", "keep") && f.object.det != "the" && !f.restHas("this", "that", "it") {
		return verdict{f.habit(), confidence}
	}
	return no
}

// judgePastime judges hobbies and habits.
func (f frame) judgePastime(p phrase, the bool) verdict {
	listedHabit := verbs.has("habit", f.verb)
	switch {
	case the && (!f.only || weakHabit[f.verb]), f.restHas("error", "somewhere", "this", "these"), len(p.head) == 1:
		return no
	case f.habitual() && !f.restHas("this", "that"):
		return verdict{f.habit(), 0.82}
	case listedHabit && !f.negated && weakHabit[f.verb]:
		if f.only && len(f.rest) > 0 {
			return verdict{f.habit(), 0.75}
		}
		return no
	case listedHabit && (p.head != "" || len(f.rest) > 0 || f.only):
		return verdict{f.habit(), 0.82}
	case f.only && !f.negated && len(f.rest) > 0 && f.modal == "" && !the && f.verb != "owe" && !f.restHas("this", "that", "it", "how"):
		return verdict{f.habit(), 0.65}
	}
	return no
}

// weakHabit are verbs that may mean a moment as well as a habit.
var weakHabit = setOf(`write read vote skip avoid help count try clean sleep build train follow drop record film watch mix trade bet wake fast lift visit
walk repair restore stretch shop support`)
