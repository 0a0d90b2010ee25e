package embedded

import "strings"

// frame is a clause taken apart: who, does or is, what.
type frame struct {
	subject []token
	verb    string // a stem; "be" for all of am, is, are, was
	be      string // the form of be as it was written
	rest    []token
	lead    []token // what stands before the subject: "tomorrow"
	passive bool    // "is called"
	negated bool
	past    bool // it need not hold any more
	unsure  bool // a wish, a plan or a possibility
}

const stemBe = "be"

var (
	stemHave = stemOf("have")
	stemCall = stemOf("call")
	stemLike = stemOf("like")
	// passives are the verbs that make a state of "be".
	passives = stems("call name born base employ locate situate raise bear")
	// lapsing are the verbs of what holds for a while: "lived" is over.
	lapsing = stems("live reside work employ like love enjoy adore own possess")
	plurals = words("people children parents friends men women colleagues everyone they")
)

// frameOf takes a clause apart whose subject stands before its verb.
func frameOf(ts []token) (frame, bool) {
	ts = stripped(ts, fillers)
	lead := leadLength(ts)
	f := frame{lead: ts[:lead]}
	ts = ts[lead:]
	n := subjectLength(ts)
	if n == 0 || n >= len(ts) {
		return frame{}, false
	}
	f.subject = ts[:n]
	if ts[n].colon {
		f.verb, f.be, f.rest = stemBe, "is", ts[n:]
		return f, true
	}
	return f.readVerb(ts[n:])
}

// object are the stems of what is said of the subject.
func (f frame) object() []string { return append(content(f.rest), content(f.lead)...) }

// readVerb reads the verb with its auxiliaries. What it does not know after "I"
// it takes for a verb.
func (f frame) readVerb(ts []token) (frame, bool) {
	ts = f.skip(ts)
	if len(ts) == 0 || ts[0].pause {
		return f, false
	}
	first, rest := ts[0], ts[1:]
	switch {
	case beForms[first.word] || first.word == "'s":
		f.be, f.past = strings.ReplaceAll(first.word, "'s", "is"), first.word == "was" || first.word == "were"
		return f.afterBe(f.skip(rest)), true
	case first.stem == stemHave:
		return f.afterHave(f.skip(rest), first.word == "had"), true
	case modals[first.word]:
		f.unsure = first.word != "can"
		return f.mainVerb(f.skip(rest))
	case first.stem == stemOf("do") && len(f.skip(rest)) > 0 && hasVerb(f.skip(rest)[0]):
		f.past = first.word == "did"
		return f.mainVerb(f.skip(rest))
	case first.word == "used" && len(rest) > 1 && rest[0].word == "to":
		f.past = true
		return f.mainVerb(rest[1:])
	}
	f.past = lapsing[first.stem] && strings.HasSuffix(first.word, "ed")
	return f.mainVerb(ts)
}

func hasVerb(t token) bool { return verbs[t.stem] || t.stem == stemHave }

// skip passes over adverbs and negations, and notes the latter.
func (f *frame) skip(ts []token) []token {
	for len(ts) > 0 && !ts[0].pause && (adverbs[ts[0].word] || negations[ts[0].word]) {
		noLonger := ts[0].word == "no" && len(ts) > 1 && ts[1].word == "longer"
		if ts[0].word == "no" && !noLonger {
			break
		}
		f.negated = f.negated || negations[ts[0].word]
		ts = ts[1:]
		if noLonger {
			ts = ts[1:]
		}
	}
	return ts
}

func (f frame) mainVerb(ts []token) (frame, bool) {
	if len(ts) == 0 {
		return f, false
	}
	f.verb, f.rest = ts[0].stem, ts[1:]
	if beForms[ts[0].word] {
		f.be = "is"
		return f.afterBe(f.rest), true
	}
	if f.unsure && f.verb == stemLike {
		f.verb, f.unsure = stemOf("want"), false
	}
	return f, true
}

func (f frame) afterBe(ts []token) frame {
	f.verb, f.rest = stemBe, ts
	if len(ts) == 0 || ts[0].pause {
		return f
	}
	going := ts[0].word == "going" && len(ts) > 2 && ts[1].word == "to"
	switch {
	case going && verbs[ts[2].stem]:
		f.verb, f.rest, f.unsure = ts[2].stem, ts[3:], true
	case passive(ts[0]), verbs[ts[0].stem] && strings.HasSuffix(ts[0].word, "ing"):
		f.verb, f.rest, f.passive = ts[0].stem, ts[1:], passive(ts[0])
	}
	return f
}

func (f frame) afterHave(ts []token, had bool) frame {
	f.verb, f.rest, f.past = stemHave, ts, had
	if len(ts) == 0 || ts[0].pause {
		return f
	}
	next := ts[0]
	_, irregular := baseForms[next.word]
	switch {
	case next.word == "been":
		return f.afterBe(f.skip(ts[1:]))
	case next.word == "got":
		f.rest = ts[1:]
	case verbs[next.stem] && (irregular || strings.HasSuffix(next.word, "ed")):
		f.verb, f.rest = next.stem, ts[1:]
	}
	return f
}
