package embedded

import "slices"

// query is a question about what was stated.
type query struct {
	keys     []key    // what answers it, the best first
	objects  []string // what has to be said as well
	kind     []string // what the answer should be: "what city …"
	asking   string   // what, who, where, when, how …, "" where yes or no is asked
	quality  string   // old in "how old"
	noun     []token  // what is asked for: "my sister's name"
	called   bool     // the name of the noun is asked for
	negated  bool
	past     bool
	self     bool // it is asked what the user does or is
	you      bool // the agent is asked about itself
	closed   bool // "is my …": the noun ends with what is guessed
	either   bool // one of the objects is enough
	approved bool // all facts hold
	near     bool // what is found need not be what was asked for
}

// queryOf reads a question. It brings its words into the order of a statement,
// so that both are understood by the same rules.
func queryOf(ts, person []token) (query, bool) {
	var q query
	ts = unsaid(ts)
	ts = q.readAsking(ts)
	if len(ts) == 0 {
		return q, false
	}
	first, rest := ts[0], ts[1:]
	switch {
	case first.stem == stemOf("do") && first.word != "done" && len(rest) > 0:
		q.past = first.word == "did"
		f, ok := afterDo(rest)
		return q.fromFrame(f, person), ok
	case auxiliaries[first.word], modals[first.word]:
		q.past = first.word == "had"
		f, ok := frameOf(rest)
		if !ok {
			f, ok = afterDo(rest)
		}
		return q.fromFrame(f, person), ok
	case beForms[first.word], first.word == "'s":
		q.past = first.word == "was" || first.word == "were"
		return q.afterBe(rest, person)
	}
	return q.indirect(ts, person)
}

// unsaid takes "did I say" out of "what did I say my name was".
func unsaid(ts []token) []token {
	if len(ts) == 0 || !asking[ts[0].word] {
		return ts
	}
	n := startsWith(ts[1:], saidBefore)
	if n == 0 || n+1 >= len(ts) {
		return ts
	}
	if ts[0].word == "when" { // of the saying
		return ts[1+n:]
	}
	return append(ts[:1:1], ts[1+n:]...)
}

// readAsking takes off "what", "how old", "which city".
func (q *query) readAsking(ts []token) []token {
	if len(ts) == 0 || !asking[ts[0].word] {
		return ts
	}
	q.asking, ts = ts[0].word, ts[1:]
	if q.asking == "how" && len(ts) > 0 && !verbal(ts[0].word) && !subjectPronoun(ts[0].word) && !determiners[ts[0].word] {
		q.quality, ts = ts[0].stem, ts[1:]
	}
	n := 0
	for n < len(ts) && !verbal(ts[n].word) && !subjectPronoun(ts[n].word) && !determiners[ts[n].word] && ts[n].word != "'s" {
		n++
	}
	if n < len(ts) && n > 0 && q.asking != "who" {
		kind := slices.DeleteFunc(content(ts[:n]), func(stem string) bool { return emptyKinds[stem] })
		q.kind, ts = kind, ts[n:]
	}
	if len(q.kind) == 1 && timeKinds[q.kind[0]] {
		q.asking, q.kind = "when", nil
	}
	return ts
}

var timeKinds = stems("time day date month year hour")

var emptyKinds = stems("kind sort type thing else")

// afterDo reads a subject and a verb in its base form: "my sister live".
func afterDo(ts []token) (frame, bool) {
	f := frame{}
	ts = f.skip(ts)
	if len(ts) < 2 {
		return f, false
	}
	start := 1
	if determiners[ts[0].word] {
		start = 2
	}
	if subjectPronoun(ts[0].word) {
		f.subject = ts[:1]
		return f.readVerb(ts[1:])
	}
	for i := start; i < len(ts); i++ {
		if verbs[ts[i].stem] || ts[i].stem == stemOf("do") || ts[i].stem == stemHave {
			f.subject = ts[:i]
			return f.readVerb(ts[i:])
		}
	}
	return f, false
}

// afterBe reads "am I …" and "is my …".
func (q query) afterBe(ts, person []token) (query, bool) {
	if len(ts) == 0 {
		return q, false
	}
	var f frame
	ts = f.skip(ts)
	switch {
	case len(ts) == 0:
		return q, false
	case subjectPronoun(ts[0].word):
		f.subject = ts[:1]
		return q.fromFrame(f.afterBe(f.skip(ts[1:])), person), true
	}
	for i := 1; i < len(ts); i++ {
		doing := verbs[ts[i].stem] && hasSuffix(ts[i].word, "ing") && i > 1
		if doing || ts[i].stem == "born" || i == len(ts)-1 && ts[i].word == "from" {
			f.subject = ts[:i]
			return q.fromFrame(f.afterBe(ts[i:]), person), true
		}
	}
	q.closed = q.asking == ""
	return q.fromNoun(ts, person), true
}

// indirect reads "where I live", "what my name is" and "my name".
func (q query) indirect(ts, person []token) (query, bool) {
	ts = stripped(ts, fillers)
	f, ok := frameOf(ts)
	if ok && ts[len(f.lead)+len(f.subject)].word == "'s" { // "my sister's name" asks for a noun
		return q.fromNoun(ts, person), true
	}
	if ok && (len(f.rest) > 0 || f.verb != stemBe || subjectPronoun(f.subject[0].word)) {
		return q.fromFrame(f, person), true
	}
	if ok {
		return q.fromNoun(f.subject, person), true
	}
	return q.fromNoun(ts, person), true
}
