package chat_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
	logs "github.com/chatsdk/chatsdk/service/internal/stream"
)

var errBusy = &fault.Error{Code: wire.CodeUnavailable, Message: "The model is busy", Cause: errors.New("status 503")}

// sentWord is in questions and answers. It must not appear anywhere else.
const sentWord = "marmalade"

func TestAnswerFails(t *testing.T) {
	t.Parallel()
	one := answering.Piece{Text: "One " + sentWord}
	tests := []struct {
		name  string
		model answering.Provider
		code  string
		text  string
	}{
		{"before its first word", failsAfter(errBusy), wire.CodeUnavailable, ""},
		{"after a word", failsAfter(errBusy, one), wire.CodeUnavailable, one.Text},
		{"after its end", failsAfter(errBusy, one, answering.Piece{FinishReason: wire.FinishStop}), wire.CodeUnavailable, one.Text},
		{"after a whole batch", failsAfter(errBusy, repeat(one, 600)...), wire.CodeUnavailable, joined(repeat(one, 600))},
		{"with an unexpected error", failsAfter(errors.New("odd"), one), wire.CodeInternal, one.Text},
		{"without a piece", says(), wire.CodeProviderFailed, ""},
		{"without a finish reason", says(one, answering.Piece{}), wire.CodeProviderFailed, one.Text},
		{"without a sequence", provider(func() iter.Seq2[answering.Piece, error] { return nil }), wire.CodeInternal, ""},
		{"by a panic when it is asked", provider(func() iter.Seq2[answering.Piece, error] { panic(sentWord) }), wire.CodeInternal, ""},
		{"by a panic after a word", panics(sentWord, one), wire.CodeInternal, one.Text},
		{"by a panic with an error", panics(errors.New(sentWord), one), wire.CodeInternal, one.Text},
		{"with words after the error", insists(errBusy, one), wire.CodeUnavailable, ""},
		{"by an object that is an array", says(one, answering.Piece{Object: wire.JSON(`["x"]`)}), wire.CodeInternal, one.Text},
		{"by an object that is broken", says(one, answering.Piece{Object: wire.JSON(`{"x":`)}), wire.CodeInternal, one.Text},
		{"by an object that is invalid UTF-8", says(one, answering.Piece{Object: wire.JSON("{\"x\":\"\xff\"}")}), wire.CodeInternal, one.Text},
		{"by two objects", says(one, answering.Piece{Object: wire.JSON(`{} {}`)}), wire.CodeInternal, one.Text},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, test.model, func(c *chat.Config) { c.Model = "test-1" })
			stream := s.send(ann, chat.Send{Message: "Hi " + sentWord, RequestID: "req_7"})
			tr := read(t, stream)
			require.Equal(t, "start error end", tr.types())
			require.Equal(t, test.code, tr.failure.Error.Code)
			require.Equal(t, test.text, tr.text())
			s.requireFailed(stream, tr, test.code)
			require.Contains(t, s.log.String(), "model=test-1")
		})
	}
}

// requireFailed requires that the rest of an answer says that it failed.
func (s *service) requireFailed(stream *chat.Stream, tr transcript, code string) {
	s.t.Helper()
	_, err := stream.Response(s.t.Context())
	require.Equal(s.t, code, fault.Of(err).Code, err)
	history := s.history(tr.start.ChatID)
	require.Equal(s.t, chat.Untitled, history.Name, "a failure names no chat")
	answer := history.Messages[1]
	require.Equal(s.t, tr.text(), answer.Content, "what was received stays")
	require.Equal(s.t, wire.FinishError, answer.FinishReason)
	require.Empty(s.t, answer.StreamID)
	require.Equal(s.t, []string{code}, s.ended.list())
	require.Zero(s.t, s.Running())
	log := s.log.String()
	require.Contains(s.t, log, "request_id=req_7")
	require.Contains(s.t, log, "code="+code)
	require.Contains(s.t, log, "agent_id=assistant")
	require.Contains(s.t, log, "user_id=ann")
	require.NotContains(s.t, log, sentWord, "the log has nobody's words")
}

// A reader that resumes after a restart learns why the provider failed, and so does a repeat.
func TestTheReasonOfAFailureIsStored(t *testing.T) {
	t.Parallel()
	s := start(t, failsAfter(&fault.Error{Code: wire.CodeProviderFailed, Message: "Used up", Reason: wire.ProviderQuota}))
	send := chat.Send{Message: "Hi", Once: once.Request{Key: "k"}}
	first := read(t, s.send(ann, send))
	later := s.restarted()
	again := read(t, later.resume(ann, first.start.StreamID, 0))
	require.Equal(t, wire.ProviderQuota, again.failure.Error.Reason)
	_, err := later.send(ann, send).Response(t.Context())
	require.Equal(t, wire.ProviderQuota, requireError(t, err, wire.CodeProviderFailed).Reason)
}

func repeat(piece answering.Piece, n int) []answering.Piece {
	var all []answering.Piece
	for range n {
		all = append(all, piece)
	}
	return all
}

func joined(pieces []answering.Piece) (text string) {
	for _, piece := range pieces {
		text += piece.Text
	}
	return text
}

// provider is a model that does this when it is asked.
type provider func() iter.Seq2[answering.Piece, error]

