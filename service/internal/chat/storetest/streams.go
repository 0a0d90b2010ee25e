package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

var streamRules = []rule{
	{"a stream is found from its first event to after its end", streamsAreKept},
	{"a stream is found only in its scope", streamsInScope},
	{"events come in pages, which may begin after any event", eventsInPages},
	{"a failed answer keeps its error", failuresAreKept},
	{"broken turns end with events under the next ids", brokenStreamsEnd},
	{"sweeping removes events whose time is over, and nothing else", sweepTakesEvents},
	{"a stream is retold under another id", streamsAreRetold},
	{"deleting a chat deletes its streams", deletingTakesStreams},
}

// whole is the end of an answer that is complete.
func whole() *chat.End {
	return &chat.End{At: 300, Events: []chat.Event{
		{Type: wire.EventComplete, Data: []byte(`{"chunks":1}`)}, {Type: wire.EventEnd, Data: []byte(`{}`)},
	}}
}

func stored(t *testing.T, store chat.Store, streamID string) chat.StoredStream {
	t.Helper()
	one, err := store.Stream(t.Context(), key, streamID)
	require.NoError(t, err)
	return one
}

// eventsOf returns all events of a stream, as "1 start, 2 chunk", or why there are none.
func eventsOf(t *testing.T, store chat.Store, streamID string) (told string) {
	t.Helper()
	events, err := store.Events(t.Context(), streamID, 0, 1000)
	switch {
	case errors.Is(err, stream.ErrDeleted):
		return "deleted"
	case errors.Is(err, stream.ErrSwept):
		return "swept"
	}
	require.NoError(t, err)
	for i, event := range events {
		if i > 0 {
			told += ", "
		}
		told += fmt.Sprint(event.ID, " ", event.Type)
	}
	return told
}

func streamsAreKept(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn)
	require.NoError(t, store.AppendEvents(t.Context(), held("t-s"), chunks(2, "so ", "far")))
	start := wire.Start{StreamID: "t-s", ChatID: "c1", MessageID: "t-a", UserMessageID: "t-q"}
	answer := turn.Answer
	answer.Content = "so far"
	require.Equal(t, chat.StoredStream{Start: start, Answer: answer, LastID: 3}, stored(t, store, "t-s"))

	require.NoError(t, store.EndTurn(t.Context(), held("t-s"), ended(turn, "so far"), whole()))
	require.Equal(t, chat.StoredStream{Start: start, Answer: ended(turn, "so far"), EndedAt: 300, LastID: 5}, stored(t, store, "t-s"))
	require.Equal(t, "1 start, 2 chunk, 3 chunk, 4 complete, 5 end", eventsOf(t, store, "t-s"))
	require.Empty(t, answerOf(t, store, turn).StreamID, "the history names streams of answers that are being written")
}

func streamsInScope(t *testing.T, store chat.Store) {
	for i, scope := range []access.Scope{ann, bob, key, alien} {
		name := fmt.Sprint("s", i)
		begin(t, store, scope, turnInNew("c"+name, name))
	}
	seen := func(scope access.Scope) (all string) {
		for i := range 4 {
			if _, err := store.Stream(t.Context(), scope, fmt.Sprint("s", i, "-s")); err == nil {
				all += fmt.Sprint(i)
			} else {
				require.ErrorIs(t, err, fault.ErrNotFound)
			}
		}
		return all
	}
	require.Equal(t, []string{"0", "1", "012", "3"}, []string{seen(ann), seen(bob), seen(key), seen(alien)})
	for _, id := range []string{"", "S0-S", "s0-a", "cs0"} {
		_, err := store.Stream(t.Context(), key, id)
		require.ErrorIs(t, err, fault.ErrNotFound)
	}
}

func eventsInPages(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn, turnIn("c1", "other"))
	var texts []string
	for i := range 20 {
		texts = append(texts, fmt.Sprint("text ", i))
	}
	all := append(turn.Events, chunks(2, texts...)...)
	require.NoError(t, store.AppendEvents(t.Context(), held("t-s"), all[1:]))
	for after := range int64(22) {
		for _, limit := range []int{1, 7, 100} {
			got, err := store.Events(t.Context(), "t-s", after, limit)
			require.NoError(t, err)
			want := all[after:min(int(after)+limit, len(all))]
			require.Equal(t, append([]chat.Event{}, want...), got)
		}
	}
	_, err := store.Events(t.Context(), "unknown", 0, 10)
	require.ErrorIs(t, err, stream.ErrDeleted)
	none, err := store.Events(t.Context(), "t-s", int64(len(all)), 10)
	require.NoError(t, err, "more may come")
	require.Empty(t, none)
	require.NoError(t, store.EndTurn(t.Context(), held("t-s"), ended(turn, strings.Join(texts, "")), whole()))
	_, err = store.Events(t.Context(), "t-s", int64(len(all))+2, 10)
	require.ErrorIs(t, err, io.EOF)
}

