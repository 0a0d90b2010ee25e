package chat_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// keyed is a request with a key; other makes its fingerprint differ.
func keyed(key string, other ...byte) once.Request {
	request := once.Request{Key: key}
	copy(request.Fingerprint[:], other)
	return request
}

// counted is a model that counts its calls.
type counted struct {
	answering.Provider
	calls atomic.Int64
}

func (c *counted) Answer(ctx context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
	c.calls.Add(1)
	return c.Provider.Answer(ctx, prompt)
}

// However close together requests with one key arrive, they make one message,
// and no repeat reaches a limit.
func TestRepeatsAtOnce(t *testing.T) {
	t.Parallel()
	model := newLive()
	count := &counted{Provider: model}
	s := start(t, count, limits(chat.Limits{SendsPerMinute: 1, StreamsPerUser: 1}))
	send := chat.Send{Message: "Hi", Once: keyed("k")}
	var all [40]transcript
	var replayed atomic.Int64
	var senders sync.WaitGroup
	for i := range all {
		senders.Go(func() {
			stream, err := s.Send(t.Context(), ann, send)
			if err != nil {
				t.Error(err)
				return
			}
			if stream.Replayed {
				replayed.Add(1)
			}
			all[i] = read(t, stream)
		})
	}
	q := <-model
	q.say("One", " two")
	q.finish()
	senders.Wait()
	for _, tr := range all {
		require.Equal(t, all[0], tr)
	}
	require.EqualValues(t, 1, count.calls.Load())
	require.EqualValues(t, len(all)-1, replayed.Load())
	require.Len(t, s.history(all[0].start.ChatID).Messages, 2)
	page, err := s.ListChats(t.Context(), admin, 0, 100)
	require.NoError(t, err)
	require.Len(t, page.Chats, 1)
	requireError(t, s.refused(ann, chat.Send{Message: "Hi", Once: keyed("another")}), wire.CodeRateLimited)
}

// The outcome of a key is final, whatever it is: in the stream, as a whole
// answer, and after a restart.
func TestOutcomesAreFinal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		model script
	}{
		{"complete", says(words("One", " two")...)},
		{"complete without a word", says(words()...)},
		{"cut by its limit", says(answering.Piece{Text: "One", FinishReason: wire.FinishLength})},
		{"failed", failsAfter(errBusy, answering.Piece{Text: "One"})},
		{"failed before its first word", failsAfter(errBusy)},
		{"failed with an unexpected error", failsAfter(errors.New("odd"))},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			model := &counted{Provider: test.model}
			s := start(t, model)
			send := chat.Send{Message: "Hi", Once: keyed("k")}
			first := s.send(ann, send)
			require.False(t, first.Replayed)
			want := read(t, first)
			response, failure := first.Response(t.Context())
			next := chat.New(s.config)
			defer next.Close(t.Context())
			for _, service := range []*chat.Service{s.Service, next} {
				again, err := service.Send(t.Context(), ann, send)
				require.NoError(t, err)
				require.True(t, again.Replayed)
				require.Equal(t, want, read(t, again))
				response2, failure2 := again.Response(t.Context())
				require.Equal(t, response, response2)
				require.Equal(t, failure, failure2)
				require.Equal(t, failure == nil, failure2 == nil)
			}
			require.EqualValues(t, 1, model.calls.Load())
		})
	}
}

func TestKeyOfAnotherRequest(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("One")...))
	s.ask(ann, chat.Send{Message: "Hi", Once: keyed("k", 1)})
	require.ErrorIs(t, s.refused(ann, chat.Send{Message: "Hi", Once: keyed("k", 2)}), once.ErrReused)
	require.ErrorIs(t, s.refused(ann, chat.Send{Message: " ", Once: keyed("k", 2)}), once.ErrReused, "before anything else is checked")
	_, _, err := s.CreateChat(t.Context(), ann, wire.CreateChatRequest{}, keyed("k", 2))
	require.ErrorIs(t, err, once.ErrReused)
	for _, caller := range []access.Caller{bob, admin} {
		require.False(t, s.send(caller, chat.Send{Message: "Hi", Once: keyed("k", 2)}).Replayed, "keys belong to a user")
	}
}

