package sse

import "unicode/utf8"

// wellFormed returns b itself if it is valid UTF-8.
func wellFormed(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return replace(b)
}

// replace puts one U+FFFD in place of each maximal subpart of an ill-formed sequence, as the
// Encoding Standard's UTF-8 decoder does. The standard library only has other ways: one for each
// byte, or one for a whole run.
func replace(b []byte) []byte {
	decoded := make([]byte, 0, len(b)+utf8.UTFMax)
	for len(b) > 0 {
		n, wellFormed := sequence(b)
		if wellFormed {
			decoded = append(decoded, b[:n]...)
		} else {
			decoded = append(decoded, "\uFFFD"...)
		}
		b = b[n:]
	}
	return decoded
}

// sequence returns the length of the character that b begins with, or of the maximal subpart if it
// is ill-formed. The bounds are in table 3-7 of the Unicode Standard.
func sequence(b []byte) (n int, wellFormed bool) {
	want, low, high := lead(b[0])
	for n = 1; n < want && n < len(b) && low <= b[n] && b[n] <= high; n++ {
		low, high = 0x80, 0xBF
	}
	return n, n == want
}

// lead returns the number of bytes of a character with this first byte, and the bounds of the second
// byte; 0 for a byte that cannot begin a character.
func lead(first byte) (want int, low, high byte) {
	switch {
	case first < 0x80:
		return 1, 0, 0
	case first < 0xC2 || first > 0xF4:
		return 0, 0, 0
	case first < 0xE0:
		return 2, 0x80, 0xBF
	case first == 0xE0:
		return 3, 0xA0, 0xBF
	case first == 0xED:
		return 3, 0x80, 0x9F
	case first < 0xF0:
		return 3, 0x80, 0xBF
	case first == 0xF0:
		return 4, 0x90, 0xBF
	case first == 0xF4:
		return 4, 0x80, 0x8F
	}
	return 4, 0x80, 0xBF
}
