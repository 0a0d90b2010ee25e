package canon

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Support is how well a statement agrees with the words that it was made from.
type Support int

const (
	// Unsupported shares no content word, number or name with the words.
	Unsupported Support = iota
	// Partial shares some of them, or is negated when the words are not.
	Partial
	// Full has all its content words, numbers and names in the words, and their
	// polarity.
	Full
)

// SupportOf compares a statement with the words that it claims to be made from. Words that
// only frame a statement ("User prefers", "has", "called") are not content. Words of
// languages other than English are compared by their beginnings, and scripts without
// spaces by their characters.
func SupportOf(statement, words string) Support {
	wanted, given := contents(statement), contents(words)
	shared := 0
	for _, w := range wanted.words {
		if slices.ContainsFunc(given.words, func(g string) bool { return akin(w, g) }) {
			shared++
		}
	}
	counted := 0
	for _, n := range wanted.numbers {
		if slices.Contains(given.numbers, n) {
			counted++
		}
	}
	switch {
	case shared+counted == 0:
		return Unsupported
	case shared < len(wanted.words), counted < len(wanted.numbers), wanted.negative != given.negative:
		return Partial
	}
	return Full
}

// said is the content of a text, without words of grammar.
type said struct {
	words    []string // bases, names among them
	numbers  []string
	negative bool
}

func contents(text string) said {
	tokens := tokenise(spaced(text))
	s := said{numbers: numbers(tokens)}
	for _, t := range tokens {
		if is("negation", t.word) || is("negation", t.base) {
			s.negative = true
		}
		framing := is("frame", t.word) || is("frame", t.base) || is("negation", t.word) || is("modal", t.word)
		if !framing {
			s.words = append(s.words, content([]token{t}, false)...)
		}
	}
	return s
}

var elision = regexp.MustCompile(`(?i)\b(qu|[jld])['’]`)

// spaced puts spaces between the characters of scripts without spaces, and between words
// that an apostrophe joins in French and Italian.
func spaced(text string) string {
	var b strings.Builder
	for _, r := range elision.ReplaceAllString(text, "$1 ") {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			b.WriteString(" " + string(r) + " ")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// alikeFrom is the length, in letters, from which words with the same beginning count as
// forms of one word.
const alikeFrom = 5

// akin reports whether two words are the same, or forms of one that the English stems
// don't know: "bevorzuge" and "bevorzugt".
func akin(a, b string) bool {
	if a == b {
		return true
	}
	x, y := []rune(a), []rune(b)
	same := 0
	for same < len(x) && same < len(y) && x[same] == y[same] {
		same++
	}
	return same >= alikeFrom && max(len(x), len(y))-same <= 3
}
