package chat

import (
	"strings"
	"unicode/utf8"
)

// titleCharacters is how long a name that a chat gets by itself may be.
const titleCharacters = 48

// title makes a chat's name of its first question: the beginning of its first
// line, cut between words.
func title(question string, limit int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(question), "\n")
	words := strings.Fields(line)
	if limit <= 0 || limit > titleCharacters {
		limit = titleCharacters
	}
	name := strings.Join(words, " ")
	if utf8.RuneCountInString(name) <= limit {
		return name
	}
	runes := []rune(name)[:limit-1]
	cut := string(runes)
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " ,.;:") + "…"
}
