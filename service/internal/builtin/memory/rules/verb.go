package rules

import (
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

var gerund, participle, past, setOf = english.Gerund, english.Participle, english.Past, english.Set

// lemma returns the base form of a verb, as far as its ending and the lists show it.
func lemma(word string) string {
	if word == "'s" {
		return "be"
	}
	return english.Lemma(word, knownVerbs)
}

// thirdPerson returns the form of a verb after "User", in the case of the original.
func thirdPerson(written string) string {
	word := strings.ToLower(written)
	form, ok := thirdForms[word]
	switch {
	case ok:
	case past(word) && word != "quit" || strings.HasSuffix(word, "'d"):
		return written
	case endsIn(word, "s", "x", "z", "ch", "sh", "o"):
		form = word + "es"
	case strings.HasSuffix(word, "y") && !endsIn(word, "ay", "ey", "oy", "uy"):
		form = word[:len(word)-1] + "ies"
	default:
		form = word + "s"
	}
	if strings.ToUpper(written) == written && len(written) > 1 {
		return strings.ToUpper(form)
	}
	return form
}

var thirdForms = map[string]string{"am": "is", "are": "is", "is": "is", "were": "was", "was": "was", "have": "has", "do": "does", "had": "had",
	"can": "can", "could": "could", "will": "will", "would": "would", "should": "should", "must": "must", "may": "may", "might": "might", "shall": "shall",
	"used": "used", "did": "did", "been": "has been", "quit": "quit", "ca": "can", "wo": "will", "ain": "is", "has": "has", "does": "does"}

func endsIn(word string, suffixes ...string) bool {
	for _, s := range suffixes {
		if strings.HasSuffix(word, s) {
			return true
		}
	}
	return false
}
