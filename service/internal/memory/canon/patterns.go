package canon

import (
	"slices"
	"strings"
)

// A pattern is the beginning of a relation's predicate.
type pattern struct {
	relation string
	fixed    string // the value, in place of the words that follow
	added    string // a value in addition to the words that follow
	negative bool
	before   []string
	last     bool     // nothing may follow
	after    []string // follows the value; nil if the value ends the clause
}

// readPatterns returns the patterns by their first base, the longest first.
func readPatterns() map[string][]pattern {
	byFirst := map[string][]pattern{}
	for _, l := range read("relations") {
		name, negative := strings.CutPrefix(l.name, "!")
		p := pattern{negative: negative}
		p.relation, p.fixed, _ = strings.Cut(name, "=")
		p.relation, p.added, _ = strings.Cut(p.relation, "+")
		for text := range strings.SplitSeq(l.list, "|") {
			before, after, _ := strings.Cut(text, "*")
			before, p.last = strings.CutSuffix(strings.TrimSpace(before), "$")
			p.before, p.after = bases(before), bases(after)
			byFirst[p.before[0]] = append(byFirst[p.before[0]], p)
		}
	}
	for _, list := range byFirst {
		slices.SortStableFunc(list, func(a, b pattern) int { return b.size() - a.size() })
	}
	return byFirst
}

func (p pattern) size() int { return len(p.before) + len(p.after) }

// match returns the tokens that the pattern leaves as the value.
func (p pattern) match(tokens []token) ([]token, bool) {
	if !startsWith(tokens, p.before) {
		return nil, false
	}
	rest := tokens[len(p.before):]
	if p.last {
		return nil, len(rest) == 0
	}
	if len(p.after) == 0 {
		return rest, true
	}
	at := indexOf(rest, p.after)
	if at < 1 || at > 4 {
		return nil, false
	}
	return slices.Concat(rest[:at], rest[at+len(p.after):]), true
}

// find returns the longest pattern that begins a clause, and the tokens that it leaves.
func find(tokens []token, negative bool) (pattern, []token, bool) {
	if len(tokens) == 0 {
		return pattern{}, nil, false
	}
	if negative {
		denied := append([]token{{word: "not", base: "not"}}, tokens...)
		if p, rest, ok := first(denied); ok {
			p.negative = !p.negative // the pattern holds the negation of the clause
			return p, rest, true
		}
	}
	return first(tokens)
}

func first(tokens []token) (pattern, []token, bool) {
	for _, p := range patterns[tokens[0].base] {
		if rest, ok := p.match(tokens); ok {
			return p, rest, true
		}
	}
	return pattern{}, nil, false
}
