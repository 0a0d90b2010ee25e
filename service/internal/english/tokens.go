package english

import (
	"strings"
	"unicode/utf8"
)

// Token is a spoken word of a text. A contraction is two tokens without a gap: "I'm" is i and am, "don't" is do and not.
type Token struct {
	Start, End int    // where it is, in bytes
	Word       string // in lower case, contractions written out
	Gap        string // what is before the token: white space and punctuation
	Capital    bool   // begins with a capital letter
	First      bool   // begins a sentence
	Asked      bool   // a question mark is right after it
}

// Pause reports whether a comma, colon, dash or bracket is before the token.
func (t Token) Pause() bool {
	return strings.ContainsAny(t.Gap, ",;:()–—[]") || strings.Contains(t.Gap, " - ")
}

// Tokens returns the words of a text in order. "mother-in-law", "24/7", "$5" and
// addresses are one each.
func Tokens(text string) []Token {
	var all []Token
	at := 0
	for start, end := range spoken.places(text) {
		gap, n := text[at:start], len(all)
		if n > 0 {
			all[n-1].Asked = strings.Contains(gap, "?")
		}
		all = appendTokens(all, text, start, end)
		all[n].Gap, all[n].Capital = gap, Word{Text: text[start:end]}.Capital()
		all[n].First = n == 0 || beginsSentence(text, at, start)
		at = end
	}
	if n := len(all); n > 0 {
		all[n-1].Asked = strings.Contains(text[at:], "?")
	}
	return all
}

// beginsSentence reports whether the word at next, the first after the one that
// ends at a place, begins a sentence.
func beginsSentence(text string, at, next int) bool {
	gap := text[at:next]
	last := text[at-1]
	return strings.ContainsAny(gap, "!?\n…") ||
		strings.Contains(gap, ".") && (last >= '0' && last <= '9' || !abbreviated(text[:at], text[next:]))
}

// appendTokens adds a word as one token, or as the two of a contraction.
func appendTokens(all []Token, text string, start, end int) []Token {
	written := text[start:end]
	word := strings.ReplaceAll(strings.ToLower(written), "’", "'")
	head, tail, cut := Contraction(word)
	if tail == "" {
		if written == "US" || head == "us" && len(all) > 0 && all[len(all)-1].Word == "the" {
			head = "usa" // the country, not the pronoun
		}
		return append(all, Token{Start: start, End: end, Word: head})
	}
	middle := start
	for range utf8.RuneCountInString(word[:cut]) { // a capital letter may have another length
		_, size := utf8.DecodeRuneInString(text[middle:])
		middle += size
	}
	return append(all, Token{Start: start, End: middle, Word: head}, Token{Start: middle, End: end, Word: tail})
}
