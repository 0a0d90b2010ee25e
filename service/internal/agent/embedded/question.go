package embedded

import (
	"slices"
	"strings"
)

// question is one thing that the last message asks for or orders.
type question struct {
	tokens  []token // without what may be taken off
	whole   []token
	message message
	order   bool
}

// longMessage is the number of sentences from which on a message counts as a
// text with its question at the beginning or at the end.
const longMessage = 6

func (t transcript) questions() []question {
	var all []question
	sentences := t.last.sentences
	if len(sentences) > longMessage {
		sentences = []sentence{sentences[0], sentences[len(sentences)-1]}
	}
	for _, s := range sentences {
		if s.mood != asks && s.mood != requests || s.unreal {
			continue
		}
		for _, part := range questionParts(s) {
			tokens := unwrapped(part)
			all = append(all, question{tokens: tokens, whole: part, message: t.last, order: s.mood == requests || request(part)})
		}
	}
	return all
}

// unwrapped takes off what says nothing about the question itself.
func unwrapped(ts []token) []token {
	for range unwrappings {
		next := trimmedTail(stripped(stripped(ts, fillers), wrappings))
		if len(next) == len(ts) || len(next) == 0 {
			return next
		}
		ts = next
	}
	return ts
}

// unwrappings bounds how often fillers and wrappings take turns.
const unwrappings = 4

func unwrappedWord(ts []token) string {
	if ts = unwrapped(ts); len(ts) > 0 {
		return ts[0].word
	}
	return ""
}

// questionParts cuts a sentence that asks for several things.
func questionParts(s sentence) [][]token {
	ts := s.tokens
	if s.mood == requests && echoVerbs[unwrappedWord(ts)] {
		return [][]token{ts}
	}
	var parts [][]token
	start := 0
	for i := 1; i < len(ts); i++ {
		next := i
		if ts[i].word == "and" || ts[i].word == "but" {
			next++
		}
		if (next > i || ts[i].pause) && i > start && !ts[i].quoted && asksMore(ts[start:i], ts[next:]) {
			parts = append(parts, ts[start:i])
			start = next
		}
	}
	parts = append(parts, ts[start:])
	if real := slices.DeleteFunc(slices.Clone(parts), onlyStates); len(real) > 0 {
		return real
	}
	return parts
}

// asksMore tells whether a second question begins after a first part.
func asksMore(before, ts []token) bool {
	if len(ts) < 2 {
		return false
	}
	if interrogative(ts) || asking[ts[0].word] && (selfPronouns[ts[1].word] || ourOwn[ts[1].word]) {
		return true
	}
	if !ourOwn[ts[0].word] || anyVerbal(ts[:2]) {
		return false
	}
	bare := unwrapped(before)
	return len(bare) > 2 && asking[bare[0].word] && beForms[bare[1].word] && ourOwn[bare[2].word] || len(bare) > 1 && ourOwn[bare[0].word]
}

// onlyStates tells a part that asks nothing, beside one that does.
func onlyStates(ts []token) bool {
	if len(unwrapped(ts)) == 0 {
		return true
	}
	bare := stripped(ts, fillers)
	_, ok := frameOf(ts)
	return ok && !interrogative(bare) && startsWith(bare, wrappings) == 0 && startsWith(bare, forgotten) == 0
}

// words is how words of the question were written; shouting is taken back.
func (q question) words(ts []token) string {
	if len(ts) == 0 {
		return ""
	}
	text := q.message.text[ts[0].start:ts[len(ts)-1].end]
	if q.message.oneCase {
		text = strings.ToLower(text)
	}
	return text
}

// personal tells whether the question is about the user.
func (q question) personal() bool {
	return hasWord(q.tokens, "i", "we", "my", "our", "mine", "me", "us", "myself")
}

// foreign tells whether there is hardly an English word in the question.
func (q question) foreign() bool {
	known, plain := 0, true
	for _, t := range q.whole {
		if functionWords[t.word] || asking[t.word] || verbs[t.stem] || requestVerbs[t.word] {
			known++
		}
		plain = plain && isASCII(t.word)
	}
	if !plain {
		return known*2 < len(q.whole)
	}
	return known*3 < len(q.whole) && len(q.whole) > 2
}

func isASCII(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return r > 127 })
}
