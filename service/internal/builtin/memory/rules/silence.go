package rules

import (
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

// silenced returns the tokens in which the user speaks: all of them, those before a
// hypothetical, or none in a role play or a riddle.
func silenced(tokens []token) []token {
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.word
	}
	if rolePlay(tokens, words) || riddle(tokens, words) {
		return nil
	}
	for i := range tokens {
		if supposes(tokens, words, i) {
			return tokens[:sentenceStart(tokens, i)]
		}
	}
	return tokens
}

func sentenceStart(tokens []token, i int) int {
	for i > 0 && !tokens[i].first && !tokens[i].pause() {
		i--
	}
	return i
}

// rolePlay reports whether a message gives the assistant a part to play.
func rolePlay(tokens []token, words []string) bool {
	if hasPhrase(words, "act as", "act like a", "act like an", "role play", "roleplay", "role-play", "stay in character", "break character", "pretend to be", "pretend you are",
		"pretend that you", "pretend you 're", "impersonate", "you to be my", "you to be a", "you to act", "play the role", "play the part", "i will be the", "respond as if you",
		"simulate a", "take on the role", "you will be playing", "ignore all previous", "ignore previous instructions", "my first sentence is", "my first request is", "my first command is",
		"my first question is", "my first suggestion", "act like", "you are now", "speak as if", "talk as if", "you will act", "assume the role", "in the role of", "take the role") {
		return true
	}
	for i := range tokens {
		if !tokens[i].first || i+3 >= len(tokens) || words[i] != "you" || words[i+1] != "are" {
			continue
		}
		if slices.Contains([]string{"a", "an", "my", "the"}, words[i+2]) && !compliment(words[i+3:]) || tokens[i+2].capital {
			return true
		}
	}
	return false
}

func compliment(words []string) bool {
	n := min(3, len(words))
	return containsAny(words[:n], "great", "good", "genius", "lifesaver", "life", "best", "star", "friend", "wonderful", "legend", "big", "bit", "little", "very", "true", "real", "nice", "amazing", "only", "smart")
}

// riddle reports whether a message is a puzzle in the first person.
func riddle(tokens []token, words []string) bool {
	if hasPhrase(words, "what am i", "who am i", "riddle", "word problem", "brain teaser", "brainteaser", "trick question", "logic puzzle", "logic problem", "solve this puzzle", "solve this problem") {
		return true
	}
	numbers := 0
	for _, w := range words {
		if number(w) {
			numbers++
		}
	}
	asked := questionWords(tokens)
	if numbers < 1 || len(asked) == 0 {
		return false
	}
	counts := hasPhrase(asked, "how many", "how much", "how old", "how far", "what is the name", "what are they", "how long did", "who is", "how fast", "what color", "what time", "what day", "is the fifth")
	total := containsAny(asked, "left", "remain", "remaining", "total", "altogether", "fifth", "together") || hasPhrase(asked, "do i have", "does she have", "does he have", "what are they",
		"old is my", "old am i", "old is he", "old is she", "old will", "old was", "do we have", "have i", "did i", "will i have", "s name", "is the name")
	return counts && (total || numbers > 2) && !hasPhrase(asked, "should i", "can i", "should we", "should my")
}

// questionWords are the words of the sentences that end with a question mark.
func questionWords(tokens []token) []string {
	var asked []string
	start := 0
	for i, t := range tokens {
		if t.first {
			start = i
		}
		if t.asked {
			for _, u := range tokens[start : i+1] {
				asked = append(asked, u.word)
			}
		}
	}
	return asked
}

func number(word string) bool {
	return english.Numeral(word) != "" && word != "one" || word == "half" || word != "" && strings.Trim(word, "0123456789.,%$€£-+kmh") == "" && strings.ContainsAny(word, "0123456789")
}

// supposes reports whether a hypothetical or a fiction begins at a token.
func supposes(tokens []token, words []string, i int) bool {
	opens := tokens[i].first || tokens[i].pause() || i > 0 && small.has("filler", words[i-1]) || i > 0 && words[i-1] == "you"
	rest := words[i:]
	switch words[i] {
	case "suppose", "supposing", "imagine", "imagining", "pretend", "pretending", "assuming", "hypothetically", "envision":
		return opens
	case "assume":
		return opens && len(rest) > 1 && (among(rest[1], "i", "that", "my", "we", "you"))
	case "let":
		return hasAnyPrefix(rest, "let us say", "let us assume", "let us pretend", "let us imagine", "let us suppose", "let me say i", "let us role")
	case "what":
		return hasAnyPrefix(rest, "what if")
	case "say":
		return tokens[i].first && hasAnyPrefix(rest, "say i", "say that i", "say we", "say my", "say you")
	case "if":
		return hasAnyPrefix(rest, "if i were", "if i was", "if i had", "if we were", "if we had", "if my father", "if i drive", "if i have", "if i am", "if i throw", "if i buy")
	case "given":
		return hasAnyPrefix(rest, "given a scenario")
	case "for":
		return hasAnyPrefix(rest, "for the sake of")
	case "in":
		return hasAnyPrefix(rest, "in this scenario", "in a scenario", "in this story", "in an alternate")
	}
	return false
}

func hasAnyPrefix(words []string, phrases ...string) bool {
	for _, p := range phrases {
		parts := strings.Fields(p)
		if len(parts) <= len(words) && slices.Equal(words[:len(parts)], parts) {
			return true
		}
	}
	return false
}
