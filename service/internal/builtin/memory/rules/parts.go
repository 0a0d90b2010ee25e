package rules

// part is a piece of a message that may say something about its user: a rule found it,
// or it is a clause or a phrase that no rule matched.
type part struct {
	candidate
	shape    shape
	features []string
	sentence int // the sentence that it is in
}

// shape is how a part is built.
type shape string

const (
	ruled     shape = "rule"   // a rule found it
	unruled   shape = "clause" // "I wrote the app"
	wished    shape = "wish"   // "use tables"
	possessed shape = "owned"  // "my Developer job", in a clause about something else
	described shape = "role"   // "as a beginner", likewise
)

// aside reports whether a part is only mentioned beside what its clause says.
func (p part) aside() bool { return p.shape == possessed || p.shape == described }

// partsOf returns the parts of the sentences, in order, with their features.
func partsOf(text string, sentences [][]token) []part {
	var tokens []token
	for _, sentence := range sentences {
		tokens = append(tokens, sentence...)
	}
	only := len(sentences) <= 2 && alone(tokens)
	var all []part
	reacts := false
	for i, sentence := range sentences {
		for _, p := range inSentence(text, sentence, only, reacts) {
			p.sentence = i
			all = append(all, p)
		}
		reacts = reaction(sentence)
	}
	around(text, sentences, all)
	return all
}

// inSentence returns the parts of a sentence: its clauses first, then the phrases outside them.
func inSentence(text string, sentence []token, only, reacts bool) []part {
	var all []part
	wide, questioned := lasting(sentence), false
	for _, c := range clausesOf(sentence) {
		c.only, c.lasting = only, wide
		asks := c.asked && !questioned && !interrogative(c.tokens) && !requested(c)
		questioned = questioned || interrogative(c.tokens)
		all = append(all, inClause(text, c, reacts, asks)...)
	}
	for i := range sentence {
		if p, ok := beside(text, sentence, i); ok && !within(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// within reports whether a part is inside another. An instruction does not state what its words presume.
func within(all []part, p part) bool {
	for _, other := range all {
		if other.shape != wished && other.start <= p.start && p.end <= other.end {
			return true
		}
	}
	return false
}

// inClause returns what the rules find in a clause. If they find nothing, it returns the clause
// itself. The rules do not judge a clause that asks.
func inClause(text string, c clause, reacts, asks bool) (all []part) {
	f, framed := frameOf(c)
	features := clauseFeatures(c, f, framed)
	if !asks {
		for _, found := range judge(text, c, reacts) {
			all = append(all, part{candidate: found, shape: ruled, features: features})
		}
		if len(all) > 0 {
			return all
		}
	}
	if framed && !f.unsaid() {
		for _, found := range f.found(text, no) {
			all = append(all, part{candidate: found, shape: unruled, features: features})
		}
		return all
	}
	if w, ok := wishOf(c); ok && w.verb+1 < len(w.tokens) && !w.tokens[w.verb].quoted && verbs.has("answer", lemma(w.tokens[w.verb].word)) {
		found := w.candidates(text)[0]
		found.verdict = no
		return []part{{candidate: found, shape: wished, features: features}}
	}
	return nil
}

// beside takes "my Developer job" or "as a beginner" at a token of a sentence.
func beside(text string, sentence []token, i int) (part, bool) {
	if sentence[i].quoted || i+2 > len(sentence) {
		return part{}, false
	}
	switch word := sentence[i].word; {
	case among(word, "my", "our"):
		p := phraseAt(sentence[i:])
		if p.head == "" || p.quoted || p.end < 2 {
			return part{}, false
		}
		return part{candidate: presumedOwned(text, sentence[i:], p), shape: possessed, features: phraseFeatures(sentence, i, p)}, true
	case word == "as" && among(sentence[i+1].word, "a", "an", "someone"):
		p := phraseAt(sentence[i+1:])
		if p.head == "" || p.quoted {
			return part{}, false
		}
		return part{candidate: presumedRole(text, sentence, i, p), shape: described, features: phraseFeatures(sentence, i, p)}, true
	}
	return part{}, false
}
