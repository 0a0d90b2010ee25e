package rules

import "strings"

// counter turns byte offsets of a text into UTF-16 ones, in rising order.
type counter struct {
	text         string
	bytes, units int
}

func (c *counter) at(offset int) int {
	c.units += unitsIn(c.text[c.bytes:offset])
	c.bytes = offset
	return c.units
}

// unitsIn is the length of a text in UTF-16 units.
func unitsIn(text string) int {
	n := 0
	for _, r := range text {
		n += unitsOf(r)
	}
	return n
}

func unitsOf(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

const dot = "•"

func dots(n int) string { return strings.Repeat(dot, n) }

func holdsSecret(text string) bool { return strings.Contains(text, dot) }
