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
	text := strings.Builder{}
	text.WriteString(" ")
	for _, w := range q.words {
		text.WriteString(w.Plain + " ")
	}
	for _, start := range ofAgent {
		if strings.HasPrefix(text.String(), start) && !q.has(saying) {
			return reply{text: identity}, true
		}
	}
	return reply{}, false
}
