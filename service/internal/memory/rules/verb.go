package rules

import "strings"

// lemma is the base form of a verb, as far as its ending and the lists tell.
func lemma(word string) string {
	if base, ok := irregular[word]; ok {
		return base
	}
	if knownVerbs[word] {
		return word
	}
	for _, suffix := range []string{"ing", "ed", "es", "s"} {
		if stem, ok := strings.CutSuffix(word, suffix); ok && len(stem) > 1 {
			return baseOf(stem, suffix)
		}
	}
	return word
}

// baseOf undoes what an ending does to a verb: dropped e, doubled letter, y.
func baseOf(stem, suffix string) string {
	candidates := []string{stem, stem + "e"}
	if n := len(stem); n > 2 && stem[n-1] == stem[n-2] {
		candidates = append(candidates, stem[:n-1])
	}
	if s, ok := strings.CutSuffix(stem, "i"); ok {
		candidates = append(candidates, s+"y")
	}
	for _, c := range candidates {
		if knownVerbs[c] {
			return c
		}
	}
	if suffix == "s" || !strings.HasSuffix(stem, "i") {
		return stem
	}
	return stem[:len(stem)-1] + "y"
}

// gerund tells whether a word is an -ing form of a verb.
func gerund(word string) bool {
	return len(word) > 4 && strings.HasSuffix(word, "ing") && !notGerund[word] || among(word, "dying", "going", "doing")
}

var notGerund = map[string]bool{"something": true, "anything": true, "nothing": true, "everything": true, "morning": true, "evening": true,
	"interesting": true, "string": true, "spring": true, "during": true, "ceiling": true, "sibling": true, "king": true, "boring": true,
	"wedding": true, "outgoing": true, "easygoing": true, "willing": true, "exciting": true, "amazing": true, "lightning": true}

// participle tells whether a word can follow "have" or "be" as a past form.
func participle(word string) bool {
	if among(word, "been", "had", "born") {
		return true
	}
	base, ok := irregular[word]
	return ok && base != word && !gerund(word) || strings.HasSuffix(word, "ed") && len(word) > 3 || sameInPast[word]
}

// past tells whether a word is the simple past of a verb.
func past(word string) bool {
	switch word {
	case "am", "is", "are", "has", "does", "born", "been", "have", "'m", "'re", "'ve":
		return false
	}
	if gerund(word) {
		return false
	}
	return participle(word) && !among(word, "need", "feed", "breed", "speed", "read")
}

var sameInPast = map[string]bool{"quit": true, "read": true, "cut": true, "put": true, "set": true, "hurt": true, "let": true}

// thirdPerson is the form of a verb after "User", in the letters it was written in.
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
