package sqlite_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/sqlite"
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
		name string
		// id is the number that the event of the stream n has.
		id     func(n int) int64
		stream func(n int) string
		fails  func(n int) bool
	}{
		{"all are stored", func(int) int64 { return 1 }, named, func(int) bool { return false }},
		{"all but one of a stream that is not there", func(int) int64 { return 2 },
			func(n int) string {
				if n == 7 {
					return "none"
				}
				return named(n)
			}, func(n int) bool { return n == 7 }},
		{"all but those with a wrong number", func(n int) int64 {
			if n%5 == 0 {
				return 9
			}
			if n == 7 {
				return 2
			}
			return 3
		}, named, func(n int) bool { return n%5 == 0 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			errs := appendTogether(t, store, streams, func(n int) (string, chat.Event) {
				return test.stream(n), chat.Event{ID: test.id(n), Type: wire.EventChunk, Data: []byte(`{"text":"a"}`)}
			})
			for n, err := range errs {
				if test.fails(n) {
					require.Error(t, err, n)
					continue
				}
				require.NoError(t, err, n)
				events, err := store.Events(t.Context(), test.stream(n), test.id(n)-1, 10)
				require.NoError(t, err)
				require.Len(t, events, 1, "stream %d", n)
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
		all = append(all, func() error { return store.AppendEvents(t.Context(), id, []chat.Event{one}) })
	}
	return writeTogether(t, store, all)
}
