package rules

// clause is a part of a sentence with its own subject and verb.
type clause struct {
	tokens []token
	// subject is the subject of the previous clause if this clause has none of its own.
	subject []token
	asked   bool // a question
	only    bool // the message says nothing else
	// lasting says that the sentence is about all later answers.
	lasting bool
}

// longestSentence bounds the work on a text without full stops, in tokens.
const longestSentence = 150

// sentencesOf cuts tokens where a sentence begins.
func sentencesOf(tokens []token) [][]token {
	var sentences [][]token
	if len(tokens) == 0 {
		return nil
	}
	start := 0
	for i := 1; i <= len(tokens); i++ {
		if i == len(tokens) || tokens[i].first || i-start == longestSentence {
			sentences = append(sentences, tokens[start:i])
			start = i
		}
	}
	return sentences
}

// clausesOf cuts a sentence into its clauses.
func clausesOf(sentence []token) []clause {
	c := cutter{sentence: sentence}
	for i := 1; i < len(sentence); i++ {
		c.consider(i)
	}
	c.close(len(sentence), nil)
	return c.clauses
}

type cutter struct {
	sentence []token
	start    int
	subject  []token // the open clause's, if it was taken from the previous clause
	skip     bool    // the open clause is a condition
	clauses  []clause
}

// consider cuts before token i if a clause begins there.
func (c *cutter) consider(i int) {
	ts := c.sentence
	if i <= c.start || ts[i].quoted {
		return
	}
	word, rest := ts[i].word, ts[i+1:]
	switch {
	case word == "if" && among(ts[i-1].word, "prefer", "it", "like"):
	case conditional[word] && opensClause(rest) || word == "if" && len(rest) > 0:
		c.cut(i, i+1, nil)
		c.skip = word == "if" || word == "unless"
	case word == "that" && mentions[ts[i-1].word] && opensClause(rest) && (len(c.owner()) > 0 || interjected(ts[c.start:i])):
		c.cut(i, i+1, nil)
	case word == "that" && reportVerbs[lemma(ts[i-1].word)] && opensClause(rest):
		c.cut(i, i+1, nil)
		c.skip = true
	case c.added(i):
		c.cut(i, i, nil)
	case word == "so" && len(rest) > 1 && c.complete(i) && (ts[i].pause() || rest[0].word == "please" || knownVerbs[rest[0].word] && rest[0].word == lemma(rest[0].word) && !small.has("determiner", rest[0].word)):
		c.cut(i, i+1, nil)
	case conjunctions[word] && opensClause(skipFillers(rest)) && c.complete(i):
		c.cut(i, i+1, nil)
	case subordinators[word] && opensClause(afterThat(rest)) && !c.since(i):
		c.cut(i, i+1, nil)
	case ts[i].pause() && opensClause(skipFillers(ts[i:])) && c.complete(i):
		c.cut(i, i, nil)
	case ts[i].pause() && subordinators[ts[0].word] && c.start == 0 && (knownVerbs[word] && word == lemma(word) || word == "please") && len(rest) > 1:
		c.cut(i, i, nil)
	case opensQuestion(ts, i) && c.complete(i):
		c.cut(i, i, nil)
	case among(word, "and", "but") && c.continues(i):
		c.cut(i, i+1, c.owner())
	}
}

var (
	conditional   = setOf("if unless whether")
	conjunctions  = setOf("and but so or yet however plus thus therefore")
	subordinators = setOf("because since as although though while whereas cause cuz considering given bc except")
	reportVerbs   = setOf("say tell write mention explain")
)

// since reports whether "since" at i is about time: "I've had it since I was six".
func (c *cutter) since(i int) bool {
	if !among(c.sentence[i].word, "since", "while") {
		return false
	}
	for _, t := range c.sentence[c.start:i] {
		if among(t.word, "have", "has", "been") {
			return true
		}
	}
	return false
}

// mentions are verbs by which a user adds something about themselves: "I forgot
// to mention that I am vegan", "keep in mind I can't cook".
var mentions = setOf("mention mind note add fact remember mentioned know")

func interjected(open []token) bool {
	open = skipFillers(open)
	if len(open) > 2 && open[0].word == "you" && open[1].word == "should" {
		return true
	}
	return len(open) > 0 && (among(open[0].word, "keep", "bear", "note", "remember", "given", "considering"))
}