func failuresAreKept(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn)
	failure := chat.Failure{
		Error:  wire.ErrorInfo{Code: wire.CodeProviderFailed, Message: "It failed", InvalidFields: []string{"f"}},
		Detail: "d", RetryAfter: 3,
	}
	failed := ended(turn, "x")
	failed.FinishReason = wire.FinishError
	end := whole()
	end.Error = &failure
	require.NoError(t, store.EndTurn(t.Context(), held("t-s"), failed, end))
	require.Equal(t, &failure, stored(t, store, "t-s").Error)
	require.Equal(t, failed, stored(t, store, "t-s").Answer)
}

func brokenStreamsEnd(t *testing.T, store chat.Store) {
	long, short := turnInNew("c1", "long"), turnIn("c1", "short")
	bare := turnIn("c1", "bare")
	bare.Events = nil
	begin(t, store, ann, long, short, bare)
	require.NoError(t, store.AppendEvents(t.Context(), held("long-s"), chunks(2, "a", "b")))
	failure := &fault.Error{Code: wire.CodeUnavailable, Message: "Broken off"}
	broken, err := store.EndBrokenTurns(t.Context(), chat.Broken(400, failure))
	require.NoError(t, err)
	require.Len(t, broken, 3)
	require.Equal(t, "1 start, 2 chunk, 3 chunk, 4 error, 5 end", eventsOf(t, store, "long-s"))
	require.Equal(t, "1 start, 2 error, 3 end", eventsOf(t, store, "short-s"))
	require.Equal(t, "1 error, 2 end", eventsOf(t, store, "bare-s"))
	one := stored(t, store, "long-s")
	require.Equal(t, failure.Code, one.Error.Error.Code)
	require.Equal(t, []any{400.0, int64(5), "ab"}, []any{one.EndedAt, one.LastID, one.Answer.Content})
}

func sweepTakesEvents(t *testing.T, store chat.Store) {
	old, young, open := turnInNew("c1", "old"), turnIn("c1", "young"), turnIn("c1", "open")
	begin(t, store, ann, old, young, open)
	end(t, store, old, "old") // at 300
	late := whole()
	late.At = 301
	require.NoError(t, store.EndTurn(t.Context(), held("young-s"), ended(young, "young"), late))
	before := everything(t, store)
	require.NoError(t, store.Sweep(t.Context(), 299, 0))
	require.Equal(t, "1 start", eventsOf(t, store, "old-s"))
	require.NoError(t, store.Sweep(t.Context(), 300, 0))
	require.Equal(t, "swept", eventsOf(t, store, "old-s"))
	require.Equal(t, "1 start, 2 complete, 3 end", eventsOf(t, store, "young-s"))
	require.Equal(t, "1 start", eventsOf(t, store, "open-s"))
	require.Equal(t, before, everything(t, store))
	require.Equal(t, 300.0, stored(t, store, "old-s").EndedAt, "the stream is known as long as its answer exists")
	require.NoError(t, store.Sweep(t.Context(), 1000, 1000))
	require.Equal(t, "1 start", eventsOf(t, store, "open-s"), "what has not ended stays")
}

func streamsAreRetold(t *testing.T, store chat.Store) {
	turn := claimed(turnInNew("c1", "t"), "k")
	begin(t, store, ann, turn)
	end(t, store, turn, "text")
	require.NoError(t, store.Retell(t.Context(), "t-s", "again-s", *whole()))
	again := stored(t, store, "again-s")
	require.Equal(t, wire.Start{StreamID: "again-s", ChatID: "c1", MessageID: "t-a", UserMessageID: "t-q"}, again.Start)
	require.Equal(t, int64(2), again.LastID)
	require.Equal(t, "1 complete, 2 end", eventsOf(t, store, "again-s"))
	require.Equal(t, "again-s", subject(t, store, ann, "k"))

	require.ErrorIs(t, store.Retell(t.Context(), "t-s", "third-s", *whole()), errTaken, "it was retold already")
	_, err := store.Stream(t.Context(), ann, "third-s")
	require.ErrorIs(t, err, fault.ErrNotFound)
	require.ErrorIs(t, store.Retell(t.Context(), "none-s", "third-s", *whole()), fault.ErrNotFound)
	require.NoError(t, store.Sweep(t.Context(), 1000, 0))
	require.NoError(t, store.DeleteChat(t.Context(), ann, "c1", 400))
	require.ErrorIs(t, store.Retell(t.Context(), "again-s", "third-s", *whole()), fault.ErrNotFound)
}

func deletingTakesStreams(t *testing.T, store chat.Store) {
	open, done := turnInNew("c1", "open"), turnIn("c1", "done")
	begin(t, store, ann, open, done)
	end(t, store, done, "x")
	require.NoError(t, store.DeleteChat(t.Context(), ann, "c1", 300))
	for _, id := range []string{"open-s", "done-s"} {
		_, err := store.Stream(context.WithoutCancel(t.Context()), key, id)
		require.ErrorIs(t, err, fault.ErrNotFound)
		require.Equal(t, "deleted", eventsOf(t, store, id))
	}
}
