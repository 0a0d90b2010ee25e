package canon

import "slices"

// naming are the phrases before a name.
var naming = [][]string{
	bases("refer to me as"), bases("address me as"), bases("call me"), bases("call myself"), bases("name should be"), bases("name be"),
	bases("name to"), bases("name as"), bases("be call"), bases("be name"), bases("go by"), bases("know as"),
	bases("call you"), bases("call yourself"), bases("use name"), bases("know me as"), bases("it be"),
}

// readName reads "call me Sam", "my name is Sam", "my cat's name is Sam".
// The last name that the user wants counts; one they don't want counts only
// if there is no other.
func readName(tokens []token) (Form, bool) {
	tokens = slices.DeleteFunc(slices.Clone(turn(tokens)), func(t token) bool { return is("article", t.word) && t.word != "the" })
	var found Form
	var aside []string
	ok := false
	for i := range tokens {
		f, is := nameAt(tokens, i)
		if f.Negative {
			aside = append(aside, f.Values...)
		}
		if i > 0 && tokens[i-1].word == "not" {
			aside = append(aside, tokens[i].word)
		}
		if is && (!ok || found.Negative || !f.Negative) {
			found, ok = f, true
		}
	}
	found.aside = aside
	return found, ok
}

func nameAt(tokens []token, i int) (Form, bool) {
	for _, n := range naming {
		if !startsWith(tokens[i:], n) {
			continue
		}
		person, ok := named(tokens[:i], n)
		name := nameIn(tokens[i+len(n):])
		if !ok || len(name) == 0 {
			return Form{}, false
		}
		f := Form{Person: person, Relation: "name", Values: name, Negative: n[0] != "it" && refused(tokens[max(0, i-4):i])}
		f.settle()
		return f, true
	}
	return Form{}, false
}

// refused looks for a refusal between a name and the name before it.
func refused(before []token) bool {
	for _, t := range slices.Backward(before) {
		switch {
		case t.base == "call" || t.base == "name" || t.word == "me":
			return false
		case t.base == "stop" || t.base == "quit" || t.word == "not" || t.word == "never":
			return true
		}
	}
	return false
}

// named reads whose name it is from the words before it; ok is false if it is the name
// of a thing.
func named(before []token, n []string) (person string, ok bool) {
	switch {
	case n[len(n)-1] == "you" || n[len(n)-1] == "yourself":
		return "assistant", true
	case n[len(n)-1] == "me" || n[len(n)-1] == "as" || n[len(n)-1] == "myself" || n[0] == "use":
		return "user", true
	case n[0] == "it":
		return "user", slices.ContainsFunc(before, func(t token) bool { return t.base == "name" || t.base == "call" })
	case len(before) == 0:
		return "user", n[0] == "name"
	}
	for len(before) > 1 && is("nameword", before[len(before)-1].word) {
		before = before[:len(before)-1]
	}
	last := before[len(before)-1]
	switch {
	case last.word == "your":
		return "assistant", true
	case last.word == possessive && len(before) > 1 && is("being", before[len(before)-2].base):
		return before[len(before)-2].base, true
	case is("being", last.base):
		return last.base, true
	case last.word == possessive && len(before) > 1 && before[len(before)-2].base == "user":
		return "user", true
	}
	return "user", slices.Contains([]string{"my", "the", "i", "we", "user", "to"}, last.word)
}

// nameIn returns up to three words of a name, not stemmed.
func nameIn(tokens []token) []string {
	for range 4 { // "should be set to be called ..."
		if len(tokens) > 0 && is("nameframe", tokens[0].word) {
			tokens = tokens[1:]
		}
	}
	var name []string
	for _, t := range tokens {
		if len(name) == 3 || is("nameend", t.word) || is("modal", t.word) || is("stop", t.word) || digits(t) != "" {
			break
		}
		name = append(name, t.word)
	}
	return name
}
