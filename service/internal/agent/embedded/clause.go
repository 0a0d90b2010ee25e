package embedded

import "strings"

// clause is a part of a sentence with its own subject and verb.
type clause struct {
	tokens []token // a borrowed subject in front
	line   line    // what to quote
	// whole is the sentence, to be quoted where the clause alone says too little.
	whole line
	// borrowed tells that the subject stands in the clause before.
	borrowed bool
}

// quotable is what to show of the clause to somebody who does not see the rest.
func (c clause) quotable() line {
	first := stripped(c.tokens, fillers)
	if c.borrowed || len(first) > 0 && (thingPronouns[first[0].word] || otherPronouns[first[0].word] || possessives[first[0].word]) {
		return c.whole
	}
	return c.line
}

// clausesOf cuts a sentence before what begins a clause of its own: a pause or
// a conjunction, then a subject with its verb.
func clausesOf(m message, s sentence) []clause {
	c := cutter{message: m, sentence: s}
	for i := 1; i < len(s.tokens); i++ {
		c.consider(i)
	}
	c.close(len(s.tokens), s.end)
	return c.clauses
}

// cutter walks over a sentence. The open clause begins at token start, and its
// quotation at token shown.
type cutter struct {
	message      message
	sentence     sentence
	start, shown int
	borrowed     []token
	clauses      []clause
}

func (c *cutter) consider(i int) {
	ts := c.sentence.tokens
	if ts[i].quoted || i <= c.start {
		return
	}
	rest := ts[i:]
	conjunction := conjunctions[ts[i].word] && len(rest) > 1
	if conjunction {
		rest = rest[1:]
	}
	if !conjunction && !ts[i].pause || conjunction && !ts[i].pause && !c.complete(i) {
		return
	}
	next := len(ts) - len(rest)
	if opensClause(rest) {
		c.cut(i, next, nil)
		return
	}
	if conjunction && len(rest) > 1 {
		if subject := c.subject(i); continues(subject, rest[0]) {
			c.cut(i, next, subject)
		}
	}
}

// continues tells whether a word after "and" is a second verb of the subject,
// as in "I live in Lyon and work at night".
func continues(subject []token, t token) bool {
	if len(subject) == 0 || thingPronouns[subject[0].word] {
		return false
	}
	_, irregular := baseForms[t.word]
	bare := selfPronouns[subject[0].word] || severalOf(subject[len(subject)-1])
	switch {
	case beForms[t.word], t.stem == stemHave:
		return true
	case !verbs[t.stem], strings.HasSuffix(t.word, "ing"):
		return false
	}
	return bare || irregular || hasSuffix(t.word, "s", "ed")
}

// subject is that of the open clause, nil for none.
func (c *cutter) subject(end int) []token {
	if c.borrowed != nil {
		return c.borrowed
	}
	f, _ := frameOf(c.sentence.tokens[c.start:end])
	return f.subject
}

func (c *cutter) complete(end int) bool {
	_, ok := frameOf(c.sentence.tokens[c.start:end])
	return ok || len(c.borrowed) > 0 || interrogative(c.sentence.tokens[c.start:end])
}

// cut ends the open clause before token end; the next begins at token next,
// and takes over what was no clause, unless that is a filler.
func (c *cutter) cut(end, next int, borrowed []token) {
	shown := next
	if !c.complete(end) {
		if len(stripped(c.sentence.tokens[c.start:end], fillers)) > 0 {
			shown = c.shown
		}
	} else {
		c.close(end, c.sentence.tokens[end-1].end)
	}
	c.start, c.shown, c.borrowed = next, shown, borrowed
}

func (c *cutter) close(end, at int) {
	tokens := c.sentence.tokens
	whole := line{c.message, c.sentence.span, tokens}
	part := line{c.message, span{tokens[c.shown].start, at}, tokens[c.shown:end]}
	part.end += closingLength(c.message.text[at:])
	if c.shown == 0 {
		part.start = c.sentence.start
	}
	open := append(append([]token(nil), c.borrowed...), tokens[c.start:end]...)
	c.clauses = append(c.clauses, clause{tokens: open, line: part, whole: whole, borrowed: len(c.borrowed) > 0})
}

// closingLength is the length of the closing marks at the beginning.
func closingLength(text string) int {
	return len(text) - len(strings.TrimLeft(text, "\"”»)"))
}

// opensClause tells whether words begin a clause.
func opensClause(ts []token) bool {
	ts = stripped(ts, fillers)
	if len(ts) < 2 || ts[0].quoted {
		return false
	}
	if subjectPronoun(ts[0].word) && !isVerbLike(ts[1]) {
		return false
	}
	_, ok := frameOf(ts)
	asked := interrogative(ts) && (asking[ts[0].word] || subjectPronoun(ts[1].word) || determiners[ts[1].word])
	return ok || asked || suppositions[ts[0].word] || ts[0].stem == stemCall && ts[1].word == "me"
}

func isVerbLike(t token) bool {
	return verbal(t.word) || verbs[t.stem] || adverbs[t.word] || negations[t.word]
}
