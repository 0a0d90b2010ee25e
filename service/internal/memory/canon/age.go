package canon

import "slices"

// age reads "I am 30", "30 years old", "my age is 30", "just turned 30".
func (f Form) age(tokens []token) (Form, bool) {
	at := ageAt(tokens)
	if at < 0 || at >= len(tokens) || digits(tokens[at]) == "" {
		return f, false
	}
	from := at
	if at > 0 && tens(tokens[at-1]) {
		from--
	}
	f.Relation, f.Numbers = "age", numbers(tokens[from:at+1])
	return f, true
}

// ageAt returns where the number of an age would be, or -1.
func ageAt(tokens []token) int {
	if len(tokens) == 0 {
		return -1
	}
	being := tokens[0].base == "be" || tokens[0].base == "turn"
	unit := slices.IndexFunc(tokens, func(t token) bool { return t.base == "year-old" })
	switch {
	case unit > 0 && tokens[0].base == "be":
		return unit - 1
	case startsWith(tokens, []string{"my", "age", "be"}):
		return len(tokens) - 1
	case len(tokens) == 2 && being:
		return 1
	case len(tokens) == 3 && being && (tokens[1].base == "turn" || tens(tokens[1])):
		return 2
	case len(tokens) > 2 && being && is("cut", tokens[2].word): // "I am 25 and ..."
		return 1
	}
	return -1
}