func (p provider) Answer(context.Context, answering.Prompt) iter.Seq2[answering.Piece, error] {
	return p()
}

// panics is a model that sends a piece and panics.
func panics(fault any, piece answering.Piece) script {
	return func(_ context.Context, _ answering.Prompt, yield func(answering.Piece, error) bool) {
		yield(piece, nil)
		panic(fault)
	}
}

// insists is a model that continues after it was abandoned.
func insists(err error, piece answering.Piece) script {
	return func(_ context.Context, _ answering.Prompt, yield func(answering.Piece, error) bool) {
		yield(answering.Piece{}, err)
		yield(piece, nil)
	}
}

// A panic is logged with the place where it happened, since nobody could fix it
// otherwise. A runtime error is logged with its own text.
func TestPanicIsLogged(t *testing.T) {
	t.Parallel()
	s := start(t, script(func(context.Context, answering.Prompt, func(answering.Piece, error) bool) {
		var none []string
		_ = none[3]
	}))
	read(t, s.send(ann, chat.Send{Message: "Hi"}))
	require.Contains(t, s.log.String(), "index out of range [3] with length 0")
	require.Contains(t, s.log.String(), "failure_test.go")
}

// faulty is a store that fails where a test says.
type faulty struct {
	chat.Store
	appends, ends atomic.Int32 // the call that fails, counted from 1; 0 for none
	broken        atomic.Bool
	// panicking makes it panic instead.
	panicking bool
}

var errDisk = errors.New("the disk is full")

func (f *faulty) fails(left *atomic.Int32) error {
	if left.Add(-1) != 0 && !f.broken.Load() {
		return nil
	}
	if f.panicking {
		panic(errDisk)
	}
	return errDisk
}

func (f *faulty) AppendEvents(ctx context.Context, lease logs.Lease, events []chat.Event) error {
	if err := f.fails(&f.appends); err != nil {
		return err
	}
	return f.Store.AppendEvents(ctx, lease, events)
}

func (f *faulty) EndTurn(ctx context.Context, lease logs.Lease, answer wire.Message, end *chat.End) error {
	if err := f.fails(&f.ends); err != nil {
		return err
	}
	return f.Store.EndTurn(ctx, lease, answer, end)
}

// What could not be stored is shown to nobody: neither readers nor the history
// have it, and the ids continue without a gap.
func TestStoreFailsInAnswer(t *testing.T) {
	t.Parallel()
	for _, panicking := range []bool{false, true} {
		t.Run(fmt.Sprint("panicking ", panicking), func(t *testing.T) {
			t.Parallel()
			model, store := newLive(), &faulty{panicking: panicking}
			store.appends.Store(2)
			s := start(t, model, func(c *chat.Config) { store.Store, c.Store = c.Store, store })
			stream := s.send(ann, chat.Send{Message: "Hi", RequestID: "req_7"})
			q := <-model
			q.say("stored")
			readUntil(t, stream, 2)
			q.say(" lost")
			tr := read(t, stream)
			require.Equal(t, "start error end", tr.types())
			require.Equal(t, "stored", tr.text())
			s.requireFailed(stream, tr, wire.CodeInternal)
			require.Error(t, q.ctx.Err(), "the model is abandoned")
		})
	}
}

func TestStoreFailsAtTheEnd(t *testing.T) {
	t.Parallel()
	store := &faulty{}
	store.ends.Store(1)
	s := start(t, says(words("One")...), func(c *chat.Config) { store.Store, c.Store = c.Store, store })
	tr := read(t, s.send(ann, chat.Send{Message: "Hi"}))
	require.Equal(t, wire.CodeInternal, tr.failure.Error.Code)
	answer := s.history(tr.start.ChatID).Messages[1]
	require.Equal(t, []string{"One", wire.FinishError}, []string{answer.Content, answer.FinishReason})
}

// With a store that stays broken the readers wait until the service closes, and
// the next start ends what is left.
func TestStoreStaysBroken(t *testing.T) {
	t.Parallel()
	model, store := newLive(), &faulty{}
	s := start(t, model, func(c *chat.Config) { store.Store, c.Store = c.Store, store })
	stream := s.send(ann, chat.Send{Message: "Hi"})
	q := <-model
	q.say("One")
	begun := decode[wire.Start](t, readUntil(t, stream, 2)[0])
	store.broken.Store(true)
	q.fail(errBusy)
	go s.Close(cancelled())
	var err error
	for _, err = range stream.Events(t.Context()) {
	}
	require.ErrorIs(t, err, logs.ErrClosed)
	require.Equal(t, wire.CodeUnavailable, fault.Of(err).Code, "callers that wait for a stop or a whole answer may retry elsewhere")
	require.Contains(t, s.log.String(), errDisk.Error())
	require.Equal(t, begun.StreamID, s.history(begun.ChatID).Messages[1].StreamID)
	broken, err := s.store.EndBrokenTurns(t.Context(), chat.End{At: 300})
	require.NoError(t, err)
	require.Len(t, broken, 1)
	answer := s.history(begun.ChatID).Messages[1]
	require.Equal(t, []string{"One", wire.FinishError, ""}, []string{answer.Content, answer.FinishReason, answer.StreamID})
}
