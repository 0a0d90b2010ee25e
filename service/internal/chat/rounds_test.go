package chat_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// The texts and calls of an answer, and the data that its provider wants back, count in the window.
func TestAnAnswerOutgrowsItsWindow(t *testing.T) {
	t.Parallel()
	own, err := json.Marshal(strings.Repeat("x", 3*answering.DefaultWindow))
	require.NoError(t, err)
	made := calls("act", `{"n":1}`)
	made.Call.Extra = own
	for name, first := range map[string][]answering.Piece{
		"text":            {{Text: strings.Repeat("x", 3*answering.DefaultWindow)}, calls("act", `{"n":1}`)},
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
					return tool.Outcome{Status: wire.CallDone, Result: strings.Repeat("x", 3*answering.DefaultWindow)}
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

// The page's tools are the same in each round: a call of the last round can be claimed too.
func TestAPageToolIsTheSameInEveryRound(t *testing.T) {
	t.Parallel()
	definition := `{ "description": "Paints <all> & more", "parameters": {"type": "object",  "description": "0 < n\u2028"}, "approval": "never" }`
	model := &rounds{say: [][]answering.Piece{{calls("paint", `{"n":1}`)}, {calls("paint", `{"n":2}`)}, {{Text: "Painted."}}}}
	s := start(t, model.script())
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: pageOffer(definition)})
	for n := range 2 {
		var made []wire.ToolCall
		require.Eventually(t, func() bool {
			made = s.history(response.ChatID).Messages[1].ToolCalls
			return len(made) > n
		}, time.Minute, time.Millisecond)
		call := made[n]
		require.NoError(t, s.claim(call.ID, oneClaim, definition), "round %d", n+1)
		require.NoError(t, s.result(call.ID, oneClaim, "red"))
		s.settle()
	}
	require.Equal(t, "Painted.", s.whole(response.StreamID).Message.Content)
}

// What the page says about a tool of the operator is ignored, valid or not.
func TestAToolOfThePageBesideADeclaredOne(t *testing.T) {
	t.Parallel()
	declared, err := tool.New(tool.Definition{Kind: wire.ToolPage, Name: "ticket", Description: "Opens one", Parameters: wire.JSON(schema)}, nil)
	require.NoError(t, err)
	set, err := tool.NewSet([]*tool.Tool{declared}, nil, tool.PageToolsAny)
	require.NoError(t, err)
	model := &rounds{say: [][]answering.Piece{{calls("paint", `{"n":1}`)}, {{Text: "Painted."}}}}
	s := start(t, model.script(), agents(answering.Agent{ID: "assistant", Name: "Assistant", Tools: set}))
	offer := chat.Offer{Calls: true, PageTools: wire.JSON(`{"ticket":{},"paint":{"description":"Paints","parameters":` + schema + `}}`)}
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: offer})
	approved := s.decide(ann, response.Message.ToolCalls[0].ID, approve)
	require.Equal(t, wire.CallApproved, approved.Status)
}

// If an answer is stopped while a call is carried out, the call still gets its outcome, but it
// is not tried again if it is lost.
func TestACallThatIsLostAfterAStop(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}), make(chan struct{})
	lost := &counter{outcome: func(tool.Call) tool.Outcome {
		close(begun)
		<-goOn
		return tool.Outcome{Status: wire.CallUnknown, Error: "it broke off"}
	}}
	s := start(t, oneCall().script(), operatorTools(t, lost, idempotent, map[string]string{"act": wire.ApprovalUser})).carried()
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	callID := response.Message.ToolCalls[0].ID
	s.decide(ann, callID, approve)
	<-begun
	_, err := s.Stop(t.Context(), ann, response.StreamID)
	require.NoError(t, err)
	close(goOn)
	require.Eventually(t, func() bool { return s.status(callID) == wire.CallUnknown }, time.Minute, time.Millisecond)
	call, err := s.Calls().Call(t.Context(), ann, callID)
	require.NoError(t, err)
	require.Equal(t, "it broke off", call.Error)
	require.Len(t, lost.all(), 1)
}

// A stop denies nothing that has expired, and later prompts name the calls of an answer that
// said nothing.
func TestAStopAfterACallHasExpired(t *testing.T) {
	t.Parallel()
	model := oneCall()
	s := start(t, model.script(), operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalUser}))
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	s.clock.pass(24 * time.Hour)
	_, err := s.Stop(t.Context(), ann, response.StreamID)
	require.NoError(t, err)
	require.Equal(t, wire.CallExpired, s.history(response.ChatID).Messages[1].ToolCalls[0].Status)
	model.say[0] = []answering.Piece{{Text: "Well."}}
	s.ask(ann, chat.Send{Message: "And?", ChatID: response.ChatID, Offer: knows})
	prompts := model.asked()
	require.Equal(t, []string{"user: Hi", "user: And?"}, texts(prompts[len(prompts)-1]))
	require.Contains(t, beside(prompts[len(prompts)-1]), `| {"tool":"act","arguments":"{\"n\":1}","status":"expired"}`)
}
