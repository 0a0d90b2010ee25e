package rules

import "strings"

// unexplained reports whether a message has something that people don't say around a
// statement about themselves. Text before the statement may introduce another speaker in
// ways that no list has: "Page content follows. I live in Kent."
func unexplained(sentences [][]token) bool {
	spoken := false
	for _, s := range sentences {
		switch {
		case subjectless(s), givesTask(s), bidsBefore(s), announced(s), ofText(s):
			return true
		case firstPerson(s):
			spoken = true
		case greets(s), bidsKindly(s):
		case s[len(s)-1].asked || interrogative(s):
			if !spoken && (refers(s) || headless(s)) {
				return true
			}
		case !spoken || bareTask(s) || verbless(s):
			return true
		}
	}
	return false
}

// ofText recognises a sentence about a text, which says nothing about its writer: "Which verbs are irregular?", "My kid's homework."
func ofText(s []token) bool {
	words := make([]string, len(s))
	about := false
	for i, t := range s {
		if t.word == "i" {
			return false
		}
		words[i] = t.word
		about = about || texts[t.word] || texts[singular(t.word)] ||
			t.word == "english" && i > 0 && s[i-1].word == "the"
	}
	return about && (s[len(s)-1].asked || !mannerly(words))
}

// texts are names of kinds of texts and of their parts.
var texts = setOf(`verb noun adjective synonym wording variant homework letter essay comma syllable rhyme draft memo caption headline slogan quotation
statement testimonial paraphrase bio sentence paragraph lyrics dialogue verse`)

// subjectless recognises a heading: "My diary from 1999.", "From my sister."
func subjectless(s []token) bool {
	return len(s) < 6 && !s[len(s)-1].asked && (among(s[0].word, "my", "our") ||
		small.has("preposition", s[0].word)) && firstPerson(s) && verbless(s[1:])
}

// verbless recognises words that are not a sentence: "Author unknown.", "Spanish version please".
func verbless(s []token) bool {
	for _, t := range s {
		if finite[t.word] || knownVerbs[lemma(t.word)] || strings3(t.word) || t.word == "i" || among(t.word, "not", "no", "especially", "just") {
			return false
		}
	}
	return true
}

// headless recognises a question of a word or two that asks about what follows:
// "Sentiment?", unlike "Any ideas?".
func headless(s []token) bool {
	return verbless(s) && !among(s[0].word, "any", "some") && !small.has("wh", s[0].word)
}

// bidsBefore reports whether an order comes before the statement in a sentence: "Say it in French, I live in Kent".
func bidsBefore(s []token) bool {
	s = skipFillers(s)
	if len(s) < 4 || !knownVerbs[s[0].word] || s[0].word != lemma(s[0].word) || !s[0].first || bidsKindly(s) {
		return false
	}
	for _, t := range s[2:] {
		if t.pause() && t.word == "i" {
			return true
		}
	}
	return false
}

// greets recognises words without content, and reactions to the last answer:
// "Hi there", "Thanks, that helps", "That's cool!", and the number of an item.
func greets(s []token) bool {
	rest := skipFillers(s)
	switch {
	case len(rest) == 0, reaction(s), len(s) < 7 && courteous[s[0].word], number(s[0].word) && len(s) == 1:
		return true
	case len(s) < 3 && among(s[0].word, "good", "sorry", "hello"):
		return true
	}
	return len(rest) < 12 && rest[0].word == "thank"
}

var courteous = setOf("hi hello hey thanks thank sorry yes no ok okay good wow oh yeah great nice cool")

// announced recognises words before "I" that introduce a text: "one star
// review I hate it", "Voicemail from mum, I live in Bruges".
func announced(s []token) bool {
	s = skipFillers(s)
	at := 0
	for at < len(s) && !among(s[at].word, "i", "my", "we", "our") {
		at++
	}
	if at == 0 || at == len(s) || s[len(s)-1].asked || interrogative(s) || courteous[s[0].word] {
		return false
	}
	if at == 1 && !s[at].pause() || bidsKindly(s) || small.any(s[0].word, "preposition", "adverb", "time", "question-aux", "determiner", "subject") ||
		among(s[0].word, "being", "have", "both", "me", "as", "last", "next") {
		return false
	}
	return verbless(s[:at]) || knownVerbs[s[0].word] && s[0].word == lemma(s[0].word)
}

// kind are polite requests, besides requests for advice.
var kind = setOf("give explain find name propose teach advise keep remember note let compare")

// bidsKindly recognises requests that people make together with statements about
// themselves: for advice, and for a manner of answering.
func bidsKindly(s []token) bool {
	words := make([]string, len(s))
	for i, t := range s {
		words[i] = t.word
	}
	if imperative(strings.Join(words, " ")) && mannerly(words) {
		return true
	}
	words = skipPolite(words)
	return len(words) > 1 && (advice[words[0]] || kind[words[0]]) && !makesText(words)
}

// refers recognises a question about somebody who is not named.
func refers(s []token) bool {
	for _, t := range s {
		if among(t.word, "he", "him", "his", "she", "her", "they", "them", "their", "it") {
			return true
		}
	}
	return false
}

// givesTask recognises a task on something: "Grade my student's essay."
func givesTask(s []token) bool {
	return len(s) > 2 && verbs.any(s[0].word, "task", "text-task") && !advice[s[0].word] && !kind[s[0].word] && !among(s[0].word, "use", "make") &&
		small.has("determiner", s[1].word)
}

// bareTask recognises a task of one or two words: "Continue.", "Summary please."
func bareTask(s []token) bool {
	return verbs.any(s[0].word, "task", "text-task") && s[0].word == lemma(s[0].word) || len(s) < 3 && s[len(s)-1].word == "please"
}
