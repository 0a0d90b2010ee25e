package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// hindrance makes a database unusable, and returns what makes it usable again.
type hindrance func(t *testing.T, store *sqlite.Store, path string) (end func())

func pragma(set, unset string) hindrance {
	return func(t *testing.T, store *sqlite.Store, _ string) func() {
		writer, _ := store.Pools()
		_, err := writer.Exec(set)
		require.NoError(t, err)
		return func() {
			_, err := writer.Exec(unset)
			require.NoError(t, err)
		}
	}
}

// locked is another program that holds the lock of the writer. The store waits for it only a moment.
func locked(t *testing.T, store *sqlite.Store, path string) func() {
	pragma("PRAGMA busy_timeout(1)", "")(t, store, path)
	other, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = other.Exec("BEGIN IMMEDIATE")
	require.NoError(t, err)
	return func() { require.NoError(t, other.Close()) }
}

var hindrances = []struct {
	name   string
	hinder hindrance
	told   string
}{
	{"another program has the lock", locked, "The database is locked by another program; try again in a moment"},
	{"there is no room", pragma("PRAGMA max_page_count(1)", "PRAGMA max_page_count(1000000)"), "The disk of the database is full; try again in a moment"},
	{"it may only be read", pragma("PRAGMA query_only(1)", "PRAGMA query_only(0)"),
		"The database can't be written: its file is read-only; try again in a moment"},
}

// A client tries again only if it is told that this may help.
func TestADatabaseThatCannotBeWrittenIsUnavailable(t *testing.T) {
	t.Parallel()
	for _, test := range hindrances {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "chatsdk.db")
			store := openFile(t, path)
			require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "c", Name: "N"}, nil))
			require.NoError(t, store.BeginTurn(t.Context(), ann, turn("c", "t")))
			lease := stream.Lease{StreamID: "t"}
			words := strings.Repeat("word ", 1000)
			end := test.hinder(t, store, path)
			require.True(t, fault.IsUnavailable(store.Probe(t.Context())))
			for name, err := range map[string]error{
				"create": store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "d", Name: words}, nil),
				"append": store.AppendEvents(t.Context(), lease, chunk(1, words)),
			} {
				require.True(t, fault.IsUnavailable(err), "%s: %v", name, err)
				require.Equal(t, test.told, fault.Of(err).Message, name)
				require.Equal(t, 2*time.Second, fault.Of(err).RetryAfter, name)
			}
			end()
			require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "d", Name: words}, nil))
			require.NoError(t, store.AppendEvents(t.Context(), lease, chunk(1, "on")))
			require.NoError(t, store.Ping(t.Context()))
		})
	}
}

// All that wait for the lock are told at once that they don't get it, not one after the other.
func TestWritesThatCannotBeginFailTogether(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	store := openFile(t, path)
	defer locked(t, store, path)()
	var all []func() error
	for n := range 12 {
		all = append(all, writing(t.Context(), store, n, nil))
	}
	errs := writeTogether(t, store, all)
	require.ErrorContains(t, errs[0], "SQLITE_BUSY")
	for _, err := range errs {
		require.Same(t, errs[0], err, "of one try to begin")
	}
}

// Writes that share a transaction with one that finds no room are stored whole, or not at all and
// told so. What the process knows of open streams is what the file has.
func TestWritesThatShareATransactionWithAFullDisk(t *testing.T) {
	t.Parallel()
	for _, spoils := range []int{0, 5, 11} {
		path := filepath.Join(t.TempDir(), "chatsdk.db")
		store := openFile(t, path)
		require.NoError(t, store.BeginTurn(t.Context(), ann, newTurn("first")))
		lease := stream.Lease{StreamID: "first", Epoch: 1}
		writer, _ := store.Pools()
		_, err := writer.Exec("PRAGMA max_page_count(1)")
		require.NoError(t, err)
		var all []func() error
		for n := range 12 {
			switch {
			case n == spoils:
				all = append(all, func() error {
					return store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "big", Name: strings.Repeat("word ", 100_000)}, nil)
				})
			case n%3 == 0:
				all = append(all, func() error { return store.AppendEvents(t.Context(), lease, chunk(1, fmt.Sprint("word", n))) })
			default:
				all = append(all, func() error { return store.BeginTurn(t.Context(), ann, newTurn(fmt.Sprint("t", n))) })
			}
		}
		said := 0
		var begun []string
		for n, err := range writeTogether(t, store, all) {
			switch {
			case err != nil:
				require.True(t, fault.IsUnavailable(err), "%d: %v", n, err)
				require.Contains(t, fault.Of(err).Message, "The disk of the database is full")
			case n%3 == 0:
				said++
			default:
				begun = append(begun, fmt.Sprint("t", n))
			}
		}
		_, err = writer.Exec("PRAGMA max_page_count(1000000)")
		require.NoError(t, err)
		again := openFile(t, copied(t, path)) // as the next start finds it
		for _, one := range []*sqlite.Store{store, again} {
			events, err := one.Events(t.Context(), "first", 0, 100)
			require.NoError(t, err)
			require.Len(t, events, said)
			list, err := one.ListChats(t.Context(), ann, 0, 100)
			require.NoError(t, err)
			require.Len(t, list.Chats, 1+len(begun))
			require.NoError(t, one.AppendEvents(t.Context(), lease, chunk(1, "on")))
			for _, id := range begun {
				require.NoError(t, one.AppendEvents(t.Context(), stream.Lease{StreamID: id, Epoch: 1}, chunk(1, "on")))
			}
		}
	}
}

// newTurn is a turn in a new chat.
func newTurn(name string) chat.Turn {
	one := turn("chat-"+name, name)
	one.NewChat = &wire.Chat{ChatID: "chat-" + name, Name: "N"}
	return one
}
