package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// began makes a chat with open streams of these names.
func began(t *testing.T, store *sqlite.Store, names ...string) {
	t.Helper()
	require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "c1", Name: "N"}, nil))
	for _, name := range names {
		require.NoError(t, store.BeginTurn(t.Context(), ann, turn("c1", name)))
	}
}

func appending(t *testing.T, store *sqlite.Store, streamID string, texts ...string) func() error {
	var events []chat.Event
	for _, text := range texts {
		events = append(events, chunk(0, text)...)
	}
	return func() error {
		return store.AppendEvents(t.Context(), stream.Lease{StreamID: streamID, Epoch: 1}, events)
	}
}

// dataOf reads a stream in batches of a size.
func dataOf(t *testing.T, store *sqlite.Store, streamID string, limit int) (all []string) {
	t.Helper()
	for after := int64(0); ; {
		events, err := store.Events(t.Context(), streamID, after, limit)
		if err == io.EOF || err == nil && len(events) == 0 {
			return all
		}
		require.NoError(t, err)
		require.LessOrEqual(t, len(events), limit)
		for _, event := range events {
			after++
			require.Equal(t, after, event.ID)
			all = append(all, event.Type+" "+string(event.Data))
		}
	}
}

// Streams that are written in turns, in appends of many sizes, are read as they were
// written, in batches of any size: open, after a kill, and when they have ended.
func TestStreamsThatAreWrittenInTurns(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	store := openFile(t, path)
	names := []string{"s", "t", "u"}
	began(t, store, names...)
	want := map[string][]string{}
	for n := range 60 {
		name := names[n*n%3]
		var texts []string
		for m := range n % 7 {
			texts = append(texts, fmt.Sprint(n, " ", m, "\n "))
			want[name] = append(want[name], fmt.Sprintf(`chunk {"text":%q}`, texts[m]))
		}
		require.NoError(t, appending(t, store, name, texts...)())
	}
	requireAll := func(store *sqlite.Store) {
		t.Helper()
		for _, name := range names {
			for _, limit := range []int{1, 2, 5, 13, 1000} {
				require.Equal(t, want[name], dataOf(t, store, name, limit), "%s in batches of %d", name, limit)
			}
		}
	}
	requireAll(store)
	killed := openFile(t, copied(t, path))
	requireAll(killed)
	require.NoError(t, appending(t, killed, "t", "after the kill")())
	require.Len(t, dataOf(t, killed, "t", 1000), len(want["t"])+1)

	for _, name := range names {
		require.NoError(t, store.EndTurn(t.Context(), leaseOf(name), turn("c1", name).Answer, &chat.End{At: 300}))
		require.ErrorIs(t, appending(t, store, name, "too late")(), fault.ErrNotFound)
	}
	requireAll(store)
	require.NoError(t, store.Close())
	requireAll(openFile(t, path))
}

func leaseOf(streamID string) stream.Lease { return stream.Lease{StreamID: streamID, Epoch: 1} }

// An event is a line, in the file and on the wire.
func TestAnEventOfTwoLinesIsRefused(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	began(t, store, "s")
	events := []chat.Event{{Type: wire.EventChunk, Data: []byte("{\n}")}}
	require.ErrorContains(t, store.AppendEvents(t.Context(), leaseOf("s"), events), "1 events have 2 lines")
	require.NoError(t, appending(t, store, "s", "one")())
	require.Equal(t, []string{`chunk {"text":"one"}`}, dataOf(t, store, "s", 10))
}

// An append whose transaction fails leaves nothing, not even in memory: the next one gets its ids,
// and is read.
func TestFailedAppendsLeaveNothing(t *testing.T) {
	t.Parallel()
	store := patient(t)
	began(t, store, "s", "t")
	require.NoError(t, appending(t, store, "s", "one")())
	errs := writeTogether(t, store, []func() error{
		appending(t, store, "s", "lost"), appending(t, store, "t", "lost", "too"),
		writing(t.Context(), store, 1, unkept),
	})
	for _, err := range errs {
		require.Error(t, err)
	}
	require.NoError(t, appending(t, store, "s", "two", "three")())
	require.NoError(t, appending(t, store, "t", "first")())
	require.Equal(t, []string{`chunk {"text":"one"}`, `chunk {"text":"two"}`, `chunk {"text":"three"}`}, dataOf(t, store, "s", 10))
	require.Equal(t, []string{`chunk {"text":"first"}`}, dataOf(t, store, "t", 10))
}

