package embedded

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// units are what can be counted in a text.
var units = map[string]func(string) int{
	stemOf("word"):      countWords,
	stemOf("character"): utf8.RuneCountInString,
	stemOf("char"):      utf8.RuneCountInString,
	stemOf("letter"):    countLetters,
	stemOf("sentence"):  countSentences,
	stemOf("line"):      func(text string) int { return strings.Count(text, "\n") + 1 },
}

var unitNames = map[string]string{stemOf("word"): "word", stemOf("character"): "character", stemOf("char"): "character",
	stemOf("letter"): "letter", stemOf("sentence"): "sentence", stemOf("line"): "line"}

func countWords(text string) int {
	n := 0
	for word := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(word, wordRune) {
			n++
		}
	}
	return n
}

func countLetters(text string) int {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

func countSentences(text string) int {
	return len(newMessage(chat.PromptMessage{Text: text}).sentences)
}

// count answers "how many …" where the chat itself or a text is counted.
func (t transcript) count(ask question) (reply, bool) {
	ts, ok := counted(ask.tokens)
	if !ok || len(ts) == 0 {
		return reply{}, false
	}
	if hasPrefix(ask.tokens, []string{"how", "long"}) {
		return t.countLength(ask, ts)
	}
	if r, ok := t.countTimes(ask, ts); ok {
		return r, true
	}
	if r, ok := t.countLetter(ask, ts); ok {
		return r, true
	}
	for i, token := range ts[:min(len(ts), 3)] {
		if units[token.stem] != nil {
			return t.countText(ask, token.stem, ts[i+1:])
		}
	}
	return t.countMessages(ts)
}

// counted is what follows "how many".
func counted(ts []token) ([]token, bool) {
	for _, begin := range []string{"how many", "how often", "count", "the number of", "number of", "what is the number of", "what is the total number of", "how long"} {
		if phrase := strings.Fields(begin); hasPrefix(ts, phrase) {
			if begin == "how often" {
				return ts, true
			}
			return stripped(ts[len(phrase):], phrases("of, the, all, all the, different, total")), true
		}
	}
	return nil, false
}

// countLength answers "how long is …".
func (t transcript) countLength(ask question, ts []token) (reply, bool) {
	if hasWord(ask.whole, "chat") || hasWord(ask.whole, "conversation") {
		return reply{text: t.total(), looked: true}, true
	}
	target, ok := t.target(ask, ts)
	if !ok || target.verb != "has" {
		return reply{}, false
	}
	r := target.reply
	r.text = fmt.Sprintf("%s has %s and %s.", target.label, plural(countWords(target.text), "word"), plural(utf8.RuneCountInString(target.text), "character"))
	return r, true
}

var countingWords = words(`send sent exchanged exchange total exist make made pose posed there now contain contained contains include included received get
	got given give written wrote typed been answered`)

// countMessages counts what was said, asked or answered before this message.
func (t transcript) countMessages(ts []token) (reply, bool) {
	known := slices.DeleteFunc(slices.Clone(ts), func(t token) bool { return countingWords[t.word] })
	r, ok := readReference(known)
	if !ok || !slices.ContainsFunc(known, func(t token) bool { return speechNouns[t.stem] != noKind }) {
		return reply{}, false
	}
	if r.kind == aQuestion && slices.ContainsFunc(ts, func(t token) bool { return givenBack[t.stem] }) {
		r.side = userSide // who answers does not ask
	}
	if r.kind == aMessage && !ofSomebody(ts) && r.side == userSide || hasWord(ts, "we") {
		return reply{text: t.total(), looked: true}, true
	}
	return reply{text: sentenceCase(howMany(r, len(t.named(r)))) + t.withThis(r) + ".", looked: true}, true
}

// ofSomebody tells whether words name the user or the agent.
func ofSomebody(ts []token) bool {
	return slices.ContainsFunc(ts, func(t token) bool {
		return selfPronouns[t.word] || ourOwn[t.word] || t.word == "you" || t.word == "your"
	})
}

// howMany is "you have asked 2 questions before this one".
func howMany(r reference, n int) string {
	who, verb := "you", "sent"
	if r.side == agentSide {
		who = "I"
	}
	switch r.kind {
	case aQuestion:
		verb = "asked"
	case aStatement:
		verb = "made"
	}
	return fmt.Sprintf("%s have %s %s before this one", who, verb, plural(n, kindNames[r.kind]))
}

// withThis adds the last message to a count where it counts too.
func (t transcript) withThis(r reference) string {
	n := len(t.named(r))
	switch {
	case r.side == agentSide:
		return ""
	case r.kind == aMessage:
		return fmt.Sprintf(", %d with it", n+1)
	case r.kind == aQuestion:
		now := len(lines([]message{t.last}, func(s sentence) bool { return s.mood == asks }))
		if now > 0 {
			return fmt.Sprintf(", %d with it", n+now)
		}
	}
	return ""
}

func (t transcript) total() string {
	yours, mine := len(t.named(reference{kind: aMessage})), len(t.answers())
	return fmt.Sprintf("There were %s before this one: %d from you and %d from me.", plural(yours+mine, "message"), yours, mine)
}

// countText counts words, characters and the like of a text.
func (t transcript) countText(ask question, unit string, rest []token) (reply, bool) {
	target, ok := t.target(ask, rest)
	if !ok {
		return reply{}, false
	}
	r := target.reply
	r.text = fmt.Sprintf("%s %s %s", target.label, target.verb, plural(units[unit](target.text), unitNames[unit]))
	if target.shown != "" {
		r.text += ": " + closedQuote(target.shown)
		return r, true
	}
	r.text += "."
	return r, true
}
