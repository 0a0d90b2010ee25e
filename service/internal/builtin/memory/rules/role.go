package rules

// roleOf judges "As a nurse, …" and "my job as a nurse".
func roleOf(text string, c clause) []candidate {
	ts := c.tokens
	for len(ts) > 0 && ts[0].word != "as" && small.has("filler", ts[0].word) {
		ts = ts[1:]
	}
	f, rest, ok := openingRole(text, ts)
	if !ok {
		return nil
	}
	c.tokens = rest
	if len(rest) > 1 {
		f = append(f, judge(text, c, false)...)
	}
	return f
}

// openingRole takes "as a nurse" off the beginning.
func openingRole(text string, ts []token) ([]candidate, []token, bool) {
	if len(ts) < 3 || ts[0].word != "as" || !among(ts[1].word, "a", "an") {
		return nil, nil, false
	}
	end := 2
	for end < len(ts) && !ts[end].pause() && !among(ts[end].word, "i", "my", "we", "you", "what", "how") {
		end++
	}
	p := phraseAt(ts[1:end])
	if !p.role() || p.quoted || end > 14 || containsAny(p.words, "ai", "model", "assistant", "bot", "chatbot", "kid", "child", "boy", "girl", "teen", "teenager", "toddler") {
		return nil, nil, false
	}
	w := writer{text: text}
	w.rest(ts[1:end])
	last := ts[end-1].end
	f := candidate{verdict{fact, 0.9}, "User is " + tidy(w.b.String()), ts[0].start, last}
	return []candidate{f}, ts[end:], true
}
