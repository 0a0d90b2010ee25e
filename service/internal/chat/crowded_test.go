package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// If passages were found and none fits, the model is not told that nothing was
// found, and what it is told instead fits into the window.
func TestPassagesThatDoNotFit(t *testing.T) {
	t.Parallel()
	docs := newShelf()
	docs.texts["house"] = strings.Repeat("The answer is 42. ", 50)
	const window = 1500
	fits := 3*window - 900 // in bytes, with room for a notice and for no passage
	for _, test := range []struct {
		name, question string
		keys           []string
		manner         string
		crowded        bool
		told           string // empty: nothing about documents
	}{
		{"passages that fit", "How much?", []string{"house"}, wire.AgentDocument, false, "The answer is 42."},
		{"passages that don't", strings.Repeat("x", fits), []string{"house"}, wire.AgentDocument, true, "none of them fits"},
		{"nothing found", strings.Repeat("x", fits), []string{}, wire.AgentDocument, false, "No passage of the documents fits"},
		{"passages that don't, with a chat agent", strings.Repeat("x", fits), []string{"house"}, wire.AgentChat, true, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			model := newRecorder(citesAll())
			s := start(t, model, knowing(docs), agents(answering.Agent{ID: "a", Window: window}))
			answer := s.ask(ann, chat.Send{Message: test.question, Options: answering.Options{DocumentKeys: test.keys, AgentType: test.manner}})
			prompt := <-model.prompts
			require.Equal(t, test.crowded, prompt.Crowded)
			require.Equal(t, test.told == "", beside(prompt) == "", beside(prompt))
			require.Contains(t, beside(prompt), test.told)
			require.Equal(t, test.name == "nothing found", strings.Contains(beside(prompt), "No passage"))
			require.LessOrEqual(t, (len(prompt.System)+2)/3+(len(prompt.Messages[0].Text)+2)/3, window)
			require.Equal(t, test.name == "passages that fit", answer.Message.Sources != nil)
		})
	}
	s := start(t, says(words("Yes.")...), knowing(docs), agents(answering.Agent{ID: "a", Window: window, Type: wire.AgentDocument}))
	refused := requireError(t, s.refused(ann, chat.Send{Message: strings.Repeat("x", 3*window-30)}), wire.CodePayloadTooLarge, "message")
	require.Contains(t, refused.Message, fmt.Sprint(window-10, " tokens beside"), "there is room for the notice")
}
