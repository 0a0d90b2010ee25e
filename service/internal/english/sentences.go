package english

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is a part of a text, at bytes [Start, End).
type Span struct{ Start, End int }

// Sentences returns the sentences of a text in order, without the spaces around
// them. An empty line and a line that begins with a list mark end a sentence too. The
// marks in abbreviations, initials, decimals and web addresses do not, nor do marks
// inside a quotation when the sentence continues after it.
func Sentences(text string) []Span {
	var all []Span
	start := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		end := i + size
		i = end
		switch {
		case r == '\n' && breaks(text[end:]):
		case strings.ContainsRune("。！？", r):
			end += closers(text[end:])
		case strings.ContainsRune(".!?…", r):
			end += marks(text[end:])
			i = end
			if !ends(text, start, end, r) {
				continue
			}
		default:
			continue
		}
		all = appendTrimmed(all, text, start, end)
		start, i = end, end
	}
	return appendTrimmed(all, text, start, len(text))
}

func appendTrimmed(all []Span, text string, start, end int) []Span {
	part := text[start:end]
	left := len(part) - len(strings.TrimLeftFunc(part, unicode.IsSpace))
	part = strings.TrimSpace(part)
	if part == "" {
		return all
	}
	return append(all, Span{start + left, start + left + len(part)})
}

// breaks reports whether the line end before text ends a sentence.
func breaks(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "• ") || strings.Contains(line, " | ")
}

// marks returns the length of the marks that follow the first: "?!", "...", and the
// quotes and brackets that close after them.
func marks(text string) int {
	n := len(text) - len(strings.TrimLeft(text, ".!?…"))
	return n + closers(text[n:])
}

// closers returns the length of quotation marks, brackets and references such as [12] or
// the ":12" of encyclopedias.
func closers(text string) int {
	n := len(text) - len(strings.TrimLeft(text, `"'”’»)]`))
	for {
		note := noteLength(text[n:])
		if note == 0 {
			return n
		}
		n += note
	}
}

func noteLength(text string) int {
	if text == "" || text[0] != '[' && text[0] != ':' {
		return 0
	}
	digits := len(text[1:]) - len(strings.TrimLeft(text[1:], "0123456789–-"))
	switch {
	case digits == 0:
		return 0
	case text[0] == ':':
		return 1 + digits
	case strings.HasPrefix(text[1+digits:], "]"):
		return 2 + digits
	}
	return 0
}

// ends reports whether the marks that end at end, and begin with mark, end the
// sentence that began at start.
func ends(text string, start, end int, mark rune) bool {
	rest := strings.TrimLeftFunc(text[end:], unicode.IsSpace)
	if rest == "" {
		return true
	}
	if len(rest) == len(text[end:]) { // 3.5, example.com
		return false
	}
	next := firstOf(rest)
	if unicode.IsLower(next) || strings.ContainsRune(",;:)", next) {
		return false
	}
	before := strings.TrimRight(text[start:end], `"'”’»)]`)
	return mark != '.' || !strings.HasSuffix(before, ".") || !abbreviated(strings.TrimSuffix(before, "."), rest)
}

// firstOf returns the first character after an opening quote or bracket.
func firstOf(text string) rune {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, `"'“‘«([`))
	return r
}

// longestAbbreviation is how many bytes before a point are looked at. The time for a text without
// spaces would otherwise grow with the square of its length.
const longestAbbreviation = 64

// abbreviated reports whether the point after before belongs to an abbreviation
// or an initial, so that the sentence continues with rest.
func abbreviated(before, rest string) bool {
	rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
	near := before[max(0, len(before)-longestAbbreviation):]
	written := near[strings.LastIndexAny(near, " \n\t(\"“‘[-–—/")+1:]
	word, first := strings.ToLower(written), firstOf(written)
	goesOn := !starts[strings.ToLower(firstWord(rest))]
	switch {
	case word == "no" || word == "nos":
		return unicode.IsDigit(firstOf(rest))
	case always[word]:
		return true
	case unicode.IsDigit(first): // the number of a list: "12. Next"
		return len(before) == len(written)
	case utf8.RuneCountInString(written) == 1:
		return unicode.IsUpper(first) && written != "I" && goesOn
	}
	return goesOn && (sometimes[word] || strings.Contains(word, ".") && initials(word)) // U.S., e.g., a.m.
}

// initials reports whether a word is single letters with points between them.
func initials(word string) bool {
	for part := range strings.SplitSeq(word, ".") {
		if utf8.RuneCountInString(part) > 1 && part != "ph" {
			return false
		}
	}
	return true
}

func firstWord(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	if end < 0 {
		return text
	}
	return text[:end]
}

// always are before a name or a number, and never end a sentence.
var always = Set(`mr mrs ms dr prof rev lt sgt cmdr adm gov capt supt st mt vol vols fig figs eq eqs chap pp p eds vs v cf viz approx c
e.g i.e eg ie bzw z.b d.h usw`)

// sometimes are abbreviations that may end a sentence.
var sometimes = Set(`jr sr inc ltd co corp bros dept est etc jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu
fri sat sun ave blvd rd u.s u.k u.n a.m p.m b.c a.d ph.d min max art hon gen col sen rep ft sec ch ed ca al`)

// starts are words that begin sentences but not names.
var starts = Set(`the a an this that these those it its he she they we i you his her their our my there here in on at by for
from to with of as if when while after before since until although though because but and or so however most many some all each
both what which who how why where no not one two`)
