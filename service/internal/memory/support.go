package memory

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

// maxFindings is how many findings of one message are examined. A model can return thousands, and
// each of them takes time in a transaction that blocks other writers.
const maxFindings = 50

// support says how far the words that a finding quotes support its statement. The rules need no
// such check, because they build statements from the words themselves.
func support(f Finding, message []uint16) canon.Support {
	if !f.Model {
		return canon.Full
	}
	return canon.SupportOf(f.Content, wholeWords(message, f.Start, f.End))
}

// wholeWords returns a part of a message without incomplete words at its ends.
func wholeWords(message []uint16, start, end int) string {
	before, quoted, after := decode(message[:start]), decode(message[start:end]), decode(message[end:])
	if last, _ := utf8.DecodeLastRuneInString(before); inWord(last) {
		quoted = strings.TrimLeftFunc(quoted, inWord)
	}
	if first, _ := utf8.DecodeRuneInString(after); inWord(first) {
		quoted = strings.TrimRightFunc(quoted, inWord)
	}
	return quoted
}

func decode(units []uint16) string { return string(utf16.Decode(units)) }

// inWord reports whether words contain a character. Scripts without spaces have no words that could
// be cut.
func inWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}
