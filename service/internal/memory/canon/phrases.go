package canon

import (
	"slices"
	"strings"
)

type phrase struct {
	bases []string
	token string // empty if the phrase means nothing
}

// readPhrases returns the phrases by their first base, the longest first.
func readPhrases() map[string][]phrase {
	byFirst := map[string][]phrase{}
	for _, l := range read("phrases") {
		for text := range strings.SplitSeq(l.list, "|") {
			p := phrase{bases: bases(text), token: strings.TrimPrefix(l.name, "-")}
			byFirst[p.bases[0]] = append(byFirst[p.bases[0]], p)
		}
	}
	for _, list := range byFirst {
		slices.SortStableFunc(list, func(a, b phrase) int { return len(b.bases) - len(a.bases) })
	}
	return byFirst
}

// joinPhrases replaces each phrase by one token.
func joinPhrases(tokens []token) []token {
	var out []token
	for i := 0; i < len(tokens); {
		p, found := phraseAt(tokens[i:])
		switch {
		case !found:
			out = append(out, tokens[i])
			i++
			continue
		case p.token != "":
			out = append(out, token{p.token, base(p.token), tokens[i].first})
		}
		i += len(p.bases)
	}
	return out
}

func phraseAt(tokens []token) (phrase, bool) {
	for _, p := range phrases[tokens[0].base] {
		if startsWith(tokens, p.bases) {
			return p, true
		}
	}
	return phrase{}, false
}

func startsWith(tokens []token, bases []string) bool {
	if len(tokens) < len(bases) {
		return false
	}
	for i, b := range bases {
		if tokens[i].base != b {
			return false
		}
	}
	return true
}

// indexOf returns the index of the first of these successive bases, or -1.
func indexOf(tokens []token, bases []string) int {
	for i := range tokens {
		if startsWith(tokens[i:], bases) {
			return i
		}
	}
	return -1
}
