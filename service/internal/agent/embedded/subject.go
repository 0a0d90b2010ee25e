package embedded

import "strings"

// longestLead bounds what is passed over before the subject, in words.
const longestLead = 4

// leadLength is the number of words before the subject, as in "tomorrow I fly"
// and "in May my sister came".
func leadLength(ts []token) int {
	if len(ts) == 0 || asking[ts[0].word] || suppositions[ts[0].word] || determiners[ts[0].word] || subjectPronoun(ts[0].word) {
		return 0
	}
	for i, t := range ts[:min(len(ts)-1, longestLead+1)] {
		switch {
		case verbal(t.word), t.word == "'s", t.quoted, i == 0 && verbs[t.stem] && !timeWords[t.stem]:
			return 0
		case i > 0 && (selfPronouns[t.word] || otherPronouns[t.word]) && isVerbLike(ts[i+1]), i > 0 && ourOwn[t.word]:
			if timeWords[ts[i-1].stem] || prepositions[ts[0].word] || adverbs[ts[0].word] {
				return i
			}
			return 0
		}
	}
	return 0
}

// longestSubject bounds the search for the verb, in words.
const longestSubject = 9

// subjectLength is the number of words before the verb, 0 if none is found.
func subjectLength(ts []token) int {
	if len(ts) < 2 || ts[0].quoted || asking[ts[0].word] || verbal(ts[0].word) || prepositions[ts[0].word] {
		return 0
	}
	if subjectPronoun(ts[0].word) && (!thingPronouns[ts[0].word] || isVerb(ts, 1)) {
		return 1
	}
	start := 1
	if determiners[ts[0].word] {
		start = 2
	}
	for i := start; i < len(ts) && i <= longestSubject; i++ {
		switch {
		case ts[i].colon && i <= 4, !ts[i].pause && !ts[i].quoted && isVerb(ts, i):
			return i
		case ts[i].pause:
			return 0
		}
	}
	return 0
}

// isVerb tells whether the word after a subject is its verb.
func isVerb(ts []token, i int) bool {
	t := ts[i]
	switch {
	case verbal(t.word):
		return true
	case t.word == "'s":
		return shortIs(ts, i)
	case !verbs[t.stem] || strings.HasSuffix(t.word, "ing"):
		return false
	case t.word == "named" || t.word == "called": // "a dog called Rex"
		return i+1 < len(ts) && hasWord(ts[i+1:i+2], "me", "him", "her", "us", "them", "you", "it")
	}
	_, irregular := baseForms[t.word]
	return irregular || hasSuffix(t.word, "s", "ed") || selfPronouns[ts[i-1].word] || severalOf(ts[i-1])
}

// severalOf tells a noun in the plural.
func severalOf(t token) bool {
	return plurals[t.word] || strings.HasSuffix(t.word, "s") && t.stem != t.word && t.word != "'s"
}

// passive tells "called" and "born".
func passive(t token) bool {
	return passives[t.stem] && (hasSuffix(t.word, "ed") || t.word == "born")
}

// shortIs tells the 's that is a verb, as in "my name's Ana", from that of an
// owner: after an owner's, another verb follows.
func shortIs(ts []token, i int) bool {
	if i+1 >= len(ts) || ts[i+1].pause {
		return false
	}
	if next := ts[i+1]; articles[next.word] || ourOwn[next.word] || passive(next) || negations[next.word] || prepositions[next.word] {
		return true
	}
	for j := i + 1; j < len(ts) && !ts[j].pause; j++ {
		if verbal(ts[j].word) || ts[j].word == "'s" || j > i+1 && isVerb(ts, j) {
			return false
		}
	}
	return true
}
