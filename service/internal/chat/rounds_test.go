package chat_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// What an answer said and called, and what its provider wants back, counts in the window.
func TestAnAnswerOutgrowsItsWindow(t *testing.T) {
	t.Parallel()
	own, err := json.Marshal(strings.Repeat("x", 3*chat.DefaultWindow))
	require.NoError(t, err)
	made := calls("act", `{"n":1}`)
	made.Call.Extra = own
	for name, first := range map[string][]chat.Piece{
		"text":            {{Text: strings.Repeat("x", 3*chat.DefaultWindow)}, calls("act", `{"n":1}`)},
		"the provider's":  {made},
		"a call's result": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			did := &counter{}
			model := oneCall()
			if first != nil {
				model.say[0] = first
			} else {
				did.outcome = func(tool.Call) tool.Outcome {
					return tool.Outcome{Status: wire.CallDone, Result: strings.Repeat("x", 3*chat.DefaultWindow)}
				}
			}
			s := start(t, model.script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalUser})).carried()
			response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
			s.decide(ann, response.Message.ToolCalls[0].ID, approve)
			stream, err := s.Resume(t.Context(), admin, response.StreamID, 0)
			require.NoError(t, err)
			whole, err := stream.Response(t.Context())
			if first == nil {
				require.NoError(t, err)
				require.Equal(t, "Done.", whole.Message.Content, "a result is cut")
				return
			}
			requireError(t, err, wire.CodePayloadTooLarge)
			require.Len(t, model.asked(), 1)
		})
	}
}
