package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Limits of what is kept of calls. Longer arguments are cut, so that they are not valid JSON.
const (
	MostCalls     = 128
	ArgumentBytes = 64 << 10
	NameBytes     = 256
	// ReturnedBytes is how much of what a provider wants back with a round is kept.
	ReturnedBytes = 1 << 20
)

// TooManyCalls is the error of an answer with more than MostCalls.
func TooManyCalls() error {
	return Failed("The model made too many calls at once", fmt.Errorf("more than %d calls in one answer", MostCalls))
}

// longestName is how long the name of a tool may be.
const longestName = 64

// FitName returns a name that a provider accepts back. A model can make up a name that no tool
// can have, and OpenAI and Bedrock then refuse each later request with this name.
func FitName(name string) string {
	fit := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if fit == "" {
		return "_"
	}
	return fit[:min(len(fit), longestName)]
}

// ObjectOrNone returns arguments if they are a JSON object, and an empty object otherwise:
// servers parse them, and fail on anything else.
func ObjectOrNone(arguments string) string {
	if text := []byte(arguments); json.Valid(text) && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return arguments
	}
	return "{}"
}

// Beginning returns the beginning of a text, in whole code points.
func Beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// IDs are the ids of calls as they are sent, by their own. The zero value is ready.
type IDs struct{ sent map[string]string }

var fitting = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// Of returns an id that every provider takes: another one may have made the call.
func (i *IDs) Of(id string) string {
	if i.sent == nil {
		i.sent = map[string]string{}
	}
	if i.sent[id] == "" {
		i.sent[id] = id
		if !fitting.MatchString(id) {
			i.sent[id] = fmt.Sprintf("call_%05d", len(i.sent))
		}
	}
	return i.sent[id]
}
