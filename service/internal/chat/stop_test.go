package chat_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

func (s *service) stop(caller access.Caller, streamID string) wire.StopReceipt {
	s.t.Helper()
	receipt, err := s.Stop(s.t.Context(), caller, streamID)
	require.NoError(s.t, err)
	return receipt
}

// requireReceipt compares a receipt with what the readers of the stream got.
func (s *service) requireReceipt(receipt wire.StopReceipt, tr transcript) {
	s.t.Helper()
	text := tr.text()
	require.Equal(s.t, text, receipt.Message.Content, "exactly the chunks that were sent")
	require.Equal(s.t, int64(len(tr.events)), receipt.LastEventID)
	require.Equal(s.t, len(text), receipt.Bytes)
	require.Equal(s.t, fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text))), receipt.CRC32)
	require.Equal(s.t, receipt.Stopped, receipt.Message.FinishReason == wire.FinishStopped)
	require.Equal(s.t, receipt.Message, s.history(tr.start.ChatID).Messages[1])
	if tr.complete != nil {
		require.Equal(s.t, tr.complete.Message, receipt.Message)
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	for _, said := range [][]string{nil, {"One"}, {"One", " two", " three 🙂"}} {
		t.Run(fmt.Sprint("after ", len(said), " chunks"), func(t *testing.T) {
			t.Parallel()
			model := newLive()
			s := start(t, model)
			stream := s.send(ann, chat.Send{Message: "Hi there"})
			begun := decode[wire.Start](t, readUntil(t, stream, 1)[0])
			q := <-model
			q.say(said...)
			readUntil(t, stream, 1+len(said))
			receipt := s.stop(ann, begun.StreamID)
			require.ErrorIs(t, q.ctx.Err(), context.Canceled, "the model call has ended")
			require.True(t, receipt.Stopped)
			tr := read(t, stream)
			require.Equal(t, "start chat_name complete end", tr.types())
			require.Equal(t, len(said), len(tr.chunks))
			s.requireReceipt(receipt, tr)
			require.Equal(t, "Hi there", s.history(begun.ChatID).Name, "it names its chat like any other")
			require.Equal(t, []string{wire.FinishStopped}, s.ended.list())
			require.Zero(t, s.Running())
			require.NotContains(t, s.log.String(), "level=ERROR")
			for _, caller := range []access.Caller{ann, admin} {
				require.Equal(t, receipt, s.stop(caller, begun.StreamID), "a repeat returns the same")
			}
			require.Equal(t, tr, read(t, s.resume(ann, begun.StreamID, 0)))
		})
	}
}

// An answer can be stopped before its model is asked.
func TestStopBeforeTheModelIsAsked(t *testing.T) {
	t.Parallel()
	store := &waiting{begun: make(chan struct{}), resume: make(chan struct{})}
	model := &counted{Provider: says(words("One")...)}
	s := start(t, model, func(c *chat.Config) { store.Store, c.Store = c.Store, store })
	stream := s.send(ann, chat.Send{Message: "Hi", ChatID: s.newChat(ann)})
	<-store.begun
	var receipt wire.StopReceipt
	var stopping sync.WaitGroup
	stopping.Go(func() { receipt = s.stop(ann, decode[wire.Start](t, readUntil(t, stream, 1)[0]).StreamID) })
	<-store.left
	close(store.resume)
	stopping.Wait()
	require.True(t, receipt.Stopped)
	s.requireReceipt(receipt, read(t, stream))
	require.Zero(t, model.calls.Load())
}

// waiting is a store whose first reading of a chat waits for the test. left is closed
// when the caller has left.
type waiting struct {
	chat.Store
	once          sync.Once
	begun, resume chan struct{}
	left          <-chan struct{}
}

func (w *waiting) Recent(ctx context.Context, scope access.Scope, chatID, before string, tokens int) ([]answering.PromptMessage, error) {
	w.once.Do(func() {
		w.left = ctx.Done()
		close(w.begun)
		<-w.resume
	})
	return w.Store.Recent(ctx, scope, chatID, before, tokens)
}

// A model that ignores its context is abandoned too.
func TestStopADeafModel(t *testing.T) {
	t.Parallel()
	s := start(t, script(func(_ context.Context, _ answering.Prompt, yield func(answering.Piece, error) bool) {
		for yield(answering.Piece{Text: "on and "}, nil) {
		}
	}))
	stream := s.send(ann, chat.Send{Message: "Hi"})
	receipt := s.stop(ann, decode[wire.Start](t, readUntil(t, stream, 10)[0]).StreamID)
	require.True(t, receipt.Stopped)
	s.requireReceipt(receipt, read(t, stream))
}

func TestStopWhatHasEnded(t *testing.T) {
	t.Parallel()
	for name, model := range map[string]script{"complete": says(words("One")...), "failed": failsAfter(errBusy, words("One")[0])} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, model)
			tr := read(t, s.send(ann, chat.Send{Message: "Hi"}))
			receipt := s.stop(ann, tr.start.StreamID)
			require.False(t, receipt.Stopped)
			s.requireReceipt(receipt, tr)
		})
	}
}

