package jsontext

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape appends the text of a checked string between its quotes.
func unescape(text, s []byte) []byte {
	for i := bytes.IndexByte(s, '\\'); i >= 0; i = bytes.IndexByte(s, '\\') {
		text = append(text, s[:i]...)
		text, s = appendEscaped(text, s[i+1:])
	}
	return append(text, s...)
}

// appendEscaped appends the character that an escape stands for, and returns the text after the
// escape. s begins after the backslash.
func appendEscaped(text, s []byte) (_, rest []byte) {
	switch c := s[0]; c {
	case 'b':
		return append(text, '\b'), s[1:]
	case 'f':
		return append(text, '\f'), s[1:]
	case 'n':
		return append(text, '\n'), s[1:]
	case 'r':
		return append(text, '\r'), s[1:]
	case 't':
		return append(text, '\t'), s[1:]
	case 'u':
		r, _ := unit(s[1:])
		s = s[5:]
		if utf16.IsSurrogate(r) {
			r, s = pair(r, s)
		}
		return utf8.AppendRune(text, r), s
	default:
		return append(text, c), s[1:]
	}
}

// pair joins a high surrogate with the escape of the low one, if that comes next.
func pair(high rune, s []byte) (rune, []byte) {
	if len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
		low, _ := unit(s[2:])
		if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
			return r, s[6:]
		}
	}
	return utf8.RuneError, s
}

// unit reads the four hex digits of a UTF-16 code unit.
func unit(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range s[:4] {
		digit := rune(c)
		switch {
		case '0' <= c && c <= '9':
			digit -= '0'
		case 'a' <= c && c <= 'f':
			digit -= 'a' - 10
		case 'A' <= c && c <= 'F':
			digit -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | digit
	}
	return r, true
}
