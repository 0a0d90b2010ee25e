package chat_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/tool"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// When an answer is complete, a reader from the beginning is not told that it waited, however long
// it is.
func TestAnAnswerThatWaitedIsWholeLater(t *testing.T) {
	t.Parallel()
	var long []answering.Piece
	for n := range 700 {
		long = append(long, answering.Piece{Text: fmt.Sprint(n, " ")})
	}
	model := &rounds{say: [][]answering.Piece{{calls("act", `{"n":1}`)}, append(long, calls("act", `{"n":2}`)), {{Text: "Done."}}}}
	s := start(t, model.script(), operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalUser})).carried()
	key := once.Request{Key: "k"}
	first := s.waits(ann, chat.Send{Message: "Hi", Offer: knows, Once: key})
	require.Equal(t, first, s.waits(ann, chat.Send{Message: "Hi", Offer: knows, Once: key}), "a repeat while it waits")
	s.decide(ann, first.Message.ToolCalls[0].ID, approve)
	var second wire.ToolCall
	require.Eventually(t, func() bool {
		waiting, _, err := s.Calls().List(t.Context(), ann, toolcall.Filter{Status: wire.CallAwaiting, Limit: 10})
		if err == nil && len(waiting) == 1 {
			second = waiting[0]
		}
		return second.ID != ""
	}, 10*time.Second, time.Millisecond)
	require.Equal(t, first.MessageID, second.MessageID)
	s.decide(ann, second.ID, approve)
	whole := s.whole(first.StreamID)
	require.Equal(t, wire.FinishStop, whole.Message.FinishReason)
	again := s.ask(ann, chat.Send{Message: "Hi", Offer: knows, Once: key})
	require.Empty(t, again.StreamID)
	require.Equal(t, whole.Message, again.Message)
	require.Len(t, model.asked(), 3)
}

func TestTextBesideCallsIsNotJSON(t *testing.T) {
	t.Parallel()
	model := &rounds{say: [][]answering.Piece{{{Text: "Let me see."}, calls("act", `{"n":1}`)}, {{Text: `{"a":1}`}}}}
	s := start(t, model.script(), operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalNever}),
		func(c *chat.Config) { c.Structured = true }).carried()
	response := s.ask(ann, chat.Send{Message: "Hi", Offer: knows, Options: answering.Options{ExampleJSON: `{"a":0}`}})
	require.Equal(t, `{"a":1}`, response.Message.Content)
	require.Equal(t, "Let me see.", model.asked()[1].Rounds[0].Text, "the model is told what it said")
}

func TestAnswersOfARemovedAgentEnd(t *testing.T) {
	t.Parallel()
	s := start(t, oneCall().script(), operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalUser}))
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	s.decide(ann, response.Message.ToolCalls[0].ID, deny)
	agents(answering.Agent{ID: "other", Name: "Other"})(&s.config)
	later := s.restarted()
	later.settle()
	stream, err := later.Resume(t.Context(), ann, response.StreamID, 0)
	require.NoError(t, err)
	_, err = stream.Response(t.Context())
	requireError(t, err, wire.CodeProviderFailed)
}

func TestDeletingAChatEndsWaitingAnswers(t *testing.T) {
	t.Parallel()
	did := &counter{}
	s := start(t, oneCall().script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalUser}))
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	stream, err := s.Resume(t.Context(), ann, response.StreamID, 0)
	require.NoError(t, err)
	require.NoError(t, s.DeleteChat(t.Context(), ann, response.ChatID))
	last := ""
	for events, err := range stream.Events(t.Context()) {
		require.NoError(t, err)
		last = events[len(events)-1].Type
	}
	require.Equal(t, wire.EventEnd, last)
	_, _, err = s.Calls().Decide(t.Context(), ann, response.Message.ToolCalls[0].ID, approve, once.Request{})
	require.ErrorIs(t, err, fault.ErrNotFound)
	s.settle()
	require.Empty(t, did.all())
}

// A service that closes waits for the calls that it carries out, and in the end gives them up:
// their outcome is then unknown, and the answer continues elsewhere.
func TestClosingWaitsForTools(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	hangs := &hanging{begun: begun}
	model := oneCall()
	s := start(t, model.script(), operatorTools(t, hangs, nil, map[string]string{"act": wire.ApprovalUser}))
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	s.decide(ann, response.Message.ToolCalls[0].ID, approve)
	require.NoError(t, s.Attend(t.Context()))
	<-begun
	closing, cancel := context.WithCancel(context.Background())
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		s.Close(closing)
	}()
	select {
	case <-closed:
		require.Fail(t, "it did not wait")
	case <-time.After(50 * time.Millisecond):
	}
	cancel()
	<-closed
	later := s.restarted()
	require.Equal(t, wire.CallUnknown, later.status(response.Message.ToolCalls[0].ID))
	later.settle()
	require.Equal(t, "Done.", later.whole(response.StreamID).Message.Content)
}

// hanging is a tool that hangs until its context ends.
type hanging struct{ begun chan struct{} }

func (h *hanging) Carry(ctx context.Context, _ tool.Call) tool.Outcome {
	close(h.begun)
	<-ctx.Done()
	return tool.Outcome{Status: wire.CallUnknown}
}

// A call that another process was running when it died does not run again.
func TestACallOfADeadProcessIsUnknown(t *testing.T) {
	t.Parallel()
	did := &counter{}
	s := start(t, oneCall().script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalUser}))
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	callID := response.Message.ToolCalls[0].ID
	s.decide(ann, callID, approve)
	call, err := s.store.Call(t.Context(), "project", callID)
	require.NoError(t, err)
	call.Status, call.Attempts, call.ClaimedAt = wire.CallRunning, 1, call.DecidedAt
	require.NoError(t, s.store.SetCall(t.Context(), call, nil))
	s.settle()
	require.Equal(t, wire.CallRunning, s.status(callID), "it may be alive")
	s.clock.pass(2 * time.Minute)
	s.settle()
	require.Equal(t, wire.CallUnknown, s.status(callID))
	require.Equal(t, "Done.", s.whole(response.StreamID).Message.Content)
	require.Empty(t, did.all())
}

// hasty is a store whose list of ready answers is stale, and in which a call is settled
// just before its answer is taken.
type hasty struct {
	chat.Store
	ready  []string
	settle func()
}

func (l *hasty) ReadyTurns(context.Context, int) ([]string, error) { return l.ready, nil }

func (l *hasty) TakeTurn(ctx context.Context, lease stream.Lease) error {
	l.settle()
	return l.Store.TakeTurn(ctx, lease)
}

// The model is told the real outcome of a call, however late it is known.
func TestAnAnswerContinuesFromSettledCalls(t *testing.T) {
	t.Parallel()
	model := oneCall()
	var store *hasty
	s := start(t, model.script(), operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalUser}),
		func(c *chat.Config) {
			store = &hasty{Store: c.Store}
			c.Store = store
		})
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	store.ready = []string{response.StreamID}
	store.settle = func() { s.decide(ann, response.Message.ToolCalls[0].ID, deny) }
	require.NoError(t, s.Attend(t.Context()))
	require.Len(t, model.asked(), 1, "it is not ready")
	s.decide(ann, response.Message.ToolCalls[0].ID, deny)
	store.settle = func() {}
	require.NoError(t, s.Attend(t.Context()))
	require.Equal(t, "Done.", s.whole(response.StreamID).Message.Content)
	require.Contains(t, model.asked()[1].Rounds[0].Calls[0].Outcome, `"status":"denied"`)
}
