package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/tool"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// counter carries calls out and counts them.
type counter struct {
	mu      sync.Mutex
	calls   []tool.Call
	outcome func(tool.Call) tool.Outcome
}

func (c *counter) Carry(_ context.Context, call tool.Call) tool.Outcome {
	c.mu.Lock()
	c.calls = append(c.calls, call)
	c.mu.Unlock()
	if c.outcome != nil {
		return c.outcome(call)
	}
	return tool.Outcome{Status: wire.CallDone, Result: "did " + call.Arguments}
}

func (c *counter) all() []tool.Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]tool.Call(nil), c.calls...)
}

const schema = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`

// operatorTools makes tools of the operator with these names and approvals.
func operatorTools(t *testing.T, carrier tool.Carrier, change func(*tool.Definition), approvals map[string]string) func(*chat.Config) {
	t.Helper()
	var all []*tool.Tool
	for name, approval := range approvals {
		d := tool.Definition{
			Kind: wire.ToolHTTP, Name: name, Description: "Does " + name, Address: "http://127.0.0.1/" + name,
			Parameters: wire.JSON(schema), Approval: approval,
		}
		if change != nil {
			change(&d)
		}
		one, err := tool.New(d, carrier)
		require.NoError(t, err)
		all = append(all, one)
	}
	set, err := tool.NewSet(all, nil, tool.PageToolsAny)
	require.NoError(t, err)
	return agents(answering.Agent{ID: "assistant", Name: "Assistant", Tools: set})
}

// carried runs a service until the test ends.
func (s *service) carried() *service {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	s.t.Cleanup(func() {
		cancel()
		<-done
	})
	return s
}

func calls(name, arguments string) answering.Piece {
	return answering.Piece{Call: &toolcall.ModelCall{ID: "p_" + name + arguments, Name: name, Arguments: arguments}}
}

// rounds is a model that answers with the round that comes after those of the prompt, and
// keeps the prompts. A round that does not end gets an end.
type rounds struct {
	mu      sync.Mutex
	say     [][]answering.Piece
	prompts []answering.Prompt
}

func (r *rounds) script() script {
	return func(_ context.Context, prompt answering.Prompt, yield func(answering.Piece, error) bool) {
		r.mu.Lock()
		r.prompts = append(r.prompts, prompt)
		r.mu.Unlock()
		say := r.say[len(prompt.Rounds)]
		if say[len(say)-1].FinishReason == "" {
			say = append(say, answering.Piece{FinishReason: wire.FinishStop})
		}
		for _, piece := range say {
			if !yield(piece, nil) {
				return
			}
		}
	}
}

func (r *rounds) asked() []answering.Prompt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]answering.Prompt(nil), r.prompts...)
}

var knows = chat.Offer{Calls: true}

// waits sends a message whose answer parks, and returns the waiting answer.
func (s *service) waits(caller access.Caller, send chat.Send) wire.SendMessageResponse {
	s.t.Helper()
	response := s.ask(caller, send)
	require.NotEmpty(s.t, response.StreamID, "it waits")
	return response
}

// whole reads a stream to its end.
func (s *service) whole(streamID string) wire.SendMessageResponse {
	s.t.Helper()
	stream, err := s.Resume(s.t.Context(), admin, streamID, 0)
	require.NoError(s.t, err)
	response, err := stream.Response(s.t.Context())
	require.NoError(s.t, err)
	return response
}

func (s *service) decide(caller access.Caller, callID string, request wire.DecisionRequest) wire.ToolCall {
	s.t.Helper()
	call, replayed, err := s.Calls().Decide(s.t.Context(), caller, callID, request, once.Request{})
	require.NoError(s.t, err)
	require.False(s.t, replayed)
	return call
}

var (
	approve = wire.DecisionRequest{Action: wire.DecisionApprove}
	deny    = wire.DecisionRequest{Action: wire.DecisionDeny, Reason: "no"}
)

func TestACallIsApprovedCarriedOutAndReported(t *testing.T) {
	t.Parallel()
	model := &rounds{say: [][]answering.Piece{{{Text: "I ask."}, calls("act", `{"n": 1}`)}, {{Text: "Done."}}}}
	did := &counter{}
	s := start(t, model.script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalUser})).carried()
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	require.Equal(t, "I ask.", response.Message.Content)
	require.Empty(t, response.Message.FinishReason)
	require.Len(t, response.Message.ToolCalls, 1)
	call := response.Message.ToolCalls[0]
	require.Equal(t, []any{wire.CallAwaiting, 6, `{"n": 1}`, "Does act"}, []any{call.Status, call.At, call.Arguments, call.Description})
	require.Empty(t, did.all())

	approved := s.decide(ann, call.ID, approve)
	require.Equal(t, []any{wire.CallApproved, "ann"}, []any{approved.Status, approved.DecidedBy})
	whole := s.whole(response.StreamID)
	require.Equal(t, "I ask.\n\nDone.", whole.Message.Content)
	require.Equal(t, wire.CallDone, whole.Message.ToolCalls[0].Status)
	require.Equal(t, `did {"n": 1}`, whole.Message.ToolCalls[0].Result)
	require.Equal(t, []tool.Call{{ID: call.ID, UserID: "ann", ChatID: response.ChatID, Arguments: `{"n": 1}`}}, did.all())

	prompts := model.asked()
	require.Len(t, prompts, 2)
	require.Equal(t, []string{"act"}, []string{prompts[0].Tools[0].Name})
	past := prompts[1].Rounds
	require.Len(t, past, 1)
	require.Equal(t, "I ask.", past[0].Text)
	require.Equal(t, `p_act{"n": 1}`, past[0].Calls[0].ID)
	var told map[string]string
	require.NoError(t, json.Unmarshal([]byte(past[0].Calls[0].Outcome), &told))
	require.Equal(t, []string{wire.CallDone, `did {"n": 1}`}, []string{told["status"], told["result"]})

	history := s.history(response.ChatID)
	require.Equal(t, whole.Message.ToolCalls, history.Messages[1].ToolCalls)
	require.Equal(t, whole.Message.Content, history.Messages[1].Content)
}

func TestADeniedCallIsNotCarriedOut(t *testing.T) {
	t.Parallel()
	model := &rounds{say: [][]answering.Piece{{calls("act", `{"n":1}`)}, {{Text: "Fine."}}}}
	did := &counter{}
	s := start(t, model.script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalUser})).carried()
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	s.decide(ann, response.Message.ToolCalls[0].ID, deny)
	require.Equal(t, "Fine.", s.whole(response.StreamID).Message.Content)
	require.Empty(t, did.all())
	require.Contains(t, model.asked()[1].Rounds[0].Calls[0].Outcome, `"reason":"no"`)
}

func TestCallsThatNeedApprovalAreDeniedWithoutAClientForThem(t *testing.T) {
	t.Parallel()
	model := &rounds{say: [][]answering.Piece{{calls("act", `{"n":1}`), calls("look", `{"n":2}`)}, {{Text: "Fine."}}}}
	did := &counter{}
	s := start(t, model.script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalUser, "look": wire.ApprovalNever})).carried()
	response := s.ask(ann, chat.Send{Message: "Hi"})
	require.Equal(t, "Fine.", response.Message.Content)
	require.Equal(t, []string{wire.CallDenied, wire.ReasonClient}, []string{response.Message.ToolCalls[0].Status, response.Message.ToolCalls[0].Reason})
	require.Equal(t, wire.CallDone, response.Message.ToolCalls[1].Status)
	require.Len(t, did.all(), 1)
}

func TestInvalidCallsAreReportedAndLimited(t *testing.T) {
	t.Parallel()
	model := &rounds{say: [][]answering.Piece{
		{calls("act", `{"n":"x"}`), calls("other", `{}`)}, {calls("act", `{`)}, {{Text: "I give up."}, calls("act", `{"n":1}`)},
	}}
	did := &counter{}
	s := start(t, model.script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalNever})).carried()
	response := s.ask(ann, chat.Send{Message: "Hi", Offer: knows})
	require.Equal(t, "I give up.", response.Message.Content)
	require.Empty(t, response.Message.ToolCalls)
	require.Empty(t, did.all())
	prompts := model.asked()
	require.Len(t, prompts, 3)
	require.Equal(t, []bool{false, false, true}, []bool{prompts[0].NoCalls, prompts[1].NoCalls, prompts[2].NoCalls})
	require.Len(t, prompts[2].Tools, 1, "the same tools")
	for _, round := range prompts[2].Rounds {
		for _, call := range round.Calls {
			require.Contains(t, call.Outcome, `"status":"invalid"`)
		}
	}
}

// What is carried out has one meaning, however the model wrote it.
func TestCallsAreMended(t *testing.T) {
	t.Parallel()
	model := &rounds{say: [][]answering.Piece{
		{calls("functions.act", `{"n":"1"}`), calls("act<|channel|>commentary", "```json\n{\"n\": 2}\n```")}, {{Text: "Done."}},
	}}
	did := &counter{}
	s := start(t, model.script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalNever})).carried()
	response := s.ask(ann, chat.Send{Message: "Hi", Offer: knows})
	require.Equal(t, "Done.", response.Message.Content)
	require.Len(t, did.all(), 2)
	require.Equal(t, []string{`{"n":1}`, `{"n": 2}`}, []string{response.Message.ToolCalls[0].Arguments, response.Message.ToolCalls[1].Arguments})
	require.Equal(t, "act", response.Message.ToolCalls[0].Name)
}

