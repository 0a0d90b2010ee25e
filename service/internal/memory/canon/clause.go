package canon

import (
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

// A clause is a statement with its subject, polarity and time taken off.
type clause struct {
	person   string
	owned    []token // what follows "my", if it is not a person
	rest     []token // the predicate, its verb first
	negative bool
	time     string
}

// selves are words for the speaker, in the stored form and in the first person.
var selves = []string{"i", "we", "user", "they"}

var owners = []string{"my", "our"}

// requests begin a wish that is addressed to the assistant.
var requests = [][]string{
	bases("i want you to"), bases("i need you to"), bases("i would-want you to"), bases("i would like you to"),
	bases("user want assistant to"), bases("user want you to"), bases("user want answer to be"),
	bases("can you"), bases("could you"), bases("would you"), bases("will you"),
	bases("you should"), bases("you shall"), bases("you must"), bases("you can"), bases("you may"),
	bases("you need to"), bases("let us"), bases("can we"), bases("could we"), bases("make sure to"),
	bases("make sure you"), bases("remember to"), bases("try to"),
}

func parse(tokens []token) clause {
	c := clause{person: "user"}
	tokens = skipRequest(tokens)
	tokens = c.subject(turn(tokens))
	c.auxiliaries(tokens)
	c.negations()
	if c.time == "" && planned(c.rest) {
		c.time = "future"
	}
	return c
}

func skipRequest(tokens []token) []token {
	for _, r := range requests {
		if startsWith(tokens, r) {
			return tokens[len(r):]
		}
	}
	return tokens
}

// turn puts "jason is my name" the right way round.
func turn(tokens []token) []token {
	for i, t := range tokens {
		if i == 0 || t.base != "be" || i+1 == len(tokens) {
			continue
		}
		if slices.Contains(selves, tokens[0].base) || ownerAt(tokens) > 0 {
			return tokens
		}
		after := tokens[i+1:]
		if startsWith(after, bases("one of")) {
			after = after[2:]
		}
		if ownerAt(after) == 0 {
			return tokens
		}
		return slices.Concat(after, tokens[i:i+1], tokens[:i])
	}
	return tokens
}

// ownerAt returns how many tokens "my" or "user's" takes at the start.
func ownerAt(tokens []token) int {
	switch {
	case len(tokens) > 0 && slices.Contains(owners, tokens[0].word):
		return 1
	case len(tokens) > 1 && tokens[0].base == "user" && tokens[1].word == possessive:
		return 2
	case len(tokens) > 2 && tokens[0].word == "the" && tokens[1].base == "user" && tokens[2].word == possessive:
		return 3
	}
	return 0
}

// subject removes the subject and returns the tokens after it.
func (c *clause) subject(tokens []token) []token {
	tokens = skipWords(tokens, "and", "but", "so", "the")
	if n := ownerAt(tokens); n > 0 {
		return c.possession(tokens[n:])
	}
	if len(tokens) == 0 {
		return nil
	}
	first := tokens[0].base
	switch {
	case slices.Contains(selves, first):
		return tokens[1:]
	case first == "he" || first == "she" || first == "you" || first == "it":
		c.person = first
		return tokens[1:]
	}
	if beginsStatement(tokens[0]) || verbAt(tokens) < 0 {
		return tokens
	}
	at := verbAt(tokens)
	c.person = words(tokens[:at])
	return tokens[at:]
}

func skipWords(tokens []token, skipped ...string) []token {
	for len(tokens) > 0 && slices.Contains(skipped, tokens[0].word) {
		tokens = tokens[1:]
	}
	return tokens
}

// possession reads what follows "my": a person with a predicate of their own,
// or something that is the user's.
func (c *clause) possession(tokens []token) []token {
	noun := 0
	for noun < len(tokens) && noun < 4 && !is("being", tokens[noun].base) && !auxiliary(tokens[noun]) {
		noun++
	}
	if noun == len(tokens) || noun == 4 || !is("being", tokens[noun].base) {
		return c.thing(tokens)
	}
	rest := tokens[noun+1:]
	if len(rest) > 1 && rest[0].word == "and" && (rest[1].word == "i" || rest[1].word == "me") {
		return rest[2:]
	}
	c.person = words(tokens[:noun+1])
	if len(rest) > 0 && rest[0].word == possessive {
		return c.ofPerson(rest[1:])
	}
	return rest
}

// ofPerson reads "my sister's ...": her dog is another person, but her hair is hers.
func (c *clause) ofPerson(tokens []token) []token {
	if len(tokens) > 0 && is("being", tokens[0].base) {
		c.person += " " + tokens[0].base
		return tokens[1:]
	}
	return c.thing(tokens)
}

func (c *clause) thing(tokens []token) []token {
	at := slices.IndexFunc(tokens, func(t token) bool { return auxiliary(t) || t.base == "include" })
	if at < 0 {
		at = len(tokens)
	}
	c.owned = tokens[:at]
	return tokens[at:]
}

// planned finds "next year" and "soon", and "moving to": somebody who is moving has not
// arrived.
func planned(tokens []token) bool {
	for i, t := range tokens {
		if t.word == "soon" || t.word == "tomorrow" || t.word == "next" && i+1 < len(tokens) && is("later", tokens[i+1].base) {
			return true
		}
	}
	return len(tokens) > 0 && (tokens[0].word == "moving" || tokens[0].word == "relocating")
}

// auxiliary recognises be, have, do and the modals: the subject ends before them.
func auxiliary(t token) bool {
	return t.base == "be" || t.base == "have" || t.base == "do" || is("modal", t.word)
}

// beginsStatement recognises verbs that may begin a statement without a subject.
func beginsStatement(t token) bool {
	return is("stative", t.base) || is("imperative", t.base) || patterns[t.base] != nil || t.word == "not"
}

func verbAt(tokens []token) int {
	return slices.IndexFunc(tokens, func(t token) bool { return auxiliary(t) || is("stative", t.base) })
}

func words(tokens []token) string {
	var parts []string
	for _, t := range tokens {
		if !is("stop", t.word) && !is("article", t.word) && t.word != possessive {
			parts = append(parts, t.base)
		}
	}
	return strings.Join(parts, " ")
}

// auxiliaries removes words that only say when, whether and how.
func (c *clause) auxiliaries(tokens []token) {
	perfect := false
	for len(tokens) > 1 {
		t, next := tokens[0], tokens[1]
		switch {
		case t.word == "not" || t.word == "never" || t.word == "no-longer" || t.word == "hardly":
			c.negative = !c.negative
		case t.word == "used" && next.word == "to":
			c.time = "past"
			tokens = tokens[1:]
		case is("future", t.word) || startsWith(tokens, []string{"be", "go", "to"}) && len(tokens) > 3:
			c.time = "future"
			if t.base == "be" {
				tokens = tokens[2:]
			}
		case is("modal", t.word):
		case is("ending", t.base) && gerund(next):
			c.negative = !c.negative
		case t.base == "be" && len(tokens) > 2 && (next.word == "not" || next.word == "no-longer") && gerund(tokens[2]):
		case t.base == "do" && (next.word == "not" || next.word == "never"):
			if len(tokens) > 2 && is("stative", tokens[2].base) {
				c.past(t)
			}
		case t.base == "have" && (participle(next) || next.word == "not" || next.word == "never"):
			perfect = true
		case t.base == "be" && gerund(next) && len(c.owned) == 0 && !startsWith(tokens[1:], wedding):
			c.past(t)
		case startsWith(tokens, bases("be able to")):
			tokens = tokens[2:]
		default:
			if !perfect && !born(tokens) {
				c.past(t)
			}
			c.rest = tokens
			return
		}
		tokens = tokens[1:]
	}
	c.rest = tokens
}

var wedding = bases("get married")

// participle distinguishes "have been", "have lived" from "have a dog".
func participle(t token) bool {
	return english.Participle(t.word) && (beginsStatement(t) || !strings.HasSuffix(t.word, "ed"))
}

func gerund(t token) bool { return english.Gerund(t.word) && !is("adjective", t.word) }

// born recognises what happened to a person once and stays true.
func born(tokens []token) bool {
	if tokens[0].base != "be" || len(tokens) < 2 {
		return false
	}
	switch tokens[1].base {
	case "bear", "rais", "bring", "diagnos", "adopt", "marri", "marry":
		return true
	}
	return false
}

// past notes that a state is over. A past act ("moved to", "bought") left a state that is
// still true.
func (c *clause) past(t token) {
	if english.Past(t.word) && (is("stative", t.base) || t.base == "do") && c.time == "" {
		c.time = "past"
	}
}

// negations takes "no" and "not" out of the predicate; words after a
// contrast ("stu, not sue") are not about the user.
func (c *clause) negations() {
	var out []token
	for i, t := range c.rest {
		switch t.word {
		case "no", "never", "no-longer", "zero", "nothing", "neither":
			if i <= 3 {
				c.negative = !c.negative
				continue
			}
		case "not":
			if i <= 1 || c.rest[i-1].base == "to" {
				c.negative = !c.negative
				continue
			}
			c.rest = out
			return
		}
		out = append(out, t)
	}
	c.rest = out
}
