package canon

import (
	"slices"
	"strings"
	"unicode"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

// fill puts the stems and numbers of tokens into the form.
func (f *Form) fill(tokens []token) {
	tokens, over := compared(tokens)
	f.Numbers = numbers(tokens)
	values := content(tokens, true)
	if len(values) == 0 { // "a big one" has only weak words
		values = content(tokens, false)
	}
	f.Values = append(f.Values, values...)
	f.Over = sorted(content(over, true))
	f.settle()
}

// settle sorts the values and keeps what sorting loses.
func (f *Form) settle() {
	f.joined = strings.Join(f.Values, "")
	if len(f.Values) > 0 {
		f.head = f.Values[len(f.Values)-1]
	}
	f.Values = sorted(f.Values)
}

// compared separates "tea" from "coffee" in "tea over coffee".
func compared(tokens []token) (first, second []token) {
	for i, t := range tokens {
		if i > 0 && i+1 < len(tokens) && (t.word == "over" || t.word == "more-than" || t.word == "instead-of") {
			return tokens[:i], tokens[i+1:]
		}
		if t.word == "more" && i+1 < len(tokens) && tokens[i+1].word == "than" {
			return tokens[:i], tokens[i+2:]
		}
	}
	return tokens, nil
}

func content(tokens []token, strict bool) []string {
	var values []string
	for _, t := range tokens {
		if is("stop", t.word) || is("article", t.word) || t.word == possessive || digits(t) != "" {
			continue
		}
		if strict && (is("weak", t.word) || is("weak", t.base)) {
			continue
		}
		values = append(values, t.base)
	}
	return values
}

// digits returns the number that a token is, or "".
func digits(t token) string {
	if n := english.Numeral(t.word); n != "" {
		return n
	}
	for _, r := range t.word {
		if !unicode.IsDigit(r) && r != '.' {
			return ""
		}
	}
	return t.word
}

// numbers reads "twenty one" as 21 and "9 pm" as 21.
func numbers(tokens []token) []string {
	var found []string
	for i, t := range tokens {
		n := digits(t)
		switch {
		case n == "" && t.word == "pm" && len(found) > 0:
			found[len(found)-1] = afternoon(found[len(found)-1])
		case n == "" && t.base == "be" && t.word == "am" && i > 0 && tokens[i-1].word == "12":
			found[len(found)-1] = "0"
		case n == "" || n == "1" && i+1 < len(tokens) && tokens[i+1].word == "of":
		case i > 0 && tens(tokens[i-1]) && len(n) == 1:
			found[len(found)-1] = found[len(found)-1][:1] + n
		default:
			found = append(found, n)
		}
	}
	return sorted(found)
}

func tens(t token) bool {
	n := english.Numeral(t.word)
	return len(n) == 2 && n[1] == '0' && n != "10"
}

func afternoon(hour string) string {
	at := slices.Index(hours, hour)
	if at < 1 || at > 11 {
		return hour
	}
	return hours[at+12]
}

var hours = strings.Fields("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23")

func sorted(values []string) []string {
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}

// until cuts tokens where another clause begins.
func until(tokens []token, more ...string) []token {
	for i, t := range tokens {
		if i > 0 && (is("cut", t.word) || slices.Contains(more, t.word)) {
			return tokens[:i]
		}
	}
	return tokens
}