func TestCallsOfAnAnswerHaveALimit(t *testing.T) {
	t.Parallel()
	many := []answering.Piece{}
	for n := range 5 {
		many = append(many, calls("act", fmt.Sprintf(`{"n":%d}`, n)))
	}
	model := &rounds{say: [][]answering.Piece{many, {{Text: "Enough."}}}}
	did := &counter{}
	s := start(t, model.script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalNever}), limits(chat.Limits{ToolCalls: 3})).carried()
	response := s.ask(ann, chat.Send{Message: "Hi", Offer: knows})
	require.Len(t, response.Message.ToolCalls, 3)
	require.Len(t, did.all(), 3)
	last := model.asked()[1]
	require.True(t, last.NoCalls)
	require.Len(t, last.Rounds[0].Calls, 5, "each id gets its answer")
}

func TestOfManyDecisionsOneSucceeds(t *testing.T) {
	t.Parallel()
	model := &rounds{say: [][]answering.Piece{{calls("act", `{"n":1}`)}, {{Text: "Done."}}}}
	did := &counter{}
	s := start(t, model.script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalUser})).carried()
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	callID := response.Message.ToolCalls[0].ID
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		request := approve
		if i%2 == 0 {
			request = deny
		}
		wg.Go(func() { _, _, errs[i] = s.Calls().Decide(t.Context(), ann, callID, request, once.Request{}) })
	}
	wg.Wait()
	held := 0
	for _, err := range errs {
		if err == nil {
			held++
			continue
		}
		var conflict *toolcall.Conflict
		require.ErrorAs(t, err, &conflict)
		require.NotEqual(t, wire.CallAwaiting, conflict.Call.Status)
	}
	require.Equal(t, 1, held)
	s.whole(response.StreamID)
	require.LessOrEqual(t, len(did.all()), 1)
}

