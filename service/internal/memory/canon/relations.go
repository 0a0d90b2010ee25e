package canon

import (
	"slices"
	"strings"
)

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

// sequence returns the tokens that the patterns see: no articles, "my" before what is owned.
func (c clause) sequence() []token {
	var tokens []token
	if len(c.owned) > 0 {
		tokens = append(tokens, token{word: "my", base: "my"})
	}
	for _, t := range slices.Concat(c.owned, c.rest) {
		if !is("article", t.word) && !slices.Contains([]string{"my", "our", "their", "his", "her"}, t.word) {
			tokens = append(tokens, t)
		}
	}
	return tokens
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
	case p.relation == "home" && p.before[len(p.before)-1] == "from" && !slices.ContainsFunc(rest, isTo):
		f.Relation = "origin"
		f.fill(until(rest))
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

func isTo(t token) bool { return t.word == "to" }

// destination leaves out where a move, or a change of tools, began.
func destination(p pattern, rest []token) []token {
	to := slices.IndexFunc(rest, isTo)
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
	to := slices.IndexFunc(rest, isTo)
	if to < 0 || to+1 == len(rest) {
		return rest
	}
	rest = slices.Clone(rest)
	rest[to] = token{word: "over", base: "over"}
	return rest
}

// home reads where somebody lives. "At home with my parents" is not a place.
func (f Form) home(rest []token) Form {
	place := until(rest, "with", "and", "for", "in")
	if values := content(place, true); len(place) < len(rest) && (len(values) == 0 || len(values) == 1 && values[0] == "home") {
		f.Relation, place = "household", rest[len(place):]
	}
	f.fill(place)
	return f
}

// plain drops words that the relation already says.
func (f *Form) plain() {
	switch f.Relation {
	case "have", "get":
		f.drop("name", "call", "pet")
		f.children()
		f.possessed()
	case "allergy":
		f.drop("allergy")
	case "want":
		f.drop("go", "visit", "travel")
	case "job":
		f.drop("job", "for-living", "live")
	}
}

// children drops the word "children" beside boys and girls that the user has.
func (f *Form) children() {
	for i, v := range f.Values {
		switch v {
		case "boy":
			f.Values[i] = "son"
		case "girl":
			f.Values[i] = "daughter"
		}
	}
	f.Values = sorted(f.Values)
	if share(f.Values, []string{"son", "daughter"}) {
		f.drop("child")
	}
}

// possessed reads "had" facts that have their own relation.
func (f *Form) possessed() {
	if len(f.Values) == 1 && f.Values[0] == "allergy" {
		f.Relation, f.Values = "allergy", nil
	}
}

// drop removes values, unless no others are left.
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
	slot = slices.DeleteFunc(slot, func(v string) bool { return v == "favorite" || is("genus", v) })
	f.fill(skipTo(rest))
	f.Slot = strings.Join(slot, " ")
	f.drop(slot...)
	return f
}

func skipTo(tokens []token) []token { return skipWords(tokens, "to") }

// attribute reads "my hair is red" as what the user has, and keeps the kind
// of the value if there can be only one.
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
