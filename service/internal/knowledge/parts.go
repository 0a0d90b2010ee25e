package knowledge

import (
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

// partBytes is the largest size of a part of a text.
const partBytes = 64 << 10

// TextPart is a part of a text with its position, in UTF-16 units.
type TextPart struct {
	Number     int // 0, 1, 2 … within the text
	Start, End int
	Text       string
}

// TextParts splits a text between characters.
func TextParts(text string) (all []TextPart) {
	for start := 0; text != ""; {
		cut := min(partBytes, len(text))
		for cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut--
		}
		part := TextPart{len(all), start, start + split.Units(text[:cut]), text[:cut]}
		all, start, text = append(all, part), part.End, text[cut:]
	}
	return all
}

// Within returns the text from start to end, from its parts. An offset in the middle of a
// character is moved to its beginning.
func Within(parts []TextPart, start, end int) (string, int, int) {
	var text []byte
	from, to := start, end
	for _, part := range parts {
		first, at := 0, part.Start
		last := len(part.Text)
		for i, r := range part.Text {
			next := at + 1
			if r > 0xffff {
				next++
			}
			if at <= start && start < next {
				first, from = i, at
			}
			if at <= end && end < next {
				last, to = i, at
			}
			at = next
		}
		text = append(text, part.Text[first:last]...)
	}
	return string(text), from, to
}
