package embedded_test

// The dialogues of testdata/dialogues.json were written before the agent. Each
// is played as a service would: the agent itself answers every turn, and those
// answers stand in the next prompt. Where a turn has an "assistant" text, that
// stands there instead: a model answered it, or pretended to.

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/embedded"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

type dialogue struct {
	Name  string `json:"name"`
	Turns []turn `json:"turns"`
	// Answer is the wanted answer to the last turn.
	Answer string `json:"answer"`
	// Quotes are the ids of the messages that it draws on: q1 is the first
	// question, a1 the first answer.
	Quotes []string `json:"quotes"`
}

type turn struct {
	User      string `json:"user"`
	Assistant string `json:"assistant"`
}

func TestDialogues(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/dialogues.json")
	require.NoError(t, err)
	var dialogues []dialogue
	require.NoError(t, json.Unmarshal(file, &dialogues))
	require.GreaterOrEqual(t, len(dialogues), 30)
	for _, d := range dialogues {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			got := play(t, d.Turns)
			require.Equal(t, d.Answer, got.text)
			require.Equal(t, d.Quotes, append([]string{}, got.quoted()...))
		})
	}
}

// play gives the answer to the last turn.
func play(t *testing.T, turns []turn) answer {
	t.Helper()
	var prompt chat.Prompt
	var last answer
	for i, turn := range turns {
		prompt.Messages = append(prompt.Messages, chat.PromptMessage{ID: fmt.Sprintf("q%d", i+1), Role: wire.RoleUser, Text: turn.User})
		last = ask(t, prompt)
		said := last.text
		if turn.Assistant != "" {
			said = turn.Assistant
		}
		prompt.Messages = append(prompt.Messages, chat.PromptMessage{ID: fmt.Sprintf("a%d", i+1), Role: wire.RoleAssistant, Text: said})
	}
	return last
}

// answer is what came out of the agent.
type answer struct {
	text    string
	lookups []string
	quotes  []quote
	calls   []chat.ModelCall
	pieces  []chat.Piece
}

type quote struct {
	MessageID string `json:"message_id"`
	Text      string `json:"text"`
}

func (a answer) quoted() []string {
	var ids []string
	for _, q := range a.quotes {
		ids = append(ids, q.MessageID)
	}
	return ids
}

func ask(t testing.TB, prompt chat.Prompt) answer {
	t.Helper()
	var a answer
	for piece, err := range (embedded.Agent{}).Answer(t.Context(), prompt) {
		require.NoError(t, err)
		a.add(t, piece)
	}
	return a
}

func (a *answer) add(t testing.TB, piece chat.Piece) {
	t.Helper()
	a.pieces = append(a.pieces, piece)
	a.text += piece.Text
	if piece.Call != nil {
		a.calls = append(a.calls, *piece.Call)
	}
	if piece.Lookup != "" {
		a.lookups = append(a.lookups, piece.Lookup)
	}
	if piece.Object != nil {
		var object struct {
			Quotes []quote `json:"quotes"`
		}
		require.NoError(t, json.Unmarshal(piece.Object, &object))
		require.NotEmpty(t, object.Quotes)
		a.quotes = append(a.quotes, object.Quotes...)
	}
}
