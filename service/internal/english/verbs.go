package english

import "strings"

// Base returns the base form of an irregular verb or noun, or of an auxiliary, or "". If
// a word may be a verb or a noun, it returns the verb.
func Base(form string) string {
	if base := verbBase(form); base != "" {
		return base
	}
	return nouns[form]
}

func verbBase(form string) string {
	if base := forms[form]; base != "" {
		return base
	}
	return verbs[form]
}

// Lemma returns the base form of a verb, as far as its ending and the known verbs tell.
func Lemma(word string, known map[string]bool) string {
	if base := verbBase(word); base != "" {
		return base
	}
	if known[word] {
		return word
	}
	for _, suffix := range []string{"ing", "ed", "es", "s"} {
		if stem, ok := strings.CutSuffix(word, suffix); ok && len(stem) > 1 {
			return baseOf(stem, suffix, known)
		}
	}
	return word
}

// baseOf undoes what an ending does to a verb: dropped e, doubled letter, y.
func baseOf(stem, suffix string, known map[string]bool) string {
	candidates := []string{stem, stem + "e"}
	if n := len(stem); n > 2 && stem[n-1] == stem[n-2] {
		candidates = append(candidates, stem[:n-1])
	}
	if s, ok := strings.CutSuffix(stem, "i"); ok {
		candidates = append(candidates, s+"y")
	}
	for _, c := range candidates {
		if known[c] {
			return c
		}
	}
	if suffix == "s" || !strings.HasSuffix(stem, "i") {
		return stem
	}
	return stem[:len(stem)-1] + "y"
}

// Gerund reports whether a word is an -ing form of a verb.
func Gerund(word string) bool {
	return len(word) > 4 && strings.HasSuffix(word, "ing") && !notGerund[word]
}

var notGerund = Set(`something anything nothing everything morning evening interesting string spring during ceiling sibling king boring wedding
outgoing easygoing willing exciting amazing lightning`)

// Participle reports whether a word can follow "have" or "be" as a past form.
func Participle(word string) bool {
	changed := verbBase(word) != "" && !Gerund(word) && !strings.HasSuffix(word, "s")
	return changed || word == "was" || word == "born" || strings.HasSuffix(word, "ed") && len(word) > 3
}

// Past reports whether a word is the simple past of a verb.
func Past(word string) bool {
	switch word {
	case "am", "are", "born", "been", "have", "need", "feed", "breed", "speed", "read":
		return false
	}
	return Participle(word) && !Gerund(word)
}
