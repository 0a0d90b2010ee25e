package chat_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/tool"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

func oneCall() *rounds {
	return &rounds{say: [][]answering.Piece{{calls("act", `{"n":1}`)}, {{Text: "Done."}}}}
}

func idempotent(d *tool.Definition) { d.Idempotent = true }

func TestAnUnknownOutcomeIsReported(t *testing.T) {
	t.Parallel()
	model := oneCall()
	lost := &counter{outcome: func(tool.Call) tool.Outcome { return tool.Outcome{Status: wire.CallUnknown, Error: "it broke off"} }}
	s := start(t, model.script(), operatorTools(t, lost, nil, map[string]string{"act": wire.ApprovalNever})).carried()
	call := s.ask(ann, chat.Send{Message: "Hi", Offer: knows}).Message.ToolCalls[0]
	require.Equal(t, []string{wire.CallUnknown, "it broke off"}, []string{call.Status, call.Error})
	require.Len(t, lost.all(), 1, "it is not idempotent")
	require.Contains(t, model.asked()[1].Rounds[0].Calls[0].Outcome, `"status":"unknown"`)
}

func TestAnIdempotentCallIsTriedThreeTimes(t *testing.T) {
	t.Parallel()
	lost := &counter{outcome: func(tool.Call) tool.Outcome { return tool.Outcome{Status: wire.CallUnknown} }}
	s := start(t, oneCall().script(), operatorTools(t, lost, idempotent, map[string]string{"act": wire.ApprovalNever})).carried()
	call := s.ask(ann, chat.Send{Message: "Hi", Offer: knows}).Message.ToolCalls[0]
	require.Equal(t, wire.CallUnknown, call.Status)
	tried := lost.all()
	require.Len(t, tried, 3)
	require.Equal(t, tried[0], tried[2], "with one key")
}

func TestAToolWhoseDefinitionHasChanged(t *testing.T) {
	t.Parallel()
	for _, decision := range []wire.DecisionRequest{approve, deny} {
		model, did := oneCall(), &counter{}
		s := start(t, model.script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalUser}))
		response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
		operatorTools(t, did, func(d *tool.Definition) { d.Description = "Does something else" }, map[string]string{"act": wire.ApprovalUser})(&s.config)
		later := s.restarted()
		callID := response.Message.ToolCalls[0].ID
		_, _, err := later.Calls().Decide(t.Context(), ann, callID, decision, once.Request{})
		requireError(t, err, wire.CodeConflict)
		var conflict *toolcall.Conflict
		require.ErrorAs(t, err, &conflict)
		require.Equal(t, []string{wire.CallFailed, wire.ErrorToolChanged}, []string{conflict.Call.Status, conflict.Call.Error})
		require.Equal(t, "Done.", later.carried().whole(response.StreamID).Message.Content)
		require.Empty(t, did.all())
	}
}

// restarted closes a service and starts another one on its store.
func (s *service) restarted() *service {
	s.t.Helper()
	s.Close(cancelled())
	next := &service{t: s.t, clock: s.clock, log: s.log, ended: s.ended, config: s.config, store: s.store}
	next.Service = chat.New(next.config)
	s.t.Cleanup(func() { next.Close(cancelled()) })
	return next
}

func TestAnAnswerContinuesInAnotherProcess(t *testing.T) {
	t.Parallel()
	model, did := oneCall(), &counter{}
	s := start(t, model.script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalUser}))
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	later := s.restarted()
	broken, err := later.store.EndBrokenTurns(t.Context(), chat.Broken(300, nil))
	require.NoError(t, err)
	require.Empty(t, broken)
	later.decide(ann, response.Message.ToolCalls[0].ID, approve)
	whole := later.carried().whole(response.StreamID)
	require.Equal(t, "Done.", whole.Message.Content)
	require.Len(t, did.all(), 1)
	require.Len(t, model.asked(), 2, "no round is asked twice")
}

func TestAnAnswerThatWaitsIsStopped(t *testing.T) {
	t.Parallel()
	model, did := &rounds{say: [][]answering.Piece{{{Text: "So far."}, calls("act", `{"n":1}`)}}}, &counter{}
	s := start(t, model.script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalUser})).carried()
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	receipt, err := s.Stop(t.Context(), ann, response.StreamID)
	require.NoError(t, err)
	require.True(t, receipt.Stopped)
	require.Equal(t, "So far.", receipt.Message.Content)
	call := receipt.Message.ToolCalls[0]
	require.Equal(t, []string{wire.CallDenied, wire.ReasonStopped}, []string{call.Status, call.Reason})
	whole := s.whole(response.StreamID)
	require.Equal(t, wire.FinishStopped, whole.Message.FinishReason)
	require.Equal(t, receipt.Message.ToolCalls, whole.Message.ToolCalls)
	_, _, err = s.Calls().Decide(t.Context(), ann, call.ID, approve, once.Request{})
	requireError(t, err, wire.CodeConflict)
	require.Empty(t, did.all())
	again, err := s.Stop(t.Context(), ann, response.StreamID)
	require.NoError(t, err)
	require.Equal(t, receipt, again)
}

