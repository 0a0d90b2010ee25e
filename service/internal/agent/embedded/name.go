package embedded

import (
	"slices"
	"strings"
	"unicode"
)

// nameText is the name at the beginning of what follows "my name is", "" if
// there is none.
func nameText(c clause, ts []token) string {
	if len(ts) > 0 && ts[0].word == "by" {
		ts = ts[1:]
	}
	n := 0
	for n < len(ts) && n < 6 && !(n > 0 && ts[n].pause) && nameWord(ts, n) {
		n++
	}
	if n == 0 || noNameStarts[ts[0].word] || negations[ts[0].word] {
		return ""
	}
	return written(c, ts[:n])
}

// nameWord tells whether a word can stand in a name. Small words cannot, but
// for those that join the parts of a name.
func nameWord(ts []token, i int) bool {
	t := ts[i]
	if nameParticles[t.word] && i+1 < len(ts) && !ts[i+1].pause {
		return true
	}
	if conjunctions[t.word] || negations[t.word] {
		return false
	}
	return t.capital || !functionWords[t.word] && !adverbs[t.word] && !prepositions[t.word]
}

// introducedName is the number of words of the name in "I'm Anna", 0 for none.
// One in small letters is weak: it may be a word that the lists do not know.
func introducedName(ts []token) (n int, weak bool) {
	for n < len(ts) && capitalName(ts, n) {
		n++
	}
	switch {
	case plainWord(ts[0]):
		return 0, false
	case n > 0:
		return closed(ts, n), false
	case letters(ts[0].word) && !describing(ts[0].word):
		return closed(ts, 1), true
	}
	return 0, false
}

// capitalName tells whether a word stands in a name by its capital, as all do
// but the particles.
func capitalName(ts []token, i int) bool {
	particle := i > 0 && i+1 < len(ts) && nameParticles[ts[i].word] && ts[i+1].capital
	return particle || ts[i].capital && (!functionWords[ts[i].word] || modals[ts[i].word])
}

// describing tells an adjective or a participle by its ending.
func describing(word string) bool {
	return hasSuffix(word, "ing", "ly", "ful", "ous", "able", "ible", "less", "ish", "ive") || len(word) > 4 && strings.HasSuffix(word, "ed")
}

// isName tells whether words are a name and nothing else.
func isName(ts []token) bool {
	if len(ts) == 0 {
		return false
	}
	n, weak := introducedName(ts)
	return n == len(ts) && !weak
}

// plainWord tells a word that is no name after "I'm".
func plainWord(t token) bool {
	if t.capital && modals[t.word] { // Will, May
		return false
	}
	small := functionWords[t.word] && !t.capital || contentless[t.word] || prepositions[t.word]
	return small || commonStates[t.word] || namesOfOrigin[t.stem] || faiths[t.stem] || noJobs[t.stem] || number(t)
}

// closed gives n if a name can end there, else 0: "Microsoft certified" and
// "Ana's mother" are no names.
func closed(ts []token, n int) int {
	if n == len(ts) || prepositions[ts[n].word] || conjunctions[ts[n].word] {
		return n
	}
	if startsWith(ts[n:], fillers) > 0 || startsWith(ts[n:], endings) > 0 {
		return n
	}
	return 0
}

func letters(word string) bool {
	return len(word) > 1 && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' })
}

func noun(t token) bool {
	return !contentless[t.word] && !verbal(t.word) && !adverbs[t.word] && letters(t.word)
}

// valueText is what follows "is", up to where something else begins.
func valueText(c clause, ts []token) string {
	end := slices.IndexFunc(ts, func(t token) bool {
		return t.pause && negations[t.word] || t.pause && startsWith([]token{t}, fillers) > 0
	})
	if end < 0 {
		end = len(ts)
	}
	for end > 1 && hasWord(ts[end-1:end], "now", "actually", "though", "please", "btw", "too", "instead", "anymore", "not") {
		end--
	}
	if end == 0 {
		return ""
	}
	return written(c, ts[:end])
}

// written is how the words were written.
func written(c clause, ts []token) string {
	if len(ts) == 0 {
		return ""
	}
	return c.line.message.text[ts[0].start:ts[len(ts)-1].end]
}