func afterThat(ts []token) []token {
	if len(ts) > 0 && ts[0].word == "that" {
		return ts[1:]
	}
	if len(ts) > 2 && ts[0].word == "the" && ts[1].word == "fact" && ts[2].word == "that" {
		return ts[3:]
	}
	return ts
}

// added reports whether a new sentence begins at i without a punctuation mark: "my name is Ana I am a nurse", "I forgot to mention I have asthma".
func (c *cutter) added(i int) bool {
	ts := c.sentence
	if (!among(ts[i].word, "i", "my")) || i <= c.start+2 || i+2 > len(ts)-1 || ts[i].pause() || !opensClause(ts[i:]) {
		return false
	}
	last := ts[i-1].word
	if mentions[last] && !among(last, "know", "fact") {
		return len(c.owner()) > 0 || interjected(ts[c.start:i])
	}
	if ts[i].word == "my" || small.any(last, "preposition", "determiner", "adverb", "filler") || knownVerbs[lemma(last)] && last != "work" || finite[last] || among(last, "to", "not") {
		return false
	}
	for k := max(c.start, i-5); k < i; k++ {
		switch ts[k].word {
		case "the", "a", "an", "that", "all", "every", "everything", "anything", "thing", "only", "first", "last", "next", "what", "which", "who", "where", "how", "if", "when", "some", "any", "something", "no", "my", "most", "best", "one":
			if k > c.start || ts[k].word != "my" {
				return false
			}
		}
	}
	return c.complete(i)
}

// complete reports whether the open clause has a verb of its own before i, so
// that another clause follows.
func (c *cutter) complete(i int) bool {
	open := c.sentence[c.start:i]
	for k, t := range open {
		switch {
		case finite[t.word], t.word == "be":
			return true
		case k > 0 && (among(open[k-1].word, "i", "we", "you")):
			return true
		case k > 1 && strings3(t.word):
			return true
		case small.has("adverb", t.word) || small.has("filler", t.word):
		case knownVerbs[lemma(t.word)] && (k == 0 || small.has("filler", open[k-1].word) || gerund(t.word)):
			return true
		}
	}
	return len(open) > 6 || len(c.subject) > 0 || !namesSubject(open)
}

// namesSubject reports whether the words so far can be the subject of what follows, as
// "my wife" can before "and I live in Oslo".
func namesSubject(open []token) bool {
	open = skipFillers(open)
	return len(open) > 0 && (among(open[0].word, "my", "me", "both", "our"))
}

var finite = setOf("am is are was were have has had do does did can could will would should 'd 's must may might")

// opensClause reports whether tokens begin with a subject and its verb.
func opensClause(ts []token) bool {
	if len(ts) < 2 || ts[0].quoted {
		return false
	}
	switch w := ts[0].word; {
	case among(w, "i", "we"):
		return true
	case small.has("subject", w):
		return !among(w, "that", "this", "what", "how", "it", "you", "there") || finite[ts[1].word] || knownVerbs[lemma(ts[1].word)] || small.has("adverb", ts[1].word)
	case among(w, "my", "our", "the", "his", "her"):
		return verbWithin(ts, 2, 6)
	case among(w, "a", "an"):
		return beWithin(ts, 2, 8)
	case w == "from" && ts[1].word == "now" || among(w, "always", "never") && verbs.has("answer", ts[1].word):
		return true
	case w == "please" || w == "any" && len(ts) > 1 && ts[len(ts)-1].asked:
		return true
	case among(w, "can", "could", "would", "should", "do") && (among(ts[1].word, "you", "i")):
		return true
	}
	return verbs.any(ts[0].word, "task", "text-task") && (among(ts[1].word, "me", "it")) || ts[0].word == "let" && ts[1].word == "me"
}

// beWithin reports whether "is" or "has" is near a phrase that begins a clause.
func beWithin(ts []token, from, to int) bool {
	for k := from; k < min(to, len(ts)); k++ {
		switch w := ts[k].word; {
		case among(w, "is", "are", "was", "has"):
			return true
		case ts[k].pause(), w == "that", w == "which", w == "who", w == "where", w == "and":
			return false
		}
	}
	return false
}

func verbWithin(ts []token, from, to int) bool {
	for k := from; k < min(to, len(ts)); k++ {
		switch w := ts[k].word; {
		case finite[w]:
			return true
		case ts[k].pause(), small.has("preposition", w):
			return false
		case knownVerbs[w] && k > 1 && plural(ts[k-1].word) && !nouns.any(w, "kin", "pet", "thing", "stop", "trade"):
			return true
		case strings3(w) && !small.has("determiner", w):
			return true
		}
	}
	return false
}

