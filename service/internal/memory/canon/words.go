package canon

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

// A token is a word, or a phrase that means one thing ("high-school").
type token struct {
	word string // as written, in lower case
	base string // its stem, or the word that stands for all its synonyms

	first bool // a comma is before it
}

const (
	possessive = "'s"
	comma      = ","
)

// tokenise cuts a text into tokens, phrases found and fillers left out.
func tokenise(text string) []token {
	tokens, _ := cut(text)
	return tokens
}

// cut does the same as tokenise, and also returns the dropped words that say how often,
// how surely, or "only".
func cut(text string) (kept []token, limits []string) {
	words := expand(split(signs.Replace(fold(text))))
	tokens := make([]token, 0, len(words))
	for i, w := range words {
		if w != comma {
			tokens = append(tokens, token{w, base(w), i > 0 && words[i-1] == comma})
		}
	}
	tokens = joinPhrases(tokens)
	kept = tokens[:0]
	for _, t := range tokens {
		switch {
		case is("limit", t.word):
			limits = append(limits, t.word)
		case !is("filler", t.word):
			kept = append(kept, t)
		}
	}
	return kept, limits
}

// fold makes letters that differ only in case, accent or width the same. Marks of
// scripts other than Latin stay, because they distinguish words.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36f {
			return -1
		}
		if r == '’' || r == 'ʼ' {
			return '\''
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, norm.NFKD.String(text))
}

// signs are read as the words that they stand for.
var signs = strings.NewReplacer("€", " euro ", "$", " dollar ", "£", " sterling ", "¥", " yen ", "%", " percent ", "°", " degree ")

// split returns the words and the commas.
func split(text string) []string {
	var words []string
	at := 0
	for start, end := range english.Compared(text) {
		words = append(words, commas(text[at:start])...)
		words, at = append(words, text[start:end]), end
	}
	return words
}

func commas(gap string) []string {
	if strings.ContainsAny(gap, ",;") {
		return []string{comma}
	}
	return nil
}

// expand undoes contractions, with and without their apostrophes.
func expand(words []string) []string {
	var out []string
	for i, w := range words {
		switch {
		case w == "s" && i > 0: // "user s", in texts that lost the apostrophe
			out = append(out, possessive)
		case w == "t" && i > 0 && strings.HasSuffix(out[len(out)-1], "n"):
			out = append(out[:len(out)-1], contracted(out[len(out)-1]+"'t")...)
		case w == "m" || w == "ve" || w == "ll":
			_, tail, _ := english.Contraction("i'" + w)
			out = append(out, tail)
		default:
			out = append(out, contracted(w)...)
		}
	}
	return out
}

func contracted(w string) []string {
	head, tail, _ := english.Contraction(w)
	switch {
	case tail == "" && unicode.IsDigit(rune(w[0])):
		return number(w)
	case tail == "":
		return []string{strings.ReplaceAll(w, "'", "")}
	case tail == "'d":
		tail = "would"
	case tail == "'s" && (is("pronoun", head) || head == "name"):
		tail = "is"
	}
	return []string{head, tail}
}

// number splits "5pm" and "30yo", and drops the commas of thousands.
func number(w string) []string {
	end := strings.IndexFunc(w, unicode.IsLetter)
	if end < 0 {
		return []string{strings.ReplaceAll(w, ",", "")}
	}
	switch w[end:] {
	case "am", "pm", "yo", "yrs", "yr", "lbs", "kg", "cm", "km":
		return []string{strings.ReplaceAll(w[:end], ",", ""), w[end:]}
	}
	return []string{w}
}