// However a stop and an end meet, the receipt, the stream and the history
// agree.
func TestStopMeetsTheEnd(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("One", " two", " three")...))
	seen := map[bool]bool{}
	for range 60 {
		stream := s.send(ann, chat.Send{Message: "Hi"})
		streamID := decode[wire.Start](t, readUntil(t, stream, 1)[0]).StreamID
		receipts := make([]wire.StopReceipt, 3)
		var stopping sync.WaitGroup
		for i := range receipts {
			stopping.Go(func() { receipts[i], _ = s.Stop(t.Context(), ann, streamID) })
		}
		stopping.Wait()
		tr := read(t, stream)
		for _, receipt := range receipts {
			require.Equal(t, receipts[0], receipt)
			s.requireReceipt(receipt, tr)
			seen[receipt.Stopped] = true
		}
	}
	require.NotEmpty(t, seen)
}

func TestStopByKey(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	stream := s.send(ann, chat.Send{Message: "Hi", Once: keyed("k")})
	<-model
	_, _, err := s.CreateChat(t.Context(), ann, wire.CreateChatRequest{}, keyed("chat"))
	require.NoError(t, err)
	for _, test := range []struct {
		name   string
		caller access.Caller
		key    string
	}{
		{"an unknown key", ann, "K"}, {"no key", ann, ""}, {"another user's", bob, "k"}, {"a user's, for the API key", admin, "k"},
		{"another operation's", ann, "chat"},
	} {
		_, err := s.StopClaimed(t.Context(), test.caller, test.key)
		require.ErrorIs(t, err, fault.ErrNotFound, test.name)
	}
	receipt, err := s.StopClaimed(t.Context(), ann, "k")
	require.NoError(t, err)
	require.True(t, receipt.Stopped)
	tr := read(t, stream)
	s.requireReceipt(receipt, tr)
	require.Equal(t, tr, read(t, s.send(ann, chat.Send{Message: "Hi", Once: keyed("k")})), "a stop is final for the key, too")

	s.clock.pass(chat.DefaultRetention)
	read(t, s.send(ann, chat.Send{Message: "Hi", Once: keyed("k")}))
	again, err := s.StopClaimed(t.Context(), ann, "k")
	require.NoError(t, err)
	require.Equal(t, receipt.Message, again.Message)
	s.clock.pass(24 * time.Hour)
	_, err = s.StopClaimed(t.Context(), ann, "k")
	require.ErrorIs(t, err, fault.ErrNotFound, "the key has expired")
}

// A stop that cannot be stored is a failure, and the log has the reason.
func TestStopThatCannotBeStored(t *testing.T) {
	t.Parallel()
	model, store := newLive(), &faulty{}
	store.ends.Store(1)
	s := start(t, model, func(c *chat.Config) { store.Store, c.Store = c.Store, store })
	stream := s.send(ann, chat.Send{Message: "Hi"})
	(<-model).say("One")
	receipt := s.stop(ann, decode[wire.Start](t, readUntil(t, stream, 2)[0]).StreamID)
	require.False(t, receipt.Stopped)
	tr := read(t, stream)
	require.Equal(t, wire.CodeInternal, tr.failure.Error.Code)
	s.requireReceipt(receipt, tr)
	require.Contains(t, s.log.String(), errDisk.Error())
}

// Deleting the chat ends a stop in progress, and the other way round.
func TestStopMeetsDelete(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("One", " two")...))
	for range 30 {
		stream := s.send(ann, chat.Send{Message: "Hi"})
		begun := decode[wire.Start](t, readUntil(t, stream, 1)[0])
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := s.Stop(t.Context(), ann, begun.StreamID); err != nil && !errors.Is(err, fault.ErrNotFound) {
				t.Error(err)
			}
		})
		all.Go(func() {
			if err := s.DeleteChat(t.Context(), ann, begun.ChatID); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		read(t, stream)
		_, err := s.Stop(t.Context(), ann, begun.StreamID)
		require.ErrorIs(t, err, fault.ErrNotFound)
	}
	s.Close(t.Context()) // readers learn of a deletion before the writer has ended
	require.Zero(t, s.Running())
	require.NotContains(t, s.log.String(), "level=ERROR")
}

// If the end cannot be stored, it is tried again and again. Until it is stored,
// the readers wait: they get nothing that is not stored.
func TestEndIsStoredLater(t *testing.T) {
	t.Parallel()
	model, store := newLive(), &faulty{}
	s := start(t, model, func(c *chat.Config) { store.Store, c.Store, c.Limits.StreamsPerUser = c.Store, store, 1 })
	stream := s.send(ann, chat.Send{Message: "Hi", Once: keyed("k")})
	q := <-model
	q.say("One")
	begun := decode[wire.Start](t, readUntil(t, stream, 2)[0])
	store.broken.Store(true)
	q.fail(errBusy)
	require.Eventually(t, func() bool { return strings.Contains(s.log.String(), errDisk.Error()) }, time.Minute, time.Millisecond)
	require.Equal(t, begun.StreamID, s.history(begun.ChatID).Messages[1].StreamID)
	resumed := s.resume(ann, begun.StreamID, 0)
	repeated := s.send(ann, chat.Send{Message: "Hi", Once: keyed("k")})
	require.Len(t, readUntil(t, resumed, 2), 2)
	another := s.send(ann, chat.Send{Message: "And?"}) // the place among the running answers is free
	(<-model).fail(errBusy)

	store.broken.Store(false)
	tr := read(t, stream)
	require.Equal(t, wire.CodeUnavailable, tr.failure.Error.Code)
	require.Equal(t, tr, read(t, resumed))
	require.Equal(t, tr, read(t, repeated))
	require.False(t, s.stop(ann, begun.StreamID).Stopped)
	require.Equal(t, wire.FinishError, s.history(begun.ChatID).Messages[1].FinishReason)
	read(t, another)
}
