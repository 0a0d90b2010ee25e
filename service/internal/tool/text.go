package tool

import (
	"strings"
	"unicode/utf8"
)

// cutBytes replaces each byte that is not UTF-8 by U+FFFD, and returns what fits into limit
// bytes, in whole code points, and whether something was cut.
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