func TestArgumentsOfTheApproverAreUsed(t *testing.T) {
	t.Parallel()
	model := &rounds{say: [][]answering.Piece{{calls("act", `{"n":1}`)}, {{Text: "Done."}}}}
	did := &counter{}
	s := start(t, model.script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalUser})).carried()
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	callID := response.Message.ToolCalls[0].ID
	for _, wrong := range []string{`{"n":"x"}`, `{`, `{"n":1,"n":2}`, `[]`, `{"n":1,"m":2}`} {
		_, _, err := s.Calls().Decide(t.Context(), ann, callID, wire.DecisionRequest{Action: wire.DecisionApprove, Arguments: &wrong}, once.Request{})
		requireError(t, err, wire.CodeValidation, "arguments")
	}
	other := `{"n":  7}`
	call := s.decide(ann, callID, wire.DecisionRequest{Action: wire.DecisionApprove, Arguments: &other})
	require.True(t, call.Edited)
	s.whole(response.StreamID)
	require.Equal(t, other, did.all()[0].Arguments)
	require.Contains(t, model.asked()[1].Rounds[0].Calls[0].Outcome, `"arguments_of_approver":"{\"n\":  7}"`)
}

func TestCallsExpire(t *testing.T) {
	t.Parallel()
	model := &rounds{say: [][]answering.Piece{{calls("act", `{"n":1}`)}, {{Text: "Late."}}}}
	did := &counter{}
	s := start(t, model.script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalUser}))
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	callID := response.Message.ToolCalls[0].ID
	s.clock.pass(24 * time.Hour)
	seen, err := s.Calls().Call(t.Context(), ann, callID)
	require.NoError(t, err)
	require.Equal(t, wire.CallExpired, seen.Status, "only the clock decides")
	_, _, err = s.Calls().Decide(t.Context(), ann, callID, approve, once.Request{})
	requireError(t, err, wire.CodeConflict)
	require.NoError(t, s.Attend(t.Context()))
	require.NoError(t, s.Attend(t.Context()))
	require.Equal(t, "Late.", s.whole(response.StreamID).Message.Content)
	require.Empty(t, did.all())
}
