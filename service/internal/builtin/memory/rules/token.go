package rules

import (
	"unicode"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

// token is a word of the message.
type token struct {
	start, end int    // bytes in the message
	word       string // in lower case, contractions written out
	// gap is the text before the token: white space and punctuation.
	gap     string
	capital bool // begins with a capital letter
	quoted  bool // is in quotation marks
	first   bool // begins a sentence
	// asked says that a question mark is right after it.
	asked bool
}

// pause reports whether a comma, colon, dash or bracket is before the token.
func (t token) pause() bool { return english.Token{Gap: t.gap}.Pause() }

// tokenize returns the user's own words in a message.
func tokenize(text string, m mask) []token {
	var tokens []token
	for _, t := range english.Tokens(m.blank(text)) {
		tokens = append(tokens, token{t.Start, t.End, t.Word, t.Gap, t.Capital, m[t.Start] == quoted, t.First, t.Asked})
	}
	return tokens
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}
