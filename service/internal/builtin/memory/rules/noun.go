package rules

import "strings"

// phrase is a group of words around a noun.
type phrase struct {
	det   string   // the first determiner, "" for none
	words []string // without determiners
	head  string   // in the singular as written
	end   int      // tokens taken
	// proper says that one of its words has a capital letter.
	proper bool
	quoted bool
}

// strings3s are forms that are plural nouns, or verbs after a subject.
var strings3s = setOf("works plays drinks")

// isNotOwner distinguishes "my name's Ana" from "my sister's wedding".
func isNotOwner(p phrase, rest []token) bool {
	if len(rest) == 0 {
		return false
	}
	next := rest[0].word
	return p.head == "name" || among(next, "a", "an", "not", "in", "from", "at") || gerund(next) || number(next) || adjectives.has("lasting", next)
}

// longestPhrase bounds a phrase, in words.
const longestPhrase = 9

// phraseAt takes the noun phrase at the beginning of tokens.
func phraseAt(ts []token) phrase {
	var p phrase
	for i, t := range ts {
		w := t.word
		stops := w != "'s" && (small.has("preposition", w) || finite[w] || t.pause() && i > 0 || among(w, "to", "not") || i >= longestPhrase || small.any(w, "self") && !among(w, "my", "our"))
		switch {
		case w == "and" && len(p.words) > 0 && adjectives.any(p.head, "lasting", "trouble", "passing") && i+1 < len(ts) && !small.any(ts[i+1].word, "determiner", "preposition", "self"):
		case momentary[w] && len(p.words) > 0:
			return p
		case stops && len(p.words) > 0 || w == "to" || finite[w] && w != "'s":
			return p
		case small.has("determiner", w) && len(p.words) == 0:
			if p.det == "" || w == "own" {
				p.det = w
			}
			if small.has("pointing", w) && i == 0 && w == "it" {
				return p
			}
		case small.has("preposition", w) && i == 0:
			return p
		case small.has("subject", w):
			return p
		case small.has("frequency", w) || w == "also":
			if len(p.words) > 0 {
				return p
			}
		case w == "'s" && isNotOwner(p, ts[i+1:]):
			return p
		case w == "'s":
			p.words, p.head = p.words[:0], "" // "my sister's wedding": the head is what follows
		default:
			p.words = append(p.words, w)
			p.head = singular(w)
			p.proper = p.proper || t.capital && !t.first
			p.quoted = p.quoted || t.quoted
		}
		p.end = i + 1
		if p.predicate(ts, i) {
			return p.back()
		}
	}
	return p
}

// momentary are words of time that end a phrase.
var momentary = setOf(`now today lately recently tomorrow yesterday tonight anymore yet already soon currently again right online well a the every my due
together using based written consisting including running made built ago next last`)

// measures are heads that stand for the noun after their "of".
var measures = setOf("version copy model pair lot couple set kind type bunch ton number variety bit year hour plenty piece")

// objectAt is the phrase at the beginning of tokens, or after "a pair of".
func objectAt(ts []token) phrase {
	p := phraseAt(ts)
	if measures[p.head] && p.end+1 < len(ts) && ts[p.end].word == "of" {
		q := phraseAt(ts[p.end+1:])
		if q.head != "" {
			q.end += p.end + 1
			return q
		}
	}
	return p
}

// unnamed gives "my daughter Mia" the head "daughter".
func (p phrase) unnamed() phrase {
	if !p.proper || nouns.any(p.head, "kin", "pet") {
		return p
	}
	for _, w := range p.words {
		if nouns.any(singular(w), "kin", "pet") {
			p.head = singular(w)
			p.words = []string{w}
			return p
		}
	}
	return p
}

// predicate reports whether the word at i is the verb after a subject, and not a part of
// the phrase: "my sister lives".
func (p phrase) predicate(ts []token, i int) bool {
	if len(p.words) < 2 || !among(p.det, "my", "our") {
		return false
	}
	if before := singular(p.words[len(p.words)-2]); nouns.any(before, "kin", "pet", "circle") && strings3(p.last()) || strings3s[p.last()] {
		return true
	}
	return ownVerb(ts, i)
}

