package answering

import "strings"

// titleCharacters is how long a chat's automatic name may be.
const titleCharacters = 48

// Title makes a chat's name from its first question: the beginning of its first line, cut between
// words unless the last word is longer than half of the limit.
func Title(question string, limit int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(question), "\n")
	if limit <= 0 || limit > titleCharacters {
		limit = titleCharacters
	}
	name := []rune(strings.Join(strings.Fields(line), " "))
	if len(name) <= limit {
		return string(name)
	}
	cut := string(name[:limit-1])
	if space := strings.LastIndexByte(cut, ' '); name[limit-1] != ' ' && space > len(cut)/2 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " ,.;:") + "…"
}
