package embedded

import "slices"

// mentioning are the sentences that say most of the words, at least half of
// them: statements before questions, and never the asking sentence.
func mentioning(messages []message, words []string, ask question) []line {
	for _, want := range []func(sentence) bool{func(s sentence) bool { return s.mood == states }, anySentence} {
		var found []line
		best := (len(words) + 1) / 2
		for _, l := range lines(messages, want) {
			if l.message.id == ask.message.id && l.start <= ask.whole[0].start && ask.whole[0].start < l.end {
				continue
			}
			n := sharedWords(l.tokens, words)
			if n > best {
				found, best = nil, n
			}
			if n == best && n > 0 {
				found = append(found, l)
			}
		}
		if len(found) > 0 {
			return found[max(0, len(found)-enough):]
		}
	}
	return nil
}

// sharedWords is the number of the words that stand in a sentence.
func sharedWords(ts []token, words []string) int {
	n := 0
	for _, word := range newKey(words...) {
		if slices.ContainsFunc(ts, func(t token) bool { return t.stem == word }) {
			n++
		}
	}
	return n
}

// recallWords answers with the latest statement that has all the words of the
// question.
func (t transcript) recallWords(ask question, q query) (reply, bool) {
	if byRulesAlone(q.keys[0]) {
		return reply{}, false
	}
	if q.keys[0].has(keyHave) && q.self {
		return t.ownedInPassing(q.objects)
	}
	if q.self && (len(q.objects) == 0 || q.keys[0].grouped() && q.asking != "why" && q.asking != "how") {
		return reply{}, false
	}
	wanted := slices.DeleteFunc(content(ask.tokens), func(stem string) bool { return stem == q.quality })
	if len(wanted) == 0 {
		return reply{}, false
	}
	var found []line
	for _, l := range t.statements() {
		if sharedWords(l.tokens, wanted) == len(newKey(wanted...)) && q.fits(l.tokens, q.keys[0]) && !othersOwn(l.tokens, ask.tokens) {
			found = append(found, l)
		}
	}
	if len(found) == 0 {
		return reply{}, false
	}
	r, introduction := reply{looked: true}, "You said"
	if !ask.personal() && len(wanted) < 2 {
		introduction, r.near = closest, true
		r.text = "There is no model to ask. "
	}
	r.quote(introduction, found[len(found)-1])
	return r, true
}

// byRulesAlone tells a key that no sentence answers by having its words: "I hate
// my job" tells no job, and any name may be another's.
func byRulesAlone(k key) bool {
	named := k.has(keyName) || k.has(keySurname) || k.has(keyNick) || k.has(keyAge)
	return named || len(k) == 1 && singularKey(k) && !k.has(keyBirth)
}

// ownedInPassing finds "my brother" where it is asked whether there is one.
func (t transcript) ownedInPassing(objects []string) (reply, bool) {
	for _, l := range slices.Backward(t.statements()) {
		for i, word := range l.tokens {
			if !ourOwn[word.word] || i+1 >= len(l.tokens) || len(objects) != 1 {
				continue
			}
			if next := l.tokens[i+1].stem; next == objects[0] || kinds[next] == objects[0] {
				r := reply{looked: true}
				r.quote("You said", l)
				return r, true
			}
		}
	}
	return reply{}, false
}

// othersOwn tells whether a word that the question gives to the user, as in
// "my car", belongs to somebody else in the sentence.
func othersOwn(said, asked []token) bool {
	for i := 1; i < len(asked); i++ {
		if !ourOwn[asked[i-1].word] {
			continue
		}
		at := slices.IndexFunc(said, func(t token) bool { return t.stem == asked[i].stem })
		if at > 0 && (said[at-1].word == "'s" || possessives[said[at-1].word] || said[at-1].word == "your") {
			return true
		}
	}
	return false
}

// nearest answers a question in another language: with the statement that
// shares its longest word, if there is one.
func (t transcript) nearest(ask question) reply {
	best, length := line{}, 3
	for _, l := range t.statements() {
		for _, word := range ask.whole {
			if n := len(word.word); n >= length && sharedWords(l.tokens, []string{word.stem}) > 0 {
				best, length = l, n
			}
		}
	}
	r := reply{text: notEnglish, looked: true, offer: best.tokens == nil}
	if best.tokens != nil {
		r.text += " "
		r.quote(closest, best)
	}
	return r
}
