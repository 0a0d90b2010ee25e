package upstream

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

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
