// Package english reads English text. All code that looks at English words uses it.
//
// Of returns the words of a document or a question, with the stems that are
// compared and stored. Tokens returns the words that somebody says, with
// contractions written out and the beginnings of sentences marked. Sentences
// returns the sentences of a text.
//
// Stemming is English (Porter 2); words of other languages are compared as
// they are written, without case and accents.
package english

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	porter "github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// Word is a word or a number of a text.
type Word struct {
	Start, End int    // where it is, in bytes
	Text       string // as written
	Plain      string // in lower case, without accents or a possessive 's
	Stem       string // of Plain, or Plain itself if the word has letters other than a to z
}

// Of returns the words of a text in order. Apostrophes, hyphens between digits,
// and points and commas inside a number belong to a word: "don't", "3.5",
// "1,000". A hyphenated word is several words.
func Of(text string) []Word {
	var all []Word
	for start, end := range searched.places(text) {
		all = append(all, newWord(text, start, end))
	}
	return all
}

// Stems returns the stem of each word of a text in order. known keeps the stems of the words
// seen so far from one text to the next, because finding a stem takes far longer.
func Stems(text string, known map[string]string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for start, end := range searched.places(text) {
			word := text[start:end]
			stem, found := known[word]
			if !found {
				stem = Stem(plain(word))
				known[word] = stem
			}
			if !yield(stem) {
				return
			}
		}
	}
}

func newWord(text string, start, end int) Word {
	w := Word{Start: start, End: end, Text: text[start:end]}
	w.Plain = plain(w.Text)
	w.Stem = Stem(w.Plain)
	return w
}

// plain returns a word in lower case without accents, thousands separators or a possessive 's.
func plain(word string) string {
	word = strings.ReplaceAll(strings.ToLower(word), "’", "'")
	word = strings.TrimSuffix(word, "'s")
	if word != "" && unicode.IsDigit(rune(word[0])) {
		word = strings.ReplaceAll(word, ",", "")
	}
	if ascii(word) {
		return word
	}
	var bare strings.Builder
	for _, r := range norm.NFKD.String(word) {
		if !unicode.Is(unicode.Mn, r) {
			bare.WriteRune(r)
		}
	}
	return bare.String()
}

func ascii(word string) bool {
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Stem returns the stem that the forms of a word share. The word is in lower case.
func Stem(word string) string {
	if !ascii(word) || len(word) < 3 || len(word) > maxStemmed {
		return word
	}
	if base := verbs[word] + nouns[word]; base != "" {
		word = base
	}
	return porter.Stem(word, false)
}

// Root returns a word without its endings (Porter 2), stop words included. A word
// with letters other than a to z is its own root.
func Root(word string) string {
	if len(word) > maxStemmed || strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return word
	}
	return porter.Stem(word, true)
}

// maxStemmed is the longest word that is stemmed. The stemmer's time grows with the
// length, and no English word is longer.
const maxStemmed = 40

// Number reports whether a word is a number in digits.
func (w Word) Number() bool {
	return w.Plain != "" && unicode.IsDigit(rune(w.Plain[0]))
}

// Capital reports whether a word begins with a capital letter.
func (w Word) Capital() bool {
	r, _ := utf8.DecodeRuneInString(w.Text)
	return unicode.IsUpper(r)
}
