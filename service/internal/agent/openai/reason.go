package openai

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// longestReason is how many characters of a provider's text are shown.
const longestReason = 200

// reason returns why a provider refused a request about a message: type, code and text. Providers
// quote messages and keys in their texts, so each word that is also in one of them becomes "…",
// and so do quotations longer than a name.
func reason(body []byte, message, key string) string {
	var told report
	var words struct {
		Message string `json:"message"`
		Detail  string `json:"detail"`
	}
	_ = json.Unmarshal(body, &told) // a body that is not JSON has no reason
	_ = json.Unmarshal(told.Error, &words)
	if words.Message == "" {
		_ = json.Unmarshal(told.Error, &words.Message) // some servers send only a string
	}
	if words.Message == "" {
		_ = json.Unmarshal(body, &words)
		words.Message += words.Detail
	}
	own := ownWords(words.Message, strings.ToLower(message), strings.ToLower(key))
	if own == "" {
		return told.String()
	}
	return told.String() + ": " + own
}

var (
	quotations = regexp.MustCompile("\"[^\"]*\"|'[^']*'|`[^`]*`|“[^”]*”|\\{.*\\}|\\[.*\\]")
	names      = regexp.MustCompile("^.[A-Za-z0-9_.-]{1,40}.$")
)

// ownWords returns a provider's text without words of the message or the key.
func ownWords(text, message, key string) string {
	if !utf8.ValidString(text) || strings.Contains(text, `\`) {
		return "" // escaped, so that words cannot be compared
	}
	text = quotations.ReplaceAllStringFunc(text, func(quotation string) string {
		if names.MatchString(quotation) {
			return quotation
		}
		return "…"
	})
	separator := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' }
	words := strings.Fields(memory.Redact(text))
	for i, word := range words {
		for _, part := range strings.FieldsFunc(strings.ToLower(word), separator) {
			if utf8.RuneCountInString(part) > 2 && (strings.Contains(message, part) || strings.Contains(key, part) || sharesStart(key, part)) {
				words[i] = "…"
			}
		}
	}
	own := []rune(strings.Join(words, " "))
	return string(own[:min(len(own), longestReason)])
}

// sharesStart reports whether part begins like the key, as "sk-pro" does, which some providers
// show.
func sharesStart(key, part string) bool {
	return len(key) > 3 && strings.HasPrefix(part, key[:3])
}
