package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// turn is a turn without events whose stream has this name.
func turn(chatID, name string) chat.Turn {
	return chat.Turn{
		StreamID: name,
		Question: wire.Message{ID: name + "-q", ChatID: chatID, Role: wire.RoleUser, Content: "question"},
		Answer:   wire.Message{ID: name + "-a", ChatID: chatID, Role: wire.RoleAssistant},
	}
}

func chunk(id int64, text string) []chat.Event {
	return []chat.Event{{ID: id, Type: wire.EventChunk, Data: fmt.Appendf(nil, `{"text":%q}`, text)}}
}

// copied copies a database as a process that is killed now would leave it.
func copied(t *testing.T, path string) string {
	t.Helper()
	left := filepath.Join(t.TempDir(), "chatsdk.db")
	for _, end := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + end)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(left+end, content, 0o600))
	}
	return left
}

// A process that is killed leaves the file with its write-ahead log. What a
// method had stored when it returned is there.
func TestKilledProcessLosesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	running := openFile(t, path)
	require.NoError(t, running.CreateChat(t.Context(), ann, wire.Chat{ChatID: "c1", Name: "N"}, nil))
	require.NoError(t, running.BeginTurn(t.Context(), ann, turn("c1", "s")))
	for id := range int64(10) {
		require.NoError(t, running.AppendEvents(t.Context(), stream.Lease{StreamID: "s", Epoch: 1}, chunk(1+id, "x")))
	}

	store := openFile(t, copied(t, path))
	broken, err := store.EndBrokenTurns(t.Context(), chat.End{At: 300})
	require.NoError(t, err)
	require.Len(t, broken, 1)
	history, err := store.ChatHistory(t.Context(), ann, "c1")
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("x", 10), history.Messages[1].Content)
	require.Equal(t, wire.FinishError, history.Messages[1].FinishReason)
}

func TestFullDiskLeavesNothingHalfDone(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "c1", Name: "N"}, nil))
	require.NoError(t, store.BeginTurn(t.Context(), ann, turn("c1", "s")))
	writer, _ := store.Pools()
	limit := func(pages int) {
		_, err := writer.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages))
		require.NoError(t, err)
	}
	limit(1) // SQLite takes the size that the file has
	big := turn("c1", "big")
	big.Question.Content = strings.Repeat("x", 1<<20)
	answer := turn("c1", "s").Answer
	answer.Content = big.Question.Content
	require.ErrorContains(t, store.BeginTurn(t.Context(), ann, big), "database or disk is full")
	require.ErrorContains(t, store.EndTurn(t.Context(), stream.Lease{StreamID: "s", Epoch: 1}, answer, &chat.End{At: 300}), "database or disk is full")
	require.Equal(t, map[string]int{"projects": 1, "chats": 1, "messages": 2, "streams": 1, "events": 0, "idempotency_keys": 0}, rows(t, store))

	limit(1 << 20)
	require.NoError(t, store.BeginTurn(t.Context(), ann, big))
	require.NoError(t, store.EndTurn(t.Context(), stream.Lease{StreamID: "s", Epoch: 1}, answer, &chat.End{At: 300}))
}

func TestNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "c1", Name: "N"}, nil))
	for i, name := range []string{"s", "t", "u"} {
		one := turn("c1", name)
		one.Key = &once.UsedKey{ID: once.ID{ProjectID: "project", UserID: "ann", Key: name}, Subject: name, At: float64(100 + i)}
		require.NoError(t, store.BeginTurn(t.Context(), ann, one))
		require.NoError(t, store.AppendEvents(t.Context(), stream.Lease{StreamID: name, Epoch: 1}, chunk(1, "x")))
	}
	require.NoError(t, store.EndTurn(t.Context(), stream.Lease{StreamID: "s", Epoch: 1}, turn("c1", "s").Answer, &chat.End{At: 300}))
	require.NoError(t, store.EndTurn(t.Context(), stream.Lease{StreamID: "t", Epoch: 1}, turn("c1", "t").Answer, &chat.End{At: 301}))
	require.Equal(t, map[string]int{"projects": 1, "chats": 1, "messages": 6, "streams": 3, "events": 3, "idempotency_keys": 3}, rows(t, store))
	require.NoError(t, store.Sweep(t.Context(), 300, 300))
	require.Equal(t, map[string]int{"projects": 1, "chats": 1, "messages": 6, "streams": 3, "events": 2, "idempotency_keys": 2}, rows(t, store))

	require.NoError(t, store.DeleteChat(t.Context(), ann, "c1", 300))
	require.NoError(t, store.Sweep(t.Context(), 300, 101)) // sweeps the streams, which keep their keys
	require.NoError(t, store.Sweep(t.Context(), 300, 101))
	require.Equal(t, map[string]int{"projects": 1, "chats": 0, "messages": 0, "streams": 0, "events": 0, "idempotency_keys": 1}, rows(t, store))
	require.NoError(t, store.Sweep(t.Context(), 400, 102))
	require.Zero(t, rows(t, store)["idempotency_keys"])
}