// strings3 reports whether a word looks like the third person of a known verb.
func strings3(w string) bool {
	base := lemma(w)
	return base != w && knownVerbs[base] && !gerund(w) && !nouns.any(singular(w), "kin", "pet", "thing", "stop", "event", "project")
}

// opensQuestion reports whether a question begins at i without a pause: "I'm
// vegan what can I eat".
func opensQuestion(ts []token, i int) bool {
	if i+1 >= len(ts) {
		return false
	}
	w, next := ts[i].word, ts[i+1].word
	if ts[i].pause() && ts[len(ts)-1].asked && (small.has("wh", w) || small.has("question-aux", w) || w == "any") {
		return true
	}
	if small.has("question-aux", w) && among(next, "you", "i") && w != "have" && !small.has("wh", ts[i-1].word) {
		return ts[i].pause() || w != "do" && !among(ts[i-1].word, "and", "than", "as")
	}
	if !small.has("wh", w) || among(w, "who", "when") || w == "where" && !ts[i].pause() || w == "which" {
		return ts[i].pause() && small.has("wh", w) && !among(w, "who", "which", "when")
	}
	return (small.has("question-aux", next) || among(next, "'s", "to")) && !among(ts[i-1].word, "about", "know", "of") && !(next == "to" && !ts[i].pause()) && (ts[i].pause() || !among(next, "are", "is", "was"))
}

// continues reports whether a second verb of the same subject follows the "and"
// at i: "I teach physics and coach the team".
func (c *cutter) continues(i int) bool {
	owner := c.owner()
	rest := c.sentence[i+1:]
	for len(rest) > 0 && (small.has("adverb", rest[0].word) || rest[0].word == "not") {
		rest = rest[1:]
	}
	if len(owner) == 0 || len(rest) < 2 || rest[0].quoted {
		return false
	}
	w, next := rest[0].word, rest[1].word
	switch {
	case among(w, "am", "was", "have", "had") || w == "do" && next == "not" || among(w, "can", "will", "would"):
		return true
	case participle(w) && c.passive(i):
		return false
	case gerund(w) || !knownVerbs[lemma(w)] || w != lemma(w) && !past(w):
		return false
	case !c.simple(i):
		return false
	}
	return plainVerb[w] || small.any(next, "determiner", "preposition", "adverb") || number(next) || among(next, "to", "me", "it", "them") || participle(next) && w == lemma(w) || gerund(next) || past(w) && lemma(w) != w
}

// plainVerb are words that are almost always verbs.
var plainVerb = setOf("love like enjoy hate prefer adore dislike want live own speak wear know eat need teach")

// passive reports whether the open clause says what was done to its subject:
// "I was born and raised in Texas".
func (c *cutter) passive(i int) bool {
	for _, t := range c.sentence[c.start:i] {
		if among(t.word, "was", "am", "were", "been", "got") {
			return true
		}
	}
	return false
}

// simple reports whether the open clause's verb is not an infinitive that the "and"
// could continue: "I want to move and find a job".
func (c *cutter) simple(i int) bool {
	for _, t := range c.sentence[c.start:i] {
		if t.word == "to" || small.has("modal", t.word) || among(t.word, "who", "which", "that", "you") {
			return false
		}
	}
	return true
}

// owner is the subject of the open clause, if it is the user.
func (c *cutter) owner() []token {
	if c.subject != nil {
		return c.subject
	}
	open := skipFillers(c.sentence[c.start:])
	if len(open) > 1 && (among(open[0].word, "i", "we")) {
		return open[:1]
	}
	return nil
}

func (c *cutter) cut(end, next int, subject []token) {
	c.close(end, subject)
	c.start = next
}

func (c *cutter) close(end int, subject []token) {
	if end > c.start && !c.skip {
		last := c.sentence[end-1]
		c.clauses = append(c.clauses, clause{tokens: c.sentence[c.start:end], subject: c.subject, asked: last.asked})
	}
	c.subject, c.skip = subject, false
}

// skipFillers drops greetings, connectives and other words before a clause.
func skipFillers(ts []token) []token {
	for len(ts) > 0 && small.has("filler", ts[0].word) {
		ts = ts[1:]
	}
	return ts
}
