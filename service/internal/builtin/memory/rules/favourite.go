package rules

import "unicode/utf8"

// favouriteOf judges "Jazz is my favourite music", "English is not my first
// language", "One of my hobbies is fishing".
func favouriteOf(text string, c clause) []candidate {
	ts := trimTail(skipFillers(c.tokens))
	if c.subject != nil || len(ts) < 4 || interrogative(ts) {
		return nil
	}
	judged := isMine
	if among(ts[0].word, "one", "some", "two", "among", "a") {
		judged = oneOf
	}
	owner, v := judged(ts)
	if v == no || len(ts) > longestClause {
		return nil
	}
	w := writer{text: text}
	w.opening(ts[:owner])
	w.b.WriteString(" User's")
	w.rest(ts[owner+1:])
	start, end := ts[0].start, ts[len(ts)-1].end
	content := upperFirst(tidy(w.b.String()))
	if utf8.RuneCountInString(content) > longestContent {
		return nil
	}
	return []candidate{{v, content, start, end}}
}

// oneOf judges "one of my favourite X is Y".
func oneOf(ts []token) (int, verdict) {
	for i := 1; i < min(5, len(ts)-2); i++ {
		if ts[i].word != "my" || ts[i-1].word != "of" {
			continue
		}
		p := phraseAt(ts[i:])
		at := i + p.end
		if at >= len(ts)-1 || p.head == "" {
			return 0, no
		}
		be := ts[at].word == "is" || among(ts[at].word, "are", "include", "was", "'s")
		if be && (preferredPhrase(p) || p.attribute("passion")) {
			return i, verdict{preference, 0.93}
		}
		if be && p.attribute("aim") {
			return i, verdict{context, 0.88}
		}
		if p.is("kin", "pet") {
			return i, verdict{fact, 0.85}
		}
	}
	return 0, no
}

// isMine judges "X is my favourite".
func isMine(ts []token) (int, verdict) {
	if small.any(ts[0].word, "pointing", "self") || small.has("subject", ts[0].word) {
		return 0, no
	}
	for i := 2; i < len(ts); i++ {
		if ts[i].word != "my" || ts[i].quoted {
			continue
		}
		verb := ts[i-1].word
		if among(verb, "not", "also", "definitely", "always", "among", "of") {
			verb = ts[max(i-2, 0)].word
		}
		if !among(verb, "is", "are", "was", "'s", "one", "were", "been") {
			continue
		}
		p := phraseAt(ts[i:])
		switch {
		case preferredPhrase(p), p.attribute("passion"):
			return i, verdict{preference, 0.93}
		case among(p.head, "language", "name", "hometown", "tongue", "job", "profession") || p.is("kin"):
			if ts[0].capital && !p.is("stop") || p.head == "language" {
				return i, verdict{fact, 0.85}
			}
		case p.attribute("aim"):
			return i, verdict{context, 0.8}
		}
	}
	return 0, no
}

func upperFirst(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}