func ownVerb(ts []token, i int) bool {
	w := ts[i].word
	base := lemma(w)
	return knownVerbs[base] && (base != w || plural(ts[i-1].word)) && !gerund(w) && w != "favored" && !nouns.any(singular(w), "kin", "pet", "thing", "trade", "event", "project") && !small.any(w, "attribute", "passion", "aim") && !preferred[w] || adverb(w) && small.has("adverb", w)
}

func plural(w string) bool { return singular(w) != w || among(w, "children", "people") }

// back returns the phrase without its last word.
func (p phrase) back() phrase {
	p.words = p.words[:len(p.words)-1]
	p.end--
	p.head = singular(p.words[len(p.words)-1])
	return p
}

// singular returns a noun without its plural ending, as far as the lists know it.
func singular(w string) string {
	if base, ok := pluralForms[w]; ok {
		return base
	}
	if len(w) < 4 || !strings.HasSuffix(w, "s") || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is") || listed(w) {
		return w
	}
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4 && !among(w, "movies", "cookies", "hoodies", "budgies", "puppies"):
		return w[:len(w)-3] + "y"
	case endsIn(w, "ches", "shes", "sses", "xes", "zes"):
		return w[:len(w)-2]
	}
	return w[:len(w)-1]
}

// listed reports whether a list has the form unchanged: "finals".
func listed(w string) bool { return nouns.any(w, "event", "trade") && !among(w, "exams", "employees") }

var pluralForms = map[string]string{"children": "child", "wives": "wife", "lives": "life", "mice": "mouse", "feet": "foot", "teeth": "tooth", "men": "man", "women": "woman",
	"people": "people", "puppies": "puppy", "geese": "goose", "knives": "knife", "kitties": "kitty", "babies": "baby", "families": "family", "ponies": "pony"}

// last is the last word, "" for an empty phrase.
func (p phrase) last() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[len(p.words)-1]
}

// is reports whether the phrase's head is in one of the lists of nouns.
func (p phrase) is(sections ...string) bool {
	if p.head == "" {
		return false
	}
	last := p.last()
	if nouns.any(p.head, sections...) || nouns.any(last, sections...) {
		return true
	}
	if len(p.words) > 1 {
		if nouns.any(p.words[len(p.words)-2]+"-"+p.head, sections...) {
			return true
		}
	}
	return p.compound(sections...)
}

// compound reports whether a head that no list has ends in a word of the lists:
// "bookshop", "side-project".
func (p phrase) compound(sections ...string) bool {
	for section := range nouns {
		if nouns.has(section, p.head) {
			return false
		}
	}
	for k := 3; k+4 <= len(p.head); k++ {
		tail := strings.TrimPrefix(p.head[k:], "-")
		if len(tail) > 3 && nouns.any(tail, sections...) {
			return true
		}
	}
	return false
}

// holds reports whether any word of the phrase is in one of the lists.
func (p phrase) holds(sections ...string) bool {
	for _, w := range p.words {
		if nouns.any(w, sections...) || nouns.any(singular(w), sections...) {
			return true
		}
	}
	return false
}

// tool reports whether the phrase names a product or a technology.
func (p phrase) tool() bool {
	for _, w := range p.words {
		if small.any(w, "tool", "language") {
			return true
		}
	}
	return false
}

// pointed reports whether the phrase refers to this conversation: "it",
// "that idea", "your answer", "the second one".
func (p phrase) pointed() bool {
	return small.has("pointing", p.det) || among(p.head, "one", "ones")
}

// ill reports whether the phrase names an illness of body or mind.
func (p phrase) ill() bool {
	return p.is("health") || endsIn(p.head, "itis", "osis", "emia", "aemia", "phobia", "algia", "pathy", "plegia", "philia", "omnia")
}

// role reports whether the phrase says what a person is.
func (p phrase) role() bool {
	if p.head == "" || people.has("notperson", p.head) {
		return false
	}
	last := p.head[strings.LastIndexAny(p.head, "-/")+1:]
	if people.has("role", p.head) || people.has("role", last) {
		return true
	}
	return len(p.head) > 4 && endsIn(p.head, "ologist", "ographer", "ist", "ian", "eer", "aholic", "man", "woman", "person", "er", "or", "ant") && !nouns.any(p.head, "thing", "stop", "project", "event", "trade", "pursuit") && !notRole[p.head]
}

var notRole = setOf("number letter answer matter error color factor paper order other former later computer corner disaster monster restaurant")
