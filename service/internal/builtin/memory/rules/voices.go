package rules

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

var (
	// voices are phrases that introduce another speaker, ask about a text, or open a
	// role play.
	voices = readPhrases("words/voices.txt")
)

// otherTongue reports whether a message has words that are not English. The rules do not
// understand tasks or texts in another language.
func otherTongue(text string, tokens []token) bool {
	for _, r := range text {
		if unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) {
			return true
		}
	}
	for _, t := range tokens {
		if t.quoted || t.capital && !t.first {
			continue
		}
		if (english.Token{Word: t.word, Capital: t.capital}).Foreign() {
			return true
		}
	}
	return false
}

// reports are verbs that introduce reported speech.
var reports = setOf(`said says wrote writes told tells texted tweeted posted replied replies answered commented claims claimed states stated reads goes
went messaged emailed quotes quoted dictated whispered shouted mentioned reported explained insisted bragged confessed announced sang sings thinks quoting
saying telling`)

// reportEnd returns the byte after the first verb that introduces another speaker, or
// the end: "and he said I live in Boston".
func reportEnd(text string, sentences [][]token) int {
	for _, s := range sentences {
		for i := range s {
			if i > 0 && dashed.MatchString(s[i].gap) && !firstPerson(s[:i]) && len(skipFillers(s[:i])) > 0 {
				return s[i-1].end // "Dad - I live in Minsk"
			}
			if reports[s[i].word] && speaks(s[i+1:]) && !ownReport(s, i) {
				return s[i].end
			}
		}
	}
	return len(text)
}

// dashed finds a dash in place of a colon.
var dashed = regexp.MustCompile(`\s(?:--?|[–—])\s|—`)

// speaks reports whether speech follows a verb of speech: "told me I", "says, I".
func speaks(rest []token) bool {
	for i, t := range rest {
		if i > 3 || t.word == "to" {
			return false
		}
		if among(t.word, "i", "my", "we", "our", "im") || strings.ContainsAny(t.gap, ",:\"'“‘「") {
			return true
		}
	}
	return false
}

// ownReport reports whether the user repeats what they said themselves, or
// what people say about them: "my boss says I talk too much".
func ownReport(s []token, verb int) bool {
	at := verb - 1
	for at >= 0 && (small.has("adverb", s[at].word) || finite[s[at].word]) {
		at--
	}
	if at < 0 {
		return false
	}
	if among(s[at].word, "i", "we", "you") {
		return true
	}
	of := among(s[at].word, "everyone", "everybody", "people") || at > 0 && s[at-1].word == "my" && (at < 2 || !among(s[at-2].word, "as", "like"))
	return of && among(s[verb].word, "says", "thinks", "tells", "claims")
}

// spokenAfter recognises speech whose speaker comes last: "I live in Kobe, she wrote".
func spokenAfter(text string, sentences [][]token) bool {
	for _, s := range sentences {
		if n := len(s); n > 3 && s[n-2].pause() && among(s[n-2].word, "he", "she", "they") {
			return true
		}
		for i := 1; i < len(s); i++ {
			if !reports[s[i].word] || among(s[i].word, "thinks", "reads", "like", "goes", "went") {
				continue
			}
			if i+1 < len(s) && among(s[i].word, "said", "says", "wrote") && among(s[i+1].word, "he", "she") {
				return true
			}
			ends := i == len(s)-1 && !ownReport(s, i)
			if s[i].pause() || ends && i > 2 && (s[i-1].pause() || i > 3 && s[i-2].pause()) {
				return true
			}
		}
	}
	return false
}

// asksOfText reports whether a sentence asks about a text, sets a task on a text, or
// gives a standing order.
func (m *Message) asksOfText() bool {
	for _, s := range m.sentences {
		if points(s) || tasked(s) || standsOut(m.text, s) {
			return true
		}
	}
	return false
}

// points recognises a question about something that the message does not name:
// "Is this true?", "what does that mean".
func points(s []token) bool {
	asks := s[len(s)-1].asked || interrogative(s)
	for i, t := range s {
		if !asks && !(t.pause() && interrogative(s[i:])) {
			continue
		}
		asks = true
		last := i == len(s)-1
		timed := !last && small.any(s[i+1].word, "time", "age-unit")
		if among(t.word, "this", "these", "those") && !timed || t.word == "that" && (i < 2 || last) {
			return true
		}
	}
	return false
}

// tasked recognises a task to be done on a text: "Fix the grammar.", "translate
// please", "In German, please".
func tasked(s []token) bool {
	words := make([]string, len(s))
	for i, t := range s {
		words[i] = t.word
	}
	if taskOf(words) == onText {
		return true
	}
	if words := skipPolite(words); len(words) > 0 {
		if verbs.has("text-task", words[0]) || editing[words[0]] && (len(words) < len(s) || len(words) < 4) || verbs.has("task", words[0]) && makesText(words) {
			return true
		}
		if len(words) > 1 && small.has("language", words[1]) && (among(words[0], "to", "into") || words[0] == "in" && len(words) < 4) {
			return true
		}
	}
	for i, w := range words {
		if textVerbs[w] && (i == 0 || !among(words[i-1], "i", "we", "they", "to", "never", "not", "always")) {
			return true
		}
	}
	return false
}

// editing are tasks that need an existing text or thing.
var editing = setOf(`polish check improve expand finish continue complete review grade evaluate interpret tag revise caption score judge rate detect
analyze analyse`)

// textVerbs are tasks on a text, anywhere in a sentence.
var textVerbs = setOf("translate proofread paraphrase rephrase summarize summarise rewrite reword")

// made are kinds of texts in which "I" is somebody else.
var made = setOf(`story chapter poem scene novel song lyrics script tale sketch monologue dialogue text tweet post verse sentence paragraph line
conversation diary`)

func makesText(words []string) bool {
	for _, w := range words {
		if made[w] || made[strings.TrimSuffix(w, "s")] {
			return true
		}
	}
	return containsAny(words, "this", "these", "that", "following", "below", "above")
}
