package canon

import "slices"

// taste reads the object of a liking: a thing, or an activity with it.
func (f Form) taste(rest []token) Form {
	f.Relation = "taste"
	doing := false
	for len(rest) > 0 {
		t := rest[0]
		switch {
		case t.word == "to" || t.word == "about" || t.word == "of" || is("article", t.word):
			doing = doing || t.word == "to"
		case t.base == "go" && len(rest) > 1 || t.base == "spend" && len(rest) > 1 || t.base == "do" && len(rest) > 1:
			doing = true
			rest = skipWords(rest[1:], "for", "on", "a", "an")
			continue
		case t.base == "time" && doing:
		default:
			if gerund(t) || doing {
				return f.activity(rest)
			}
			f.fill(rest)
			return f
		}
		rest = rest[1:]
	}
	return f
}

// activity puts the verb into the slot. If the object repeats the verb, or the verb needs
// no object, the verb is the value.
func (f Form) activity(rest []token) Form {
	if len(rest) == 0 {
		return f
	}
	verb := rest[0].base
	f.fill(rest[1:])
	switch {
	case len(f.Values) == 0 || usual[verb] != "" && slices.Equal(f.Values, []string{base(usual[verb])}):
		f.Values = []string{verb}
		f.settle()
	default:
		f.Slot = verb
		f.drop(verb)
	}
	return f
}

// usual are objects that add nothing to their verb.
var usual = map[string]string{
	"read": "book", "cook": "food", "bake": "food", "eat": "food", "write": "text", "listen": "music", "game": "videogame",
	"paint": "picture", "sing": "song", "run": "run", "ride": "cycle", "drink": "drink", "dance": "dance", "hike": "trail",
}

// act reads a clause that no pattern matches: what the user is or does.
func (f Form) act(tokens []token) Form {
	if len(tokens) == 0 {
		return f
	}
	if tokens[0].base == "be" {
		return f.identity(tokens[1:])
	}
	f.Relation = "do"
	if slices.ContainsFunc(tokens, func(t token) bool { return t.base == "for-living" }) {
		f.Relation = "job"
		f.fill(tokens)
		f.drop("for-living")
		return f
	}
	for len(tokens) > 1 && tokens[0].base == "go" && tokens[1].word != "to" {
		tokens = skipWords(tokens[1:], "for", "a")
	}
	return f.activity(tokens)
}

// identity reads what follows "I am".
func (f Form) identity(tokens []token) Form {
	f.Relation = "be"
	tokens = skipWords(tokens, "a", "an", "the")
	noun := until(tokens, "at", "in", "for", "who", "of", "to", "with", "from", "on")
	if len(noun) == 0 {
		f.fill(tokens)
		return f
	}
	last := noun[len(noun)-1].word
	switch {
	case is("fan", last):
		f.fill(noun[:len(noun)-1])
		f.Relation = "taste"
	case is("hobbyist", last) && !is("occupation", last) || last == "reader":
		f.Relation = "taste"
		f.fill(noun)
	case last == "owner" && len(noun) > 1:
		f.Relation = "have"
		f.fill(noun[:len(noun)-1])
	case last == "player" && len(noun) > 1:
		f.Relation, f.Slot = "do", "play"
		f.fill(noun[:len(noun)-1])
	case is("musician", last):
		f.Relation, f.Slot = "do", "play"
		f.fill(noun)
	case last == "student":
		f.Relation = "study"
		f.fill(tokens)
		f.drop("study", "school")
	case len(noun) > 1 && is("skill", noun[0].word): // a good cook needn't be a chef
		f.fill(noun)
		f.drop("good", "great", "excel", "talent", "amaz")
	case is("occupation", last) || is("title", last):
		f.Relation = "job"
		f.fill(until(tokens, "at", "in", "for"))
	default:
		f.fill(tokens)
	}
	return f
}
