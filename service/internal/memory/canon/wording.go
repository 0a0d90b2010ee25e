package canon

import (
	"slices"
	"strings"
)

// A wording is what a statement's words lose as sorted bases: their order and their
// endings. Milk chocolate is not chocolate milk, and an organ is not organic.
type wording struct {
	pairs   []string // two words that follow each other, sorted
	turned  []string // the same, the second word first
	endings []string // "anim|al", sorted
}

func wordingOf(tokens []token, framing []bool) wording {
	w := wording{}
	before := "" // the content word directly before
	for i, t := range tokens {
		if t.word == "to" {
			continue
		}
		if framing[i] {
			before = ""
			continue
		}
		if before != "" && before != t.base && !t.first {
			w.pairs, w.turned = append(w.pairs, before+" "+t.base), append(w.turned, t.base+" "+before)
		}
		before = t.base
		if rest, found := strings.CutPrefix(t.word, t.base); found && synonyms[t.word] == "" {
			w.endings = append(w.endings, t.base+"|"+ending(rest))
		}
	}
	w.pairs, w.turned, w.endings = sorted(w.pairs), sorted(w.turned), sorted(w.endings)
	return w
}

// ending returns the ending that makes another word of a stem, without endings of number,
// tense or adverbs.
func ending(rest string) string {
	switch rest {
	case "", "e", "y", "i", "ed", "er", "ers", "d", "r", "rs", "ly":
		return ""
	case "s", "es", "ies", "ings":
		return "s"
	case "ing":
		return rest
	}
	return strings.TrimSuffix(rest, "s")
}

// agrees reports whether words of the same bases may mean the same. In a taste, a plural is
// a thing and a gerund is an activity: trains, training.
func (w wording) agrees(other wording, liked bool) bool {
	turned := func(a, b wording) bool {
		return slices.ContainsFunc(a.pairs, func(p string) bool { return !has(b.pairs, p) && has(b.turned, p) })
	}
	return !turned(w, other) && !turned(other, w) && w.ends(other, liked) && other.ends(w, liked)
}

// ends reports whether the words that both have may mean the same by their endings.
func (w wording) ends(other wording, liked bool) bool {
	for _, e := range w.endings {
		if has(other.endings, e) {
			continue
		}
		base, end, _ := strings.Cut(e, "|")
		at, _ := slices.BinarySearch(other.endings, base+"|")
		if at == len(other.endings) || !strings.HasPrefix(other.endings[at], base+"|") {
			continue // it has no ending to compare there
		}
		if !alikeEnding(end, strings.TrimPrefix(other.endings[at], base+"|"), liked) {
			return false
		}
	}
	return true
}

func alikeEnding(a, b string, liked bool) bool {
	inflected := func(s string) bool { return s == "" || s == "s" || s == "ing" }
	return inflected(a) && inflected(b) && (!liked || a == "" || b == "")
}

func has(values []string, v string) bool {
	_, found := slices.BinarySearch(values, v)
	return found
}
