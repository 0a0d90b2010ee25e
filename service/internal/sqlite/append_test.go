package sqlite_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// Events that wait for the writer together are stored together, and what is
// wrong with some is no fault of the others.
func TestAppendsThatWaitTogether(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	const streams = 20
	for n := range streams {
		chatID := fmt.Sprint("chat", n)
		require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: chatID, Name: "N"}, nil))
		require.NoError(t, store.BeginTurn(t.Context(), ann, turn(chatID, fmt.Sprint("stream", n))))
	}
	tests := []struct {
		name   string
		stream func(n int) string
		fails  func(n int) bool
	}{
		{"all are stored", named, func(int) bool { return false }},
		{"all but those of streams that are not there", func(n int) string {
			if n%5 == 0 {
				return "none"
			}
			return named(n)
		}, func(n int) bool { return n%5 == 0 }},
	}
	before := make([]int, streams)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			errs := appendTogether(t, store, streams, func(n int) (string, chat.Event) {
				return test.stream(n), chat.Event{Type: wire.EventChunk, Data: []byte(`{"text":"a"}`)}
			})
			for n, err := range errs {
				if test.fails(n) {
					require.Error(t, err, n)
					continue
				}
				require.NoError(t, err, n)
				events, err := store.Events(t.Context(), test.stream(n), int64(before[n]), 10)
				require.NoError(t, err)
				require.Len(t, events, 1, "stream %d", n)
				before[n]++
			}
		})
	}
}

func named(n int) string { return fmt.Sprint("stream", n) }

// appendTogether appends to all streams while the writer is taken.
func appendTogether(t *testing.T, store *sqlite.Store, streams int, event func(n int) (string, chat.Event)) []error {
	t.Helper()
	writer, _ := store.Pools()
	busy, err := writer.Conn(t.Context())
	require.NoError(t, err)
	errs := make([]error, streams)
	var all sync.WaitGroup
	for n := range streams {
		joined := store.Waiting()
		all.Go(func() {
			id, one := event(n)
			errs[n] = store.AppendEvents(t.Context(), stream.Lease{StreamID: id, Epoch: 1}, []chat.Event{one})
		})
		for store.Waiting() == joined {
			runtime.Gosched() // until it waits
		}
	}
	require.Equal(t, streams, store.Waiting())
	require.NoError(t, busy.Close())
	all.Wait()
	return errs
}

func TestAppendsToAStoreThatIsClosed(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	require.NoError(t, store.Close())
	for range 2 {
		err := store.AppendEvents(t.Context(), stream.Lease{StreamID: "stream", Epoch: 1}, []chat.Event{{ID: 1, Type: wire.EventChunk, Data: []byte("{}")}})
		require.ErrorContains(t, err, "closed", "and nobody waits for ever")
	}
}
