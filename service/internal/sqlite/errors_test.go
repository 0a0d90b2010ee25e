package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/sqlite"
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
