package upstream

import (
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// ErrNoText says that something else stands where a text must.
var ErrNoText = errors.New("the text is not a JSON string")

// Text joins pieces of text that were cut inside a code point. Some servers send each token
// separately, and a token can end within an emoji, as bytes or as one of its two \u escapes. The
// zero value is ready.
type Text struct {
	held string // the beginning of a code point, as it was in the JSON string
}

// Next decodes a JSON string. Invalid Unicode becomes U+FFFD.
func (t *Text) Next(literal string) (string, error) {
	if len(literal) < 2 || literal[0] != '"' {
		return "", ErrNoText
	}
	inner := t.held + literal[1:len(literal)-1]
	whole := len(inner) - unfinishedRune(inner)
	t.held = inner[whole:]
	return decode(inner[:whole])
}

// Rest returns the text that was held back.
func (t *Text) Rest() string {
	rest, err := decode(t.held)
	t.held = ""
	if err != nil {
		return string(utf8.RuneError)
	}
	return rest
}

func decode(inner string) (string, error) {
	var decoded string
	if err := json.Unmarshal([]byte(`"`+inner+`"`), &decoded); err != nil {
		return "", ErrNoText
	}
	return decoded, nil
}

// unfinishedRune returns how many bytes at the end of the inside of a JSON string are only the
// beginning of a code point.
func unfinishedRune(inner string) int {
	if endsWithHighSurrogate(inner) {
		return len(`\ud83d`)
	}
	for n := 1; n < utf8.UTFMax && n <= len(inner); n++ {
		tail := inner[len(inner)-n:]
		if !utf8.RuneStart(tail[0]) {
			continue
		}
		if utf8.FullRuneInString(tail) {
			return 0
		}
		return n
	}
	return 0
}

// endsWithHighSurrogate looks for an escape from \ud800 to \udbff whose
// backslash is not itself escaped.
func endsWithHighSurrogate(inner string) bool {
	start := len(inner) - len(`\ud83d`)
	if start < 0 || inner[start] != '\\' || inner[start+1] != 'u' || inner[start+2]|0x20 != 'd' {
		return false
	}
	switch inner[start+3] {
	case '8', '9', 'a', 'b', 'A', 'B':
	default:
		return false
	}
	backslashes := 0
	for i := start; i >= 0 && inner[i] == '\\'; i-- {
		backslashes++
	}
	return backslashes%2 == 1
}
