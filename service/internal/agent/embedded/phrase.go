package embedded

import "slices"

// hasWord tells whether one of the words is among the tokens.
func hasWord(ts []token, list ...string) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return slices.Contains(list, t.word) })
}

// startsWith is the number of words of the longest phrase that ts begins with.
func startsWith(ts []token, list [][]string) int {
	longest := 0
	for _, phrase := range list {
		if len(phrase) > longest && hasPrefix(ts, phrase) {
			longest = len(phrase)
		}
	}
	return longest
}

func hasPrefix(ts []token, phrase []string) bool {
	if len(ts) < len(phrase) {
		return false
	}
	for i, word := range phrase {
		if ts[i].word != word || ts[i].quoted {
			return false
		}
	}
	return true
}

// strips bounds how many phrases are taken off, so that a page of fillers costs
// no more than another.
const strips = 8

// stripped takes phrases off the beginning.
func stripped(ts []token, list [][]string) []token {
	for range strips {
		n := startsWith(ts, list)
		if n == 0 {
			return ts
		}
		ts = ts[n:]
	}
	return ts
}

// trimmedTail takes off what may stand after a question.
func trimmedTail(ts []token) []token {
	for {
		longest := 0
		for _, phrase := range endings {
			n := len(phrase)
			if n == len(ts)-1 && asking[ts[0].word] {
				continue
			}
			if n > longest && n < len(ts) && !expectsMore(ts[len(ts)-n-1]) && hasPrefix(ts[len(ts)-n:], phrase) {
				longest = n
			}
		}
		if longest == 0 {
			return ts
		}
		ts = ts[:len(ts)-longest]
	}
}

// expectsMore tells a word that cannot end a question, so that what follows it
// belongs to it.
func expectsMore(t token) bool {
	return auxiliaries[t.word] || modals[t.word] || t.word == "to" || subjectPronoun(t.word) && t.word != "that"
}
