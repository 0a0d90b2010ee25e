package fault

import (
	"strings"
	"unicode/utf8"
)

// Shorten shortens a value for an error to this many characters, and adds … if something was cut.
func Shorten(text string, limit int) string {
	if text = strings.ToValidUTF8(text, "\uFFFD"); utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}
