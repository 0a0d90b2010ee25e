package tokens

import (
	"unicode"
	"unicode/utf8"
)

// class is a kind of character. A run of characters of one class is a word or a part of one. It costs first, each for
// each character, and more for each behind the fourth, in twelfths of a token.
type class struct{ first, each, more int }

const unit = 12

// The costs are such that the texts of testdata cost at least what they cost in the large vocabularies. A
// character of a script that is not named costs a token for each byte, which no vocabulary exceeds.
var (
	word    = class{first: 6, each: 1, more: 5}  // small letters of ASCII behind a space
	lower   = class{first: 10, each: 4, more: 2} // others, as in code
	upper   = class{first: 5, each: 7}
	digit   = class{first: 1, each: unit} // many vocabularies have no numbers of more than one digit
	sign    = class{first: 1, each: 9}    // punctuation of ASCII
	space   = class{each: 1}
	end     = class{first: 6, each: 4} // of a line, and tabs
	accent  = class{first: 2, each: 9} // letters of Latin with marks
	letter  = class{each: 6}           // of alphabets that vocabularies have words of
	greek   = class{first: 2, each: 12}
	hebrew  = class{each: 14}
	indic   = class{each: 14}
	eastern = class{each: 10}   // of languages whose words are syllables
	han     = class{each: 20}   // frequent ones cost a token, rare ones two or three
	symbol  = class{each: 18}   // of mathematics and drawings
	unknown = class{each: unit} // for each byte
)

var scripts = []struct {
	table *unicode.RangeTable
	class *class
}{
	{unicode.Cyrillic, &letter}, {unicode.Greek, &greek}, {unicode.Arabic, &letter}, {unicode.Hebrew, &hebrew}, {unicode.Han, &han},
	{unicode.Hiragana, &eastern}, {unicode.Katakana, &eastern}, {unicode.Hangul, &eastern}, {unicode.Thai, &eastern}, {unicode.Devanagari, &indic},
}

// fewLetters is how many characters of a run have no more.
const fewLetters = 4

// longestWord is how many letters words have: those behind it are none.
const longestWord = 20

// Estimate returns about how many tokens a text takes at most in the large vocabularies, by the classes of its
// characters.
func Estimate(text string) int {
	cost, run, last := 0, 0, &space
	for _, r := range text {
		c := classOf(r)
		if c == &lower && (last == &space || last == &word || last == &end) {
			c = &word
		}
		if c != last {
			cost, run, last = cost+c.first, 0, c
		}
		run++
		each := c.each
		if run > fewLetters {
			each += c.more
		}
		if run > longestWord {
			each++
		}
		if c == &unknown {
			each *= utf8.RuneLen(r)
		}
		cost += each
	}
	return (cost + unit - 1) / unit
}

func classOf(r rune) *class {
	switch {
	case r >= 'a' && r <= 'z':
		return &lower
	case r >= 'A' && r <= 'Z':
		return &upper
	case r >= '0' && r <= '9':
		return &digit
	case r == ' ':
		return &space
	case r == '\n' || r == '\r' || r == '\t':
		return &end
	case r > ' ' && r < 0x7f:
		return &sign
	case r < ' ' || r == 0x7f || r == utf8.RuneError:
		return &unknown
	case r < 0x250 || r >= 0x1e00 && r < 0x1f00:
		return &accent
	case r >= 0x2000 && r < 0x3040 || r >= 0xff00 && r < 0xfff0:
		return &symbol
	}
	for _, one := range scripts {
		if unicode.Is(one.table, r) {
			return one.class
		}
	}
	return &unknown
}
