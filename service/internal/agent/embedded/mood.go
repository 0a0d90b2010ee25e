package embedded

import "strings"

// mood is what a sentence is for.
type mood int

const (
	states mood = iota
	asks
	requests
	greets // or thanks, and states nothing
)

func moodOf(tokens []token, text string) mood {
	bare := stripped(tokens, fillers)
	switch {
	case startsWith(tokens, keepers) > 0:
		return states
	case questionMark(tokens, text), interrogative(bare), startsWith(bare, forgotten) > 0:
		return asks
	case request(bare):
		return requests
	case len(bare) == 0:
		return greets
	}
	return states
}

// questionMark tells whether a sentence ends with one that is not a part of a
// quotation.
func questionMark(tokens []token, text string) bool {
	text = strings.TrimRight(text, " \r\n\t")
	outer := strings.TrimRight(text, ".!…。！?？؟")
	if strings.ContainsAny(text[len(outer):], "?？؟") {
		return true
	}
	inner := strings.TrimRight(outer, "\"”’»)'")
	return strings.ContainsAny(inner[len(strings.TrimRight(inner, ".!…。！?？؟")):], "?？؟") && tokens[0].quoted
}

// interrogative tells a question by the order of its words.
func interrogative(ts []token) bool {
	if len(ts) == 0 || ts[0].quoted {
		return false
	}
	first, rest := ts[0].word, ts[1:]
	if len(rest) == 0 {
		return first == "why" || first == "what" || first == "who" || first == "how"
	}
	next := rest[0].word
	switch {
	case ourOwn[next]:
		return asking[first] && beForms[rest[len(rest)-1].word] || auxiliaries[first] && first != "have" || modals[first] || beForms[first]
	case first == "how":
		return verbal(next) || !selfPronouns[next] && !determiners[next] && next != "you"
	case first == "what", first == "which", first == "whose":
		return verbal(next) || next == "about" || next == "else" || !determiners[next] && !subjectPronoun(next) && anyVerbal(rest[1:min(len(rest), 5)])
	case asking[first]:
		return verbal(next) || first == "who" && verbs[rest[0].stem] || first == "why" && next != "i"
	case first == "is", first == "are", first == "was", first == "were", first == "am":
		return next != "not"
	case auxiliaries[first], modals[first]:
		return subjectPronoun(next) || first != "have" && determiners[next] || next == "not" && len(rest) > 1 && subjectPronoun(rest[1].word)
	}
	return false
}

// verbal tells whether a word is a form of be or an auxiliary.
func verbal(word string) bool { return beForms[word] || auxiliaries[word] || modals[word] }

func anyVerbal(ts []token) bool {
	for _, t := range ts {
		if verbal(t.word) || t.word == "'s" {
			return true
		}
	}
	return false
}

func subjectPronoun(word string) bool {
	return selfPronouns[word] || otherPronouns[word] || thingPronouns[word] || word == "you" || word == "there" || word == "anyone" || word == "anybody"
}

// request tells an order: a verb without a subject.
func request(ts []token) bool {
	if n := startsWith(ts, tellMe); n > 0 && n < len(ts) {
		return true
	}
	ts = stripped(ts, wrappings)
	if len(ts) == 0 {
		return false
	}
	if startsWith(ts, orders) > 0 {
		return true
	}
	if !requestVerbs[ts[0].word] || ts[0].quoted {
		return false
	}
	return len(ts) == 1 || echoVerbs[ts[0].word] || !(ts[1].colon && labels[ts[0].word]) && !verbal(ts[1].word) && !nounsAhead(ts)
}

// nounsAhead tells the subject of a statement that looks like an order, as in
// "Book club is on Monday".
func nounsAhead(ts []token) bool {
	return len(ts) > 2 && beForms[ts[2].word] && !asking[ts[1].word] && !determiners[ts[1].word] && !subjectPronoun(ts[1].word)
}
