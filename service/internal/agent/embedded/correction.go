package embedded

// readIt reads "it is Eva" after "my name isn't Bob": a correction of what was
// said just before, and nothing else, since "it is raining" is none.
func (r *reader) readIt(c clause, f frame) {
	if f.verb != stemBe || r.topic == nil || !r.corrected && !r.topic.negated {
		return
	}
	made := *r.topic
	made.object, made.value = content(f.rest), valueText(c, f.rest)
	if made.key.has(keyName) {
		made.value = nameText(c, f.rest)
	}
	made.negated, made.past, made.weak = false, false, false
	r.add(c, f, made)
	r.facts[len(r.facts)-1].line = c.whole
	r.topic = &r.facts[len(r.facts)-1]
}

var corrections = phrases("i meant, i mean, sorry i meant, no i meant, correction")

// readCorrection reads "No, sorry, Blade Runner", which puts something in the
// place of what was said just before.
func (r *reader) readCorrection(c clause, ts []token) {
	begin := c.tokens[:len(c.tokens)-len(ts)]
	meant := startsWith(c.tokens, corrections) > 0
	no := ts[0].pause && hasWord(begin, "no", "sorry", "actually", "correction")
	if len(ts) <= 4 && (meant || no) && !functionWords[ts[0].word] && !negations[ts[0].word] && !adverbs[ts[0].word] {
		r.corrected = true
		r.readIt(c, frame{verb: stemBe, be: "is", rest: ts})
	}
}
