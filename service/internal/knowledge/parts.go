package knowledge

import (
	"strings"
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

// Cut is a text from Start to End, as its parts are read one after the other, in order. An offset in
// the middle of a character is moved to its beginning.
type Cut struct {
	Start, End int
	text       strings.Builder
	from, to   *int
}

// Grow makes room for this many bytes.
func (c *Cut) Grow(bytes int64) { c.text.Grow(int(bytes)) }

// Add adds what the cut has of a part.
func (c *Cut) Add(part TextPart) {
	first, at := 0, part.Start
	last := len(part.Text)
	for i, r := range part.Text {
		next := at + 1
		if r > 0xffff {
			next++
		}
		if at <= c.Start && c.Start < next {
			first, c.from = i, new(at)
		}
		if at <= c.End && c.End < next {
			last, c.to = i, new(at)
		}
		at = next
	}
	c.text.WriteString(part.Text[first:last])
}

// Text returns the text, and where it begins and ends.
func (c *Cut) Text() (text string, start, end int) {
	start, end = c.Start, c.End
	if c.from != nil {
		start = *c.from
	}
	if c.to != nil {
		end = *c.to
	}
	return c.text.String(), start, end
}