// A call that runs when its answer is stopped continues, and its outcome is stored without an
// event.
func TestACallThatRunsOutlivesAStop(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}), make(chan struct{})
	slow := &counter{outcome: func(tool.Call) tool.Outcome {
		close(begun)
		<-goOn
		return tool.Outcome{Status: wire.CallDone, Result: "late"}
	}}
	model := oneCall()
	s := start(t, model.script(), operatorTools(t, slow, nil, map[string]string{"act": wire.ApprovalNever})).carried()
	stream := s.send(ann, chat.Send{Message: "Hi", Offer: knows})
	<-begun
	streamID := ""
	for events, err := range stream.Events(t.Context()) {
		require.NoError(t, err)
		if streamID = idOf(t, events[0]); streamID != "" {
			break
		}
	}
	receipt, err := s.Stop(t.Context(), ann, streamID)
	require.NoError(t, err)
	require.Equal(t, wire.CallRunning, receipt.Message.ToolCalls[0].Status)
	close(goOn)
	callID := receipt.Message.ToolCalls[0].ID
	require.Eventually(t, func() bool {
		call, err := s.Calls().Call(t.Context(), ann, callID)
		return err == nil && call.Status == wire.CallDone && call.Result == "late"
	}, 10*time.Second, 5*time.Millisecond)
	after, err := s.Stop(t.Context(), ann, streamID)
	require.NoError(t, err)
	require.Equal(t, receipt.LastEventID, after.LastEventID)
	require.Len(t, model.asked(), 1, "no model is asked")
}

func idOf(t *testing.T, event chat.Event) string {
	t.Helper()
	if event.Type != wire.EventStart {
		return ""
	}
	start := decode[wire.Start](t, event)
	return start.StreamID
}

func TestResultsShareTheRoomThatIsLeft(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\"\n", 10_000) // twice as long in JSON
	model := &rounds{say: [][]answering.Piece{{calls("act", `{"n":1}`), calls("act", `{"n":2}`)}, {{Text: "Done."}}}}
	did := &counter{outcome: func(tool.Call) tool.Outcome { return tool.Outcome{Status: wire.CallDone, Result: long} }}
	s := start(t, model.script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalNever})).carried()
	s.ask(ann, chat.Send{Message: "Hi", Offer: knows})
	prompt := model.asked()[1]
	one, two := prompt.Rounds[0].Calls[0], prompt.Rounds[0].Calls[1]
	require.Equal(t, len(one.Result), len(two.Result), "in equal shares")
	for _, call := range []answering.RoundCall{one, two} {
		require.Contains(t, call.Outcome, "cut: it has 20000 bytes")
		require.Greater(t, len(call.Outcome), 8192)
	}
	require.LessOrEqual(t, len(one.Outcome)+len(two.Outcome), 3*answering.DefaultWindow, "as the model gets them, they fit into the window")
}

func TestLaterPromptsNameCalls(t *testing.T) {
	t.Parallel()
	model := &rounds{say: [][]answering.Piece{{calls("act", `{"n":1}`)}, {{Text: "Done."}}}}
	s := start(t, model.script(), operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalNever})).carried()
	response := s.ask(ann, chat.Send{Message: "Hi", Offer: knows})
	s.ask(ann, chat.Send{Message: "And?", ChatID: response.ChatID, Offer: knows})
	prompts := model.asked()
	require.Equal(t, []string{"user: Hi", "assistant: Done.", "user: And?"}, texts(prompts[2]), "the assistant never wrote it")
	require.Contains(t, beside(prompts[2]), `| {"tool":"act","arguments":"{\"n\":1}","status":"done","result":"did {\"n\":1}"}`)
}

func TestWaitingAnswersHaveALimit(t *testing.T) {
	t.Parallel()
	s := start(t, oneCall().script(), operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalUser}))
	var last wire.SendMessageResponse
	for range chat.MaxParked {
		last = s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	}
	requireError(t, s.refused(ann, chat.Send{Message: "Hi", Offer: knows}), wire.CodeQuotaExceeded)
	s.waits(bob, chat.Send{Message: "Hi", Offer: knows})
	_, err := s.Stop(t.Context(), ann, last.StreamID)
	require.NoError(t, err)
	s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
}

// administrator is one of the agent, and another user.
var administrator = access.Caller{Scope: access.Scope{ProjectID: "project", UserID: "carl"}, Admin: true}

func TestWhoMayDecide(t *testing.T) {
	t.Parallel()
	elsewhere := administrator
	elsewhere.Agents = []string{"other"}
	annAdmin := ann
	annAdmin.Admin = true
	for _, test := range []struct {
		caller         access.Caller
		approval       string
		approves, deny string // the code that refuses, empty for none
	}{
		{ann, wire.ApprovalUser, "", ""},
		{admin, wire.ApprovalUser, wire.CodePermissionDenied, wire.CodePermissionDenied},
		{bob, wire.ApprovalUser, wire.CodeNotFound, wire.CodeNotFound},
		{administrator, wire.ApprovalUser, wire.CodeNotFound, wire.CodeNotFound},
		{alien, wire.ApprovalUser, wire.CodeNotFound, wire.CodeNotFound},
		{ann, wire.ApprovalAdmin, wire.CodePermissionDenied, ""},
		{annAdmin, wire.ApprovalAdmin, "", ""},
		{admin, wire.ApprovalAdmin, "", ""},
		{administrator, wire.ApprovalAdmin, "", ""},
		{elsewhere, wire.ApprovalAdmin, wire.CodeNotFound, wire.CodeNotFound},
		{bob, wire.ApprovalAdmin, wire.CodeNotFound, wire.CodeNotFound},
	} {
		for _, request := range []wire.DecisionRequest{approve, deny} {
			s := start(t, oneCall().script(), operatorTools(t, &counter{}, nil, map[string]string{"act": test.approval}))
			call := s.waits(ann, chat.Send{Message: "Hi", Offer: knows}).Message.ToolCalls[0]
			want := test.approves
			if request.Action == wire.DecisionDeny {
				want = test.deny
			}
			_, _, err := s.Calls().Decide(context.Background(), test.caller, call.ID, request, once.Request{})
			if want == "" {
				require.NoError(t, err, "%+v %s", test, request.Action)
				continue
			}
			require.Equal(t, want, fault.Of(err).Code, "%+v %s", test, request.Action)
		}
	}
}
