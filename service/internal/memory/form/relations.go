package form

import (
	"slices"
	"strings"
)

// A pattern is how the predicate of a relation begins.
type pattern struct {
	relation string
	fixed    string // the value, in the place of what follows
	added    string // a value beside what follows
	negative bool
	before   []string
	last     bool     // nothing may follow
	after    []string // follows the value; nil where the value ends the clause
}

// readPatterns gives them by their first base, the longest first.
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

// match gives what the pattern leaves as the value.
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

// form finds the relation of a clause.
func (c clause) form() Form {
	f := Form{Person: c.person, Time: c.time, Negative: c.negative}
	tokens := c.sequence()
	if age, ok := f.age(tokens); ok {
		return age
	}
	if len(c.owned) > 0 && slices.ContainsFunc(c.owned, func(t token) bool { return t.base == "favorite" }) {
		return f.favorite(c)
	}
	if p, rest, ok := find(tokens, c.negative); ok {
		return f.relate(p, rest)
	}
	if len(c.owned) > 0 {
		return f.attribute(c)
	}
	return f.act(tokens)
}

// sequence is what the patterns see: no articles, "my" before what is owned.
func (c clause) sequence() []token {
	var tokens []token
	if len(c.owned) > 0 {
		tokens = append(tokens, token{"my", "my"})
	}
	for _, t := range slices.Concat(c.owned, c.rest) {
		if !is("article", t.word) && !slices.Contains([]string{"my", "our", "their", "his", "her"}, t.word) {
			tokens = append(tokens, t)
		}
	}
	return tokens
}

func find(tokens []token, negative bool) (pattern, []token, bool) {
	if len(tokens) == 0 {
		return pattern{}, nil, false
	}
	if negative {
		denied := append([]token{{"not", "not"}}, tokens...)
		if p, rest, ok := first(denied); ok {
			p.negative = true // the pattern holds the negation: two make a plain statement
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

// relate fills the form by the pattern that was found.
func (f Form) relate(p pattern, rest []token) Form {
	f.Relation = p.relation
	if p.negative {
		f.Negative = !f.Negative
	}
	switch {
	case p.fixed != "":
		f.Values = []string{p.fixed}
		if p.relation != "job" {
			f.Numbers = nil
		}
		f.settle()
	case p.relation == "taste":
		return f.taste(preferred(p, rest))
	case p.relation == "use":
		f.fill(destination(p, rest))
	case p.relation == "home":
		return f.home(destination(p, rest))
	case p.relation == "household" || p.relation == "work" || p.relation == "job":
		f.fill(until(rest, "for", "at"))
	case p.relation == "study":
		if p.added != "" {
			f.Values = []string{p.added}
		}
		f.fill(rest)
		f.drop("study", "school", "cours", "class")
	default:
		if p.added != "" {
			f.Values = []string{base(p.added)}
		}
		f.fill(rest)
	}
	f.plain()
	return f
}

// destination leaves out where a move, or a change of tools, began.
func destination(p pattern, rest []token) []token {
	to := slices.IndexFunc(rest, func(t token) bool { return t.word == "to" })
	if p.before[len(p.before)-1] != "from" || to < 0 {
		return rest
	}
	return rest[to+1:]
}

// preferred reads "tea to coffee" as "tea over coffee".
func preferred(p pattern, rest []token) []token {
	if p.before[0] != "prefer" || len(rest) == 0 || gerund(rest[0]) || rest[0].word == "to" {
		return rest
	}
	to := slices.IndexFunc(rest, func(t token) bool { return t.word == "to" })
	if to < 0 || to+1 == len(rest) {
		return rest
	}
	rest = slices.Clone(rest)
	rest[to] = token{"over", "over"}
	return rest
}

// home reads where somebody lives. "At home with my parents" is no place.
func (f Form) home(rest []token) Form {
	place := until(rest, "with", "and", "for", "in")
	if values := content(place, true); len(place) < len(rest) && (len(values) == 0 || len(values) == 1 && values[0] == "home") {
		f.Relation, place = "household", rest[len(place):]
	}
	f.fill(place)
	return f
}

// plain drops what a relation says already.
func (f *Form) plain() {
	switch f.Relation {
	case "have", "get":
		f.drop("name", "call", "pet")
		f.possessed()
	case "allergy":
		f.drop("allergy")
	case "want":
		f.drop("go", "visit", "travel")
	case "job":
		f.drop("job", "for-living", "live")
	}
}

// possessed reads what is a fact of its own, though it is "had".
func (f *Form) possessed() {
	if len(f.Values) == 1 && f.Values[0] == "allergy" {
		f.Relation, f.Values = "allergy", nil
	}
}

// drop takes values out, unless nothing else is left.
func (f *Form) drop(words ...string) {
	kept := slices.DeleteFunc(slices.Clone(f.Values), func(v string) bool { return slices.Contains(words, v) })
	if len(kept) > 0 || f.Relation == "study" || f.Relation == "allergy" {
		f.Values = kept
	}
}

// favorite reads "my favorite food is sushi".
func (f Form) favorite(c clause) Form {
	f.Relation = "favorite"
	rest := c.rest
	if len(rest) > 0 && rest[0].base == "be" {
		rest = rest[1:]
	}
	slot := content(c.owned, true)
	slot = slices.DeleteFunc(slot, func(v string) bool { return v == "favorite" })
	f.fill(skipTo(rest))
	f.Slot = strings.Join(slot, " ")
	f.drop(slot...)
	return f
}

func skipTo(tokens []token) []token { return skipWords(tokens, "to") }

// attribute reads "my hair is red" as what the user has, and keeps what kind
// of value it is where there can be one alone.
func (f Form) attribute(c clause) Form {
	f.Relation = "have"
	rest := c.rest
	if len(rest) > 0 && (rest[0].base == "be" || rest[0].base == "include") {
		rest = rest[1:]
	}
	owned := c.owned
	if len(owned) > 0 && is("attribute", owned[len(owned)-1].base) && owned[len(owned)-1].base != "hair" && owned[len(owned)-1].base != "eye" {
		f.Relation, f.Slot = "attribute", words(owned)
		f.fill(rest)
		return f
	}
	f.fill(slices.Concat(rest, owned))
	f.plain()
	return f
}

// age reads "I am 30", "30 years old", "my age is 30", "just turned 30".
func (f Form) age(tokens []token) (Form, bool) {
	found := slices.IndexFunc(tokens, func(t token) bool { return t.base == "year-old" })
	at := found - 1
	switch {
	case found > 0 && tokens[0].base == "be":
	case len(tokens) == 2 && (tokens[0].base == "be" || tokens[0].base == "turn"):
		at = 1
	case startsWith(tokens, bases("my age be")) && len(tokens) > 3:
		at = 3
	case len(tokens) == 3 && startsWith(tokens, []string{"be", "turn"}):
		at = 2
	case len(tokens) > 2 && tokens[0].base == "be" && digits(tokens[1]) != "" && is("cut", tokens[2].word):
		at = 1
	case len(tokens) == 3 && (tokens[0].base == "be" || tokens[0].base == "turn") && tens(tokens[1]):
		at = 2
	default:
		return f, false
	}
	if at < 0 || at >= len(tokens) || digits(tokens[at]) == "" {
		return f, false
	}
	from := at
	if at > 0 && tens(tokens[at-1]) {
		from--
	}
	f.Relation, f.Numbers = "age", numbers(tokens[from:at+1])
	if f.Time == "past" {
		return f, true
	}
	f.Time = ""
	return f, true
}
