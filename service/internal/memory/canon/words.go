package canon

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A token is a word, or a phrase that means one thing ("high-school").
type token struct {
	word string // as written, in lower case
	base string // its stem, or the word that stands for all its synonyms

	first bool // a comma stands before it
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

// cut is tokenise, which also gives those of what it leaves out that say how
// often, how surely, or that nothing else is so.
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

// fold makes letters that differ in case, accent or width alike. Marks of
// other scripts than Latin stay: they tell words apart there.
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

// split gives the words: letters and digits, with apostrophes and the points
// of numbers inside, the signs of "c++" and "c#" at the end, and the commas.
func split(text string) []string {
	runes := []rune(text)
	var words []string
	start := -1
	for i := 0; i <= len(runes); i++ {
		if i < len(runes) && inWord(runes, i) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			words = append(words, string(runes[start:i]))
			start = -1
		}
		if i < len(runes) && (runes[i] == ',' || runes[i] == ';') {
			words = append(words, comma)
		}
	}
	return words
}

func inWord(runes []rune, i int) bool {
	r := runes[i]
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || unicode.Is(unicode.So, r) {
		return true
	}
	if i == 0 {
		return false
	}
	before := runes[i-1]
	if r == '+' || r == '#' {
		return unicode.IsLetter(before) || before == '+'
	}
	if i == len(runes)-1 {
		return false
	}
	after := runes[i+1]
	switch r {
	case '\'':
		return unicode.IsLetter(before) && unicode.IsLetter(after)
	case '.', ',':
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	}
	return false
}

// expand undoes contractions, with and without their apostrophes.
func expand(words []string) []string {
	var out []string
	for i, w := range words {
		switch {
		case w == "s" && i > 0: // "user s", of texts that lost the apostrophe
			out = append(out, possessive)
		case w == "t" && i > 0 && strings.HasSuffix(out[len(out)-1], "n"):
			out = append(out[:len(out)-1], negated(out[len(out)-1])...)
		case contractions[w] != nil:
			out = append(out, contractions[w]...)
		case strings.Contains(w, "'"):
			out = append(out, contracted(w)...)
		case unicode.IsDigit(rune(w[0])):
			out = append(out, number(w)...)
		default:
			out = append(out, w)
		}
	}
	return out
}

var contractions = map[string][]string{
	"im": {"i", "am"}, "ive": {"i", "have"}, "dont": {"do", "not"}, "doesnt": {"does", "not"},
	"didnt": {"did", "not"}, "cant": {"can", "not"}, "cannot": {"can", "not"}, "wont": {"will", "not"},
	"isnt": {"is", "not"}, "wasnt": {"was", "not"}, "havent": {"have", "not"}, "lets": {"let", "us"},
	"m": {"am"}, "ve": {"have"}, "ll": {"will"}, "won't": {"will", "not"}, "can't": {"can", "not"},
	"let's": {"let", "us"}, "ain't": {"am", "not"}, "gonna": {"going", "to"}, "wanna": {"want", "to"},
	"i'd": {"i", "would"}, "name's": {"name", "is"}, "youre": {"you", "are"}, "whats": {"what", "is"},
}

func contracted(w string) []string {
	at := strings.LastIndexByte(w, '\'')
	before, after := w[:at], w[at+1:]
	switch after {
	case "t":
		return negated(before)
	case "m":
		return []string{before, "am"}
	case "re":
		return []string{before, "are"}
	case "ve":
		return []string{before, "have"}
	case "ll":
		return []string{before, "will"}
	case "d":
		return []string{before, "would"}
	case "s":
		if is("pronoun", before) {
			return []string{before, "is"}
		}
		return []string{before, possessive}
	}
	return []string{strings.ReplaceAll(w, "'", "")}
}

func negated(before string) []string {
	switch before {
	case "won":
		return []string{"will", "not"}
	case "can", "ca":
		return []string{"can", "not"}
	}
	return []string{strings.TrimSuffix(before, "n"), "not"}
}

// number parts "5pm" and "30yo", and drops the commas of thousands.
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