// A sweep takes more streams than fit into one transaction.
func TestSweepTakesAll(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "c1", Name: "N"}, nil))
	for i := range 130 {
		one := turn("c1", fmt.Sprint("s", i))
		one.Events = chunk(1, "x")
		require.NoError(t, store.BeginTurn(t.Context(), ann, one))
		require.NoError(t, store.EndTurn(t.Context(), stream.Lease{StreamID: one.StreamID, Epoch: 1}, one.Answer, &chat.End{At: 300}))
	}
	require.NoError(t, store.Sweep(t.Context(), 300, 0))
	require.Zero(t, rows(t, store)["events"])
	require.Equal(t, 130, rows(t, store)["streams"])
}

func TestChatKeepsItsMetadataAndOwner(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	metadata := `{ "b": 1e3, "a":"\u00e9é" , "a":0.10}`
	require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "ann's", Name: "N", Metadata: wire.JSON(metadata)}, nil))
	require.NoError(t, store.CreateChat(t.Context(), access.Scope{ProjectID: "project"}, wire.Chat{ChatID: "nobody's", Name: "N"}, nil))
	_, readers := store.Pools()
	var stored, owner *string
	row := readers.QueryRow("SELECT metadata, user_id FROM chats WHERE id = ?", "ann's")
	require.NoError(t, row.Scan(&stored, &owner))
	require.Equal(t, metadata, *stored)
	require.Equal(t, "ann", *owner)
	row = readers.QueryRow("SELECT metadata, user_id FROM chats WHERE id = ?", "nobody's")
	require.NoError(t, row.Scan(&stored, &owner))
	require.Nil(t, stored)
	require.Nil(t, owner)
}

func TestListNeedsALimit(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	for _, limit := range []int{0, -1} {
		_, err := store.ListChats(t.Context(), ann, 0, limit)
		require.EqualError(t, err, fmt.Sprintf("sqlite: list chats: limit is %d, want 1 or more", limit))
	}
}

func TestChunkWithoutTextIsAnError(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "c1", Name: "N"}, nil))
	require.NoError(t, store.BeginTurn(t.Context(), ann, turn("c1", "s")))
	bad := []chat.Event{{ID: 1, Type: wire.EventChunk, Data: []byte(`secret words`)}}
	require.NoError(t, store.AppendEvents(t.Context(), stream.Lease{StreamID: "s", Epoch: 1}, bad))
	_, err := store.ChatHistory(t.Context(), ann, "c1")
	require.ErrorContains(t, err, "sqlite: read chat c1: a chunk is not a JSON object with a text")
	require.NotContains(t, err.Error(), "secret")
	_, err = store.EndBrokenTurns(t.Context(), chat.End{At: 300})
	require.ErrorContains(t, err, "sqlite: end broken turns: message s-a: ")
}

// rows counts the rows of each table.
func rows(t *testing.T, store *sqlite.Store) map[string]int {
	t.Helper()
	_, readers := store.Pools()
	counts := map[string]int{}
	for _, table := range []string{"projects", "chats", "messages", "streams", "events", "idempotency_keys"} {
		var count int
		require.NoError(t, readers.QueryRow("SELECT count(*) FROM "+table).Scan(&count))
		counts[table] = count
	}
	return counts
}

func BenchmarkAppendEvents(b *testing.B) {
	for _, size := range []int64{1, 64} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "chatsdk.db"))
			require.NoError(b, err)
			require.NoError(b, store.CreateChat(b.Context(), ann, wire.Chat{ChatID: "c1", Name: "N"}, nil))
			require.NoError(b, store.BeginTurn(b.Context(), ann, turn("c1", "s")))
			last := int64(0)
			for b.Loop() {
				var events []chat.Event
				for range size {
					last++
					events = append(events, chunk(last, "hello ")...)
				}
				require.NoError(b, store.AppendEvents(b.Context(), stream.Lease{StreamID: "s", Epoch: 1}, events))
			}
			require.NoError(b, store.Close())
		})
	}
}
