package embedded

import (
	"slices"
	"strconv"
	"strings"
)

var ordinals = strings.Fields("zeroth first second third fourth fifth sixth seventh eighth ninth tenth")

// placed are the words that give a place without a number.
var placed = map[string]int{"initial": 1, "beginning": 1, "start": 1, "originally": 1, "opening": 1, "last": -1, "latest": -1, "previous": -1,
	"final": -1, "recent": -1, "recently": -1, "just": -1, "before": -1, "penultimate": -2}

// ordinal is 2 for "second" and "2nd", 0 for other words.
func ordinal(word string) int {
	if i := slices.Index(ordinals, word); i > 0 {
		return i
	}
	for _, end := range []string{"st", "nd", "rd", "th"} {
		if digits, ok := strings.CutSuffix(word, end); ok {
			if n, err := strconv.Atoi(digits); err == nil && n > 0 {
				return n
			}
		}
	}
	return 0
}

// position finds the place that words give, and how many are meant from there.
func position(ts []token) (at, count int) {
	for i, t := range ts {
		next := wordAt(ts, i+1)
		n := ordinal(t.word)
		switch {
		case n > 0 && (next == "to" && wordAt(ts, i+2) == "last" || next == "last"):
			return -n, 0
		case t.word == "last" && next == "but" && wordAt(ts, i+2) == "one":
			return -2, 0
		case n > 0:
			return n, small(next)
		case placed[t.word] != 0 && (at == 0 || t.word != "just"):
			at, count = placed[t.word], small(next)
		case speechNouns[t.stem] != noKind && (small(next) > 0 || next == "number" && small(wordAt(ts, i+2)) > 0) && at == 0:
			at = max(small(next), small(wordAt(ts, i+2)))
		}
	}
	return at, count
}

func wordAt(ts []token, i int) string {
	if i < len(ts) {
		return ts[i].word
	}
	return ""
}

var smallNumbers = strings.Fields("zero one two three four five six seven eight nine ten")

// small is the value of a small number, 0 for other words.
func small(word string) int {
	if i := slices.Index(smallNumbers, word); i > 0 {
		return i
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(word, "#")); err == nil && n > 0 {
		return n
	}
	return 0
}
