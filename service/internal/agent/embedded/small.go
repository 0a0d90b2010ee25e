package embedded

import (
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

var (
	courtesies = map[string]string{
		"thanks": "You're welcome!", "thank": "You're welcome!", "cheers": "You're welcome!", "bye": "Goodbye!", "goodbye": "Goodbye!", "farewell": "Goodbye!",
	}
	// ofAgent begin questions about the agent itself, between spaces.
	ofAgent = []string{
		" help ", " who are you ", " what are you ", " are you ", " how are you ", " what can you do ", " what do you do ", " what can i do ", " what can i ask ",
		" who made you ", " what is your ", " what are your ", " what your ", " how do you work ", " introduce yourself ",
	}
)

// courtesy answers a message that is a greeting, thanks or a farewell and nothing else.
func (t transcript) courtesy() (reply, bool) {
	if said := courtesies[t.words[0].Plain]; said != "" && len(t.words) < 6 && len(t.asked) == 0 {
		return reply{text: said}, true
	}
	other := slices.ContainsFunc(t.words, func(w english.Word) bool { return !greetings[w.Plain] })
	return reply{greets: true}, !other
}

// aboutAgent answers what is asked about the agent itself.
func aboutAgent(q question) (reply, bool) {
	text := " "
	for _, w := range q.words {
		text += w.Plain + " "
	}
	for _, start := range ofAgent {
		if strings.HasPrefix(text, start) && !q.has(saying) {
			return reply{text: identity}, true
		}
	}
	return reply{}, false
}

// abroad are frequent words of other languages that are none in English.
var abroad = english.Set(`ich nicht und ist der das ein eine wie wo wer warum mein meine bin wohne dem den zu mit für auf la de je ne pas est et le les des
une du suis quelle quel où qui que pourquoi mon ma mes vous nous avec dans el los las una es soy y yo mi qué donde dónde cuál cómo por para con está il che
di sono e gli io mio della perché nel non os um uma não eu meu minha você em ik niet het van mijn en waar hoe jag inte och är det som nie jest się`)

// foreign tells that a message is in another language than English: most of its words are in
// letters that English has not, or it has words of others and hardly one of English.
func foreign(words []english.Word) bool {
	known, others, letters := 0, 0, 0
	for _, w := range words {
		switch {
		case strings.ContainsFunc(w.Plain, func(r rune) bool { return r >= 0x250 }):
			letters++
		case abroad[strings.ToLower(w.Text)]:
			others++
		case english.Stop(w.Plain):
			known++
		}
	}
	return letters*2 > len(words) || others > 1 && others > known
}
