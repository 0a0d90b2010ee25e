package embedded_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/builtin/embedded"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answer is the output of the agent.
type answer struct {
	text    string
	lookups []string
	quotes  []quote
	calls   []toolcall.ModelCall
	pieces  []answering.Piece
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

func ask(t testing.TB, prompt answering.Prompt) answer {
	t.Helper()
	var a answer
	for piece, err := range (embedded.Agent{}).Answer(t.Context(), prompt) {
		require.NoError(t, err)
		a.add(t, piece)
	}
	return a
}

func (a *answer) add(t testing.TB, piece answering.Piece) {
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
