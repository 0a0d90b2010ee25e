package openai

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// longestReason is how many characters of a provider's words are told.
const longestReason = 200

// reason tells why a provider refused a request about a message: type and code,
// and its own words. Providers quote messages and keys in their words, so each word
// that stands in either becomes "…", and so do quotations longer than a name.
func reason(body []byte, message, key string) string {
	var told report
	var words struct {
		Message string `json:"message"`
		Detail  string `json:"detail"`
	}
	_ = json.Unmarshal(body, &told) // a body that is not JSON tells nothing
	_ = json.Unmarshal(told.Error, &words)
	if words.Message == "" {
		_ = json.Unmarshal(told.Error, &words.Message) // some servers give a bare text
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

// ownWords are a provider's words without those of others.
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

// sharesStart finds the beginning of a key, such as "sk-pro", which providers show.
func sharesStart(key, part string) bool {
	return len(key) > 3 && strings.HasPrefix(part, key[:3])
}
