package split

import "unicode/utf8"

// units counts UTF-16 units up to places of a text, which come in order.
type units struct {
	text         string
	bytes, count int
}

// at returns the units before a byte of the text.
func (u *units) at(offset int) int {
	if offset < u.bytes {
		u.bytes, u.count = 0, 0
	}
	u.count += Units(u.text[u.bytes:offset])
	u.bytes = offset
	return u.count
}

// Units is the length of a text in UTF-16 units, as a page counts it.
func Units(text string) int {
	n := 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			n++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}
