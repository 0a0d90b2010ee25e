package embedded

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/english"
)

// units are what can be counted in a text.
var units = map[string]func(string) int{
	"word":      func(text string) int { return len(english.Of(text)) },
	"character": utf8.RuneCountInString,
	"letter":    func(text string) int { return len(letter.FindAllString(text, -1)) },
	"sentence":  func(text string) int { return len(sentences(text)) },
}

// counted answers "How many words …?" and "Count to 20".
func (t transcript) counted(q question) (reply, bool) {
	counts := q.words[0].Plain == "count"
	if counts && len(q.words) == 3 && q.words[1].Plain == "to" {
		return countTo(q.words[2].Plain), true
	}
	for _, w := range q.words {
		unit := strings.TrimSuffix(w.Plain, "s")
		switch count := units[unit]; {
		case !counts && !q.has("many number"):
		case unit == "message" && q.has("chat conversation sent exchanged there"):
			yours, mine := len(t.by(wire.RoleUser)), len(t.by(wire.RoleAssistant))
			all := plural(yours+mine, "message")
			return reply{text: fmt.Sprintf("There were %s before this one: %d from you and %d from me.", all, yours, mine), looked: true}, true
		case count != nil:
			return t.countText(q, unit, count)
		}
	}
	return reply{}, false
}

// countedTo is the largest number to which the agent counts.
const countedTo = 1000

func countTo(number string) reply {
	last, err := strconv.Atoi(number)
	if err != nil || last < 1 || last > countedTo {
		return reply{text: fmt.Sprintf("I count to any number from 1 to %d.", countedTo)}
	}
	text := "1"
	for i := 2; i <= last; i++ {
		text += " " + strconv.Itoa(i)
	}
	return reply{text: text}
}

var letter = regexp.MustCompile(`\pL`)

// given finds the text that a question wants counted: in quotation marks, after a colon, or a
// word at the end.
var given = regexp.MustCompile(`(?i)["“„«]([^"“”»]+)["”“»]|:\s*(\S.*)$|\b(?:in|the word) ([\pL'’-]+)\W*$`)

// countText counts in this message, or in the text that it gives.
func (t transcript) countText(q question, unit string, count func(string) int) (reply, bool) {
	if q.has("this") && q.has("question message sentence text") {
		return reply{text: fmt.Sprintf("This message has %s.", plural(count(strings.TrimSpace(t.last.Text)), unit))}, true
	}
	if match := given.FindStringSubmatch(q.text); match != nil {
		text := strings.TrimSpace(match[1] + match[2] + match[3])
		return reply{text: fmt.Sprintf("“%s” has %s.", shortened(text, listedRunes), plural(count(text), unit))}, true
	}
	return reply{}, false
}
