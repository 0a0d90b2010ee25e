package english

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// grain is how finely a text is cut into words.
type grain int

const (
	// searched splits at hyphens and drops signs: the words of documents.
	searched grain = iota
	// compared keeps the signs of "c++" and pictures too.
	compared
	// spoken keeps "mother-in-law", "$5", "24/7" and addresses whole.
	spoken
)

// Compared returns where each word of a text begins and ends, for comparing
// statements: hyphens separate words, and "c++" and "🐱" are words.
func Compared(text string) iter.Seq2[int, int] { return compared.places(text) }

// places returns where each word of a text begins and ends.
func (g grain) places(text string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for i := 0; i < len(text); {
			r, size := utf8.DecodeRuneInString(text[i:])
			if !g.letter(r) && !g.begins(r, text[i+size:]) {
				i += size
				continue
			}
			end := g.end(text, i+size, r)
			if !yield(i, end) {
				return
			}
			i = end
		}
	}
}

// end returns where the word ends that has been read up to at, with last as its
// last character.
func (g grain) end(text string, at int, last rune) int {
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !g.letter(r) {
			next, _ := utf8.DecodeRuneInString(text[at+size:])
			if !g.joins(last, r, next) {
				break
			}
		}
		last, at = r, at+size
	}
	return at
}

func (g grain) letter(r rune) bool {
	switch {
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.Mn, r):
		return true
	case g == spoken:
		return r == '_' || unicode.IsMark(r)
	}
	return g == compared && (unicode.IsMark(r) || unicode.Is(unicode.So, r))
}

// begins reports whether a sign begins the word that follows it: "$5", "#1".
func (g grain) begins(sign rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	return g == spoken && strings.ContainsRune("$€£#@", sign) && g.letter(next)
}

// joins reports whether a mark after a character of a word belongs to the word.
func (g grain) joins(before, mark, after rune) bool {
	switch mark {
	case '\'', '’':
		return unicode.IsLetter(before) && unicode.IsLetter(after) || g == spoken && g.letter(before) && g.letter(after)
	case '-', '@', '/', '&':
		return g == spoken && g.letter(before) && g.letter(after)
	case '.':
		return unicode.IsDigit(before) && unicode.IsDigit(after) ||
			g == spoken && g.letter(before) && (unicode.IsLower(after) || unicode.IsDigit(after))
	case ',':
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	case ':':
		return g == spoken && unicode.IsDigit(before) && unicode.IsDigit(after)
	case '+', '#':
		return g == spoken || g == compared && (unicode.IsLetter(before) || before == '+')
	}
	return g == spoken && (mark == '%' || mark == '°')
}
