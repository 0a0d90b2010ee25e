package tool

import (
	"strings"
	"unicode/utf8"
)

// cutBytes gives the text with U+FFFD for each byte that is no UTF-8, and of it what fits
// into so many bytes, whole code points.
func cutBytes(text string, limit int) (string, bool) {
	if len(text) <= limit && utf8.ValidString(text) {
		return text, false
	}
	var kept strings.Builder
	for _, r := range text { // a bad byte reads as U+FFFD
		if kept.Len()+utf8.RuneLen(r) > limit {
			return kept.String(), true
		}
		kept.WriteRune(r)
	}
	return kept.String(), false
}

// cutCharacters is the same for characters, with … where something was cut.
func cutCharacters(text string, limit int) string {
	if text = strings.ToValidUTF8(text, "\uFFFD"); utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}