// A refusal leaves the key free.
func TestRefusalsTakeNoKey(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("One")...), limits(chat.Limits{SendsPerMinute: 3}))
	send := chat.Send{Message: " ", Once: keyed("k")}
	requireError(t, s.refused(ann, send), wire.CodeValidation, "message")
	send.Message, send.ChatID = "Hi", "none"
	require.ErrorIs(t, s.refused(ann, send), fault.ErrNotFound)
	send.ChatID = ""
	s.ask(ann, chat.Send{Message: "another"})
	requireError(t, s.refused(ann, send), wire.CodeRateLimited)
	s.clock.pass(time.Minute)
	require.False(t, s.send(ann, send).Replayed)
	require.True(t, s.send(ann, send).Replayed)
}

// A request that gives up while another one with the key is stored gets nothing.
func TestRepeatThatIsGivenUp(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("One")...))
	_, err := s.Send(cancelled(), ann, chat.Send{Message: "Hi", Once: keyed("k")})
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, s.send(ann, chat.Send{Message: "Hi", Once: keyed("k")}).Replayed)
}

func TestKeysExpire(t *testing.T) {
	t.Parallel()
	model := &counted{Provider: says(words("One")...)}
	s := start(t, model)
	send := chat.Send{Message: "Hi", Once: keyed("k")}
	first := s.ask(ann, send)
	s.clock.pass(24*time.Hour - time.Microsecond)
	require.Equal(t, first.MessageID, s.ask(ann, send).MessageID)
	s.clock.pass(time.Microsecond)
	require.NotEqual(t, first.MessageID, s.ask(ann, send).MessageID, "the sweep has not run")
	require.EqualValues(t, 2, model.calls.Load())
}

func TestRepeatAfterTheChatIsDeleted(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	send := chat.Send{Message: "Hi", Once: keyed("k")}
	stream := s.send(ann, send)
	chatID := decode[wire.Start](t, readUntil(t, stream, 1)[0]).ChatID
	<-model
	require.NoError(t, s.DeleteChat(t.Context(), ann, chatID))
	require.Equal(t, wire.CodeNotFound, read(t, stream).failure.Error.Code)
	_, err := s.Send(t.Context(), ann, send)
	require.ErrorIs(t, err, fault.ErrNotFound)
}

// After the events are deleted, the answer is sent again under a new id.
func TestRepeatAfterTheEventsAreGone(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		model  script
		types  string
		chunks []string
	}{
		{"complete", says(words("One", " two")...), "start complete end", []string{"One two"}},
		{"complete without a word", says(words()...), "start complete end", nil},
		{"failed", failsAfter(errBusy, words("One", " two")[:2]...), "start error end", []string{"One two"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, test.model)
			send := chat.Send{Message: "Hi", Once: keyed("k")}
			first := read(t, s.send(ann, send))
			if first.complete != nil {
				require.NoError(t, s.SetFeedback(t.Context(), ann, first.start.ChatID, first.start.MessageID, true))
			}
			s.clock.pass(chat.DefaultRetention)
			for _, sweep := range []bool{false, true} {
				if sweep {
					s.clock.pass(chat.DefaultRetention)
					require.NoError(t, s.Sweep(t.Context()))
				}
				streams := s.sendAtOnce(send, 10)
				again := read(t, streams[0])
				require.Equal(t, test.types, again.types())
				require.Equal(t, test.chunks, again.chunks)
				require.Equal(t, first.failure, again.failure)
				require.NotEqual(t, first.start.StreamID, again.start.StreamID)
				want := first.start
				want.StreamID = again.start.StreamID
				require.Equal(t, want, again.start)
				for _, stream := range streams {
					require.True(t, stream.Replayed)
					require.Equal(t, again, read(t, stream), "all join the new stream")
				}
				for after := range int64(len(again.events)) + 1 {
					resumed, err := s.Resume(t.Context(), ann, again.start.StreamID, after)
					require.NoError(t, err)
					require.Equal(t, append([]chat.Event{}, again.events[after:]...), eventsOf(t, resumed))
				}
				first.start = again.start
			}
		})
	}
}

