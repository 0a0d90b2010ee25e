package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of the message. A contraction is two tokens that touch:
// "I'm" is i and am, "don't" is do and not.
type token struct {
	start, end int    // bytes in the message
	word       string // in small letters, contractions written out
	// gap is what stands before the token: white space and punctuation.
	gap     string
	capital bool // begins with a capital letter
	quoted  bool // stands in quotation marks
	first   bool // begins a sentence
	// asked tells that a question mark stands right after it.
	asked bool
}

// pause tells that a comma, colon, dash or bracket stands before the token.
func (t token) pause() bool {
	return strings.ContainsAny(t.gap, ",;:()–—[]") || strings.Contains(t.gap, " - ")
}

// tokenize takes the words of what a message says in its user's own name.
func tokenize(text string, m mask) []token {
	var tokens []token
	at := 0
	for i := 0; i < len(text); {
		end := m.sameUntil(i, wordEnd(text, i))
		if end <= i || m[i] == foreign {
			_, n := utf8.DecodeRuneInString(text[i:])
			i += n
			continue
		}
		gap, n := text[at:i], len(tokens)
		if n > 0 && strings.Contains(gap, "?") {
			tokens[n-1].asked = true
		}
		r, _ := utf8.DecodeRuneInString(text[i:])
		tokens = appendWord(tokens, text, i, end)
		tokens[n].gap, tokens[n].capital = gap, unicode.IsUpper(r)
		tokens[n].first = n == 0 || m.anyForeign(at, i) || endsSentence(gap, text, at, i)
		for k := n; k < len(tokens); k++ {
			tokens[k].quoted = m[i] == quoted
		}
		i, at = end, end
	}
	if n := len(tokens); n > 0 && strings.Contains(text[at:], "?") && !m.anyForeign(at, len(text)) {
		tokens[n-1].asked = true
	}
	return tokens
}

var abbreviations = map[string]bool{"mr": true, "mrs": true, "ms": true, "dr": true, "st": true, "vs": true, "e.g": true, "i.e": true, "etc": true, "approx": true, "no": false, "a.m": true, "p.m": true, "u.s": true, "u.k": true, "inc": true, "jr": true, "sr": true, "prof": true}

// endsSentence tells whether a gap ends a sentence.
func endsSentence(gap, text string, at, next int) bool {
	if strings.ContainsAny(gap, "!?\n…") {
		return true
	}
	if !strings.Contains(gap, ".") {
		return false
	}
	from := strings.LastIndexAny(text[:at], " \n\t(") + 1
	last := strings.ToLower(text[from:at])
	r, _ := utf8.DecodeRuneInString(text[next:])
	return !abbreviations[last] || (strings.Contains(last, ".") && unicode.IsUpper(r))
}

// wordEnd is where the word that begins at a byte ends; there, if none begins.
func wordEnd(text string, at int) int {
	begun := false
	for i := at; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		next, _ := utf8.DecodeRuneInString(text[i+n:])
		switch {
		case wordRune(r):
			begun = true
		case begun && (strings.ContainsRune("+#%°", r) || joins(text[:i], r, next)):
		case !begun && strings.ContainsRune("$€£#@", r) && wordRune(next):
		case begun:
			return i
		default:
			return at
		}
		i += n
	}
	return len(text)
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_')
}

// joins tells whether r stands inside one word.
func joins(before string, r, next rune) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	switch r {
	case '\'', '’', '-', '@', '/', '&':
		return wordRune(last) && wordRune(next)
	case '.':
		return wordRune(last) && (unicode.IsLower(next) || unicode.IsDigit(next))
	case ',', ':':
		return unicode.IsDigit(last) && unicode.IsDigit(next)
	}
	return false
}

// contractedTails are the endings that make a token of their own.
var contractedTails = []struct{ tail, word string }{
	{"n't", "not"}, {"'m", "am"}, {"'re", "are"}, {"'ve", "have"}, {"'ll", "will"}, {"'d", "'d"}, {"'s", "'s"},
}

// negatable are the words that "n't" follows.
var negatable = map[string]bool{"do": true, "does": true, "did": true, "ca": true, "wo": true, "is": true, "are": true, "was": true, "were": true, "have": true, "has": true, "had": true,
	"could": true, "would": true, "should": true, "must": true, "might": true, "need": true, "ai": true}

// careless are contractions without their apostrophe, with the length of the head.
var careless = map[string]int{
	"im": 1, "ive": 1, "dont": 2, "doesnt": 4, "didnt": 3, "cant": 2, "wont": 2, "isnt": 2, "arent": 3, "wasnt": 3, "havent": 4, "hasnt": 3,
	"couldnt": 5, "wouldnt": 5, "shouldnt": 6, "youre": 3, "youve": 3, "theyre": 4, "weve": 2, "cannot": 3, "ya'll": 2,
}

var carelessTails = map[string]string{"m": "am", "re": "are", "ve": "have", "nt": "not", "t": "not", "not": "not"}

// appendWord adds a word as one token, or as the two parts of a contraction.
func appendWord(tokens []token, text string, start, end int) []token {
	word := strings.ReplaceAll(strings.ToLower(text[start:end]), "’", "'")
	head, tail := word, ""
	if n, ok := careless[word]; ok {
		head, tail = word[:n], carelessTails[word[n:]]
	}
	for _, c := range contractedTails {
		if h, ok := strings.CutSuffix(word, c.tail); ok && h != "" && tail == "" && (c.word != "not" || negatable[h]) {
			head, tail = h, c.word
		}
	}
	if tail == "" {
		if text[start:end] == "US" || word == "us" && len(tokens) > 0 && tokens[len(tokens)-1].word == "the" {
			word = "usa" // the country, not the pronoun
		}
		return append(tokens, token{start: start, end: end, word: word})
	}
	cut := start + bytesOf(text[start:end], utf8.RuneCountInString(head))
	switch {
	case tail == "not" && head == "ca":
		head = "can"
	case tail == "not" && head == "wo":
		head = "will"
	}
	return append(tokens, token{start: start, end: cut, word: head}, token{start: cut, end: end, word: tail})
}

// bytesOf is the length in bytes of the first n code points.
func bytesOf(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}