// An end or a deletion that fails leaves the stream open.
func TestFailedEndsLeaveTheStreamOpen(t *testing.T) {
	t.Parallel()
	store := patient(t)
	began(t, store, "s")
	require.NoError(t, appending(t, store, "s", "one")())
	for _, ends := range []func() error{
		func() error {
			return store.EndTurn(t.Context(), leaseOf("s"), turn("c1", "s").Answer, &chat.End{At: 300, Events: chunk(0, "lost")})
		},
		func() error { return store.DeleteChat(t.Context(), ann, "c1", 300) },
	} {
		errs := writeTogether(t, store, []func() error{ends, writing(t.Context(), store, 1, unkept)})
		require.Error(t, errs[0])
	}
	require.NoError(t, appending(t, store, "s", "two")())
	require.Equal(t, []string{`chunk {"text":"one"}`, `chunk {"text":"two"}`}, dataOf(t, store, "s", 10))
}

// A failed turn leaves no stream to append to.
func TestFailedTurnsLeaveNoStream(t *testing.T) {
	t.Parallel()
	store := patient(t)
	began(t, store)
	errs := writeTogether(t, store, []func() error{
		func() error { return store.BeginTurn(t.Context(), ann, turn("c1", "s")) }, writing(t.Context(), store, 1, unkept),
	})
	require.Error(t, errs[0])
	require.ErrorIs(t, appending(t, store, "s", "one")(), fault.ErrNotFound)
	require.NoError(t, store.BeginTurn(t.Context(), ann, turn("c1", "s")))
	require.NoError(t, appending(t, store, "s", "one")())
}

// A reader during writes and ends gets what was committed, without a gap.
func TestReadersBesideWriters(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	began(t, store, "s")
	const count = 300
	var writer sync.WaitGroup
	writer.Go(func() {
		for n := range count {
			if err := appending(t, store, "s", fmt.Sprint(n))(); err != nil {
				t.Error(err)
				return
			}
		}
		if err := store.EndTurn(t.Context(), leaseOf("s"), turn("c1", "s").Answer, &chat.End{At: 300}); err != nil {
			t.Error(err)
		}
	})
	seen := 0
	for after := int64(0); after < count; {
		events, err := store.Events(t.Context(), "s", after, 7)
		require.NoError(t, err)
		for _, event := range events {
			require.Equal(t, after+1, event.ID)
			require.Equal(t, fmt.Sprintf(`{"text":"%d"}`, after), string(event.Data))
			after++
		}
		stored, err := store.Stream(t.Context(), ann, "s")
		require.NoError(t, err)
		require.GreaterOrEqual(t, stored.LastID, after)
		history, err := store.ChatHistory(t.Context(), ann, "c1")
		require.NoError(t, err)
		if answer := history.Messages[1]; answer.StreamID != "" {
			require.GreaterOrEqual(t, len(answer.Content), seen)
			seen = len(answer.Content)
		}
	}
	writer.Wait()
}

// A deletion in the middle of an answer removes the answer's events. Other events stay.
func TestADeletedAnswerLeavesNoEvents(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	began(t, store, "s")
	require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "c2", Name: "N"}, nil))
	require.NoError(t, store.BeginTurn(t.Context(), ann, turn("c2", "other")))
	for range 3 {
		require.NoError(t, appending(t, store, "s", "goes")())
		require.NoError(t, appending(t, store, "other", "stays")())
	}
	require.NoError(t, store.DeleteChat(t.Context(), ann, "c1", 300))
	require.ErrorIs(t, appending(t, store, "s", "too late")(), fault.ErrNotFound)
	_, err := store.Events(t.Context(), "s", 0, 10)
	require.ErrorIs(t, err, stream.ErrDeleted)
	require.NoError(t, store.Sweep(t.Context(), 0, 0))
	require.Equal(t, 3, rows(t, store)["events"])
	require.Empty(t, filesHold(t, pathOf(t, store), "goes"))
	require.Len(t, dataOf(t, store, "other", 10), 3)
}

// A position is not used again while anything may still refer to it.
func TestPositionsAreNotUsedAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	store := openFile(t, path)
	began(t, store, "s")
	for range 3 {
		require.NoError(t, appending(t, store, "s", "old")())
	}
	require.NoError(t, store.EndTurn(t.Context(), leaseOf("s"), turn("c1", "s").Answer, &chat.End{At: 300}))
	// A sweep that a kill interrupted.
	require.NoError(t, store.Write(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM events`)
		return err
	}))
	require.NoError(t, store.Close())
	again := openFile(t, path)
	require.NoError(t, again.BeginTurn(t.Context(), ann, turn("c1", "t")))
	require.NoError(t, appending(t, again, "t", "a", "b")())
	require.NoError(t, appending(t, again, "t", "c")())
	require.NoError(t, again.Sweep(t.Context(), 300, 0))
	require.Len(t, dataOf(t, again, "t", 10), 3)
}