// Two keys may lead to one answer, so that it is sent again for both at once:
// the second request joins the first.
func TestAnswerIsSentAgainForTwoKeysAtOnce(t *testing.T) {
	t.Parallel()
	store := &retold{}
	s := start(t, says(words("One")...), func(c *chat.Config) { store.Store, c.Store = c.Store, store })
	send := chat.Send{Message: "Hi", Once: keyed("k")}
	read(t, s.send(ann, send))
	s.clock.pass(chat.DefaultRetention)
	require.Equal(t, "stream_of_the_other", read(t, s.send(ann, send)).start.StreamID)
}

// retold is a store in which another caller sends a stream again first.
type retold struct {
	chat.Store
	once sync.Once
}

func (r *retold) Retell(ctx context.Context, old, streamID string, end chat.End) error {
	r.once.Do(func() {
		other := end
		other.Events = slices.Clone(end.Events)
		other.Events[0].Data = bytes.ReplaceAll(other.Events[0].Data, []byte(streamID), []byte("stream_of_the_other"))
		_ = r.Store.Retell(ctx, old, "stream_of_the_other", other)
	})
	return r.Store.Retell(ctx, old, streamID, end)
}

func (s *service) sendAtOnce(send chat.Send, n int) []*chat.Stream {
	s.t.Helper()
	streams := make([]*chat.Stream, n)
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { streams[i], errs[i] = s.Send(s.t.Context(), ann, send) })
	}
	all.Wait()
	require.NoError(s.t, errors.Join(errs...))
	return streams
}

// eventsOf reads a stream from where it begins, which need not be its start.
func eventsOf(t *testing.T, stream *chat.Stream) []chat.Event {
	t.Helper()
	all := []chat.Event{}
	for events, err := range stream.Events(t.Context()) {
		require.NoError(t, err)
		require.LessOrEqual(t, len(events), 512)
		all = append(all, events...)
	}
	return all
}

func TestCreateChatOnce(t *testing.T) {
	t.Parallel()
	s := start(t, says())
	request := wire.CreateChatRequest{Name: "Given", DocumentKeys: []string{"d"}, Metadata: wire.JSON(`{"a":1}`)}
	made := make([]wire.Chat, 20)
	var fresh atomic.Int64
	var all sync.WaitGroup
	for i := range made {
		all.Go(func() {
			one, replayed, err := s.CreateChat(t.Context(), ann, request, keyed("k"))
			made[i] = one
			if err != nil {
				t.Error(err)
			}
			if !replayed {
				fresh.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, fresh.Load())
	for _, one := range made {
		require.Equal(t, made[0], one)
	}
	require.NoError(t, s.RenameChat(t.Context(), ann, made[0].ChatID, "Renamed"))
	again, _, err := s.CreateChat(t.Context(), ann, request, keyed("k"))
	require.NoError(t, err)
	require.Equal(t, "Renamed", again.Name, "as it is now")
	require.NoError(t, s.DeleteChat(t.Context(), ann, made[0].ChatID))
	_, _, err = s.CreateChat(t.Context(), ann, request, keyed("k"))
	require.ErrorIs(t, err, fault.ErrNotFound)
	for i := range 3 {
		other, replayed, err := s.CreateChat(t.Context(), ann, wire.CreateChatRequest{}, once.Request{})
		require.NoError(t, err)
		require.False(t, replayed, fmt.Sprint("without a key ", i, other))
	}
}
