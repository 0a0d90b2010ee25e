package sqlite_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// Events that wait for the writer together are stored together. If some of them
// are refused, the others are stored all the same.
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
		{"all but those of missing streams", func(n int) string {
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
	var all []func() error
	for n := range streams {
		id, one := event(n)
		all = append(all, func() error {
			return store.AppendEvents(t.Context(), stream.Lease{StreamID: id, Epoch: 1}, []chat.Event{one})
		})
	}
	return writeTogether(t, store, all)
}
