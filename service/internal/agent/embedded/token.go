package embedded

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of a message. A contraction is several: "I'm" is i and am,
// "Ana's" is ana and 's.
type token struct {
	span
	word string // in small letters
	stem string // what the forms of a word share
	// capital tells that it begins with a capital letter, in a message that has
	// small letters as well.
	capital bool
	pause   bool // a comma, colon, dash or bracket stands before it
	colon   bool // that is a colon
	quoted  bool // it stands in quotation marks
}

// tokenize takes the words of a part of a page.
func tokenize(p page, within span) []token {
	var tokens []token
	text := p.text[:within.end]
	for at, gap := within.start, within.start; at < len(text); {
		end := wordEnd(text, at)
		if end == at {
			_, n := utf8.DecodeRuneInString(text[at:])
			at += n
			continue
		}
		first := len(tokens)
		tokens = appendWord(tokens, text, span{at, end})
		r, _ := utf8.DecodeRuneInString(text[at:])
		head := &tokens[first]
		head.capital = unicode.IsUpper(r) && !p.oneCase
		head.colon = strings.Contains(text[gap:at], ":")
		head.pause = head.colon || pauses(text[gap:at])
		for i := first; i < len(tokens); i++ {
			tokens[i].quoted = inside(p.quoted, at)
		}
		at, gap = end, end
	}
	return tokens
}

func pauses(gap string) bool {
	return strings.ContainsAny(gap, ",;()–—[]،、，；") || strings.Contains(gap, " - ")
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
		case !begun && strings.ContainsRune("$€£+#@", r) && wordRune(next):
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
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// joins tells whether r stands inside one word.
func joins(before string, r, next rune) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	switch r {
	case '\'', '’', '-', '@', '_', '/':
		return wordRune(last) && wordRune(next)
	case '.':
		return wordRune(last) && (unicode.IsLower(next) || unicode.IsDigit(next))
	case ',', ':':
		return unicode.IsDigit(last) && unicode.IsDigit(next)
	}
	return false
}

// appendWord adds a word as one token, or as the two parts of a contraction.
func appendWord(tokens []token, text string, at span) []token {
	word := strings.ReplaceAll(strings.ToLower(text[at.start:at.end]), "’", "'")
	head, tail := splitContraction(word)
	if tail == "" {
		return append(tokens, token{span: at, word: word, stem: stemOf(word)})
	}
	cut := at.start + bytesOf(text[at.start:at.end], utf8.RuneCountInString(head))
	if full, ok := contractedHeads[word]; ok {
		head = full
	}
	if full, ok := contractedTails[tail]; ok {
		tail = full
	}
	if tail == "'s" && beforeIs[head] {
		tail = "is"
	}
	return append(tokens,
		token{span: span{at.start, cut}, word: head, stem: stemOf(head)},
		token{span: span{cut, at.end}, word: tail, stem: stemOf(tail)})
}

// splitContraction gives the two parts of a contraction, or the word and "".
func splitContraction(word string) (head, tail string) {
	if cut, ok := carelessContractions[word]; ok {
		return word[:cut], word[cut:]
	}
	for _, tail := range []string{"n't", "'m", "'re", "'ve", "'ll", "'d", "'s"} {
		if head, ok := strings.CutSuffix(word, tail); ok && head != "" {
			return head, tail
		}
	}
	return word, ""
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
