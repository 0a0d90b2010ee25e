package embedded

import (
	"fmt"
	"regexp"
	"slices"
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
	if q.words[0].Plain == "count" && len(q.words) == 3 && q.words[1].Plain == "to" {
		return countTo(q.words[2].Plain), true
	}
	unit := unitOf(q)
	switch count := units[unit]; {
	case unit == "message" && q.has("chat conversation sent exchanged there"):
		yours, mine := len(t.by(wire.RoleUser)), len(t.by(wire.RoleAssistant))
		all := plural(yours+mine, "message")
		return reply{text: fmt.Sprintf("There were %s before this one: %d from you and %d from me.", all, yours, mine), looked: true}, true
	case count != nil:
		return t.countText(q, unit, count)
	}
	return reply{}, false
}

// unitOf is what a question wants counted: the first unit after "many", "number" or "count". It is
// empty if that is something else.
func unitOf(q question) string {
	asks := false
	for _, w := range q.words {
		unit := strings.TrimSuffix(w.Plain, "s")
		switch _, known := units[unit]; {
		case w.Plain == "many" || w.Plain == "number" || w.Plain == "count":
			asks = true
		case asks && (known || unit == "message"):
			return unit
		}
	}
	return ""
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

var (
	// given finds the text that a question wants counted: in quotation marks, after a colon, or a
	// word at the end.
	given = regexp.MustCompile(`(?i)["“„«]([^"“”»]+)["”“»]|:\s*(\S.*)$|\b(?:in|the word) ([\pL'’-]+)\W*$`)
	// pointing are the words of a question that names no text, such as "How many words are there?" and
	// "How many letters did I write in that last sentence?"
	pointing = english.Set(`how many much number count of the a an are is were was be there here that it this these those in have has had does did do i we you
say said write wrote written send sent type typed tell me my your our last previous above before just now please can could and so
word words character characters letter letters sentence sentences text message question answer reply paragraph`)
)

// countText counts in this message, in the text that it gives, or in what was said before.
func (t transcript) countText(q question, unit string, count func(string) int) (reply, bool) {
	counts := func(what, text string) (reply, bool) {
		return reply{text: fmt.Sprintf("%s has %s.", what, plural(count(strings.TrimSpace(text)), unit))}, true
	}
	if q.has("this") && q.has("question message sentence text") {
		return counts("This message", t.last.Text)
	}
	if q.points() {
		return counts(t.meant(q))
	}
	if match := given.FindStringSubmatch(q.text); match != nil {
		text := strings.TrimSpace(match[1] + match[2] + match[3])
		if match[3] == "" || unit == "letter" || unit == "character" {
			return counts("“"+shortened(text, listedRunes)+"”", text)
		}
	}
	return reply{}, false
}

// points reports whether a question is about a text that it doesn't name.
func (q question) points() bool {
	return !strings.ContainsAny(q.text, "\"“„«:") && !slices.ContainsFunc(q.words, func(w english.Word) bool { return !pointing[w.Plain] })
}

// meant finds the text that a question points at: what the message says before it, or else the last
// message of the user, or of the agent if it asks for that. The first message of a chat means itself.
func (t transcript) meant(q question) (what, text string) {
	role, what := wire.RoleUser, "Your last message"
	if q.has("you your answer reply") {
		role, what = wire.RoleAssistant, "My last answer"
	}
	before := t.last.Text[:max(0, strings.Index(t.last.Text, q.text))]
	earlier := t.by(role)
	switch {
	case strings.TrimSpace(before) != "" && role == wire.RoleUser:
		return "The text before your question", before
	case len(earlier) > 0:
		return what, earlier[len(earlier)-1].Text
	}
	return "This message", t.last.Text
}
