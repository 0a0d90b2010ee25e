package sqlite_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

func TestPragmasHoldForEveryConnection(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	writer, readers := store.Pools()
	for range 2 {
		for _, conn := range connections(t, writer, 1) {
			requirePragmas(t, conn, map[string]string{
				"journal_mode": "wal", "foreign_keys": "1", "busy_timeout": "5000", "query_only": "0", "synchronous": "1",
			})
		}
		for _, conn := range connections(t, readers, sqlite.Readers) {
			requirePragmas(t, conn, map[string]string{
				"journal_mode": "wal", "foreign_keys": "1", "busy_timeout": "5000", "query_only": "1",
			})
		}
	}
	require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "c1", Name: "N"}, nil))
	require.NoError(t, store.BeginTurn(t.Context(), ann, turn("c1", "t")))
	require.NoError(t, store.AppendEvents(t.Context(), stream.Lease{StreamID: "t", Epoch: 1}, []chat.Event{{ID: 1, Type: wire.EventChunk, Data: []byte("{}")}}),
		"the new connection prepares the statements again")
}

// connections takes all connections of a pool. requirePragmas drops each of them, so that the pool
// opens new ones.
func connections(t *testing.T, pool *sql.DB, count int) []*sql.Conn {
	t.Helper()
	require.Equal(t, count, pool.Stats().MaxOpenConnections)
	var all []*sql.Conn
	for range count {
		conn, err := pool.Conn(t.Context())
		require.NoError(t, err)
		all = append(all, conn)
	}
	return all
}

func requirePragmas(t *testing.T, conn *sql.Conn, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for pragma := range want {
		var value string
		require.NoError(t, conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&value))
		got[pragma] = value
	}
	require.Equal(t, want, got)
	require.ErrorIs(t, conn.Raw(func(any) error { return driver.ErrBadConn }), driver.ErrBadConn) // drops it
}

func TestReadersDoNotWaitForTheWriter(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "c1", Name: "N"}, nil))
	writer, _ := store.Pools()
	tx, err := writer.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = tx.Exec("DELETE FROM chats")
	require.NoError(t, err)

	page, err := store.ListChats(t.Context(), ann, 0, 10)
	require.NoError(t, err)
	require.Len(t, page.Chats, 1, "it reads what was committed")
	_, err = store.ChatHistory(t.Context(), ann, "c1")
	require.NoError(t, err)
	require.NoError(t, tx.Commit())
	_, err = store.ChatHistory(t.Context(), ann, "c1")
	require.ErrorIs(t, err, fault.ErrNotFound)
}

func TestWritersWaitUntilTheirContextEnds(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	writer, _ := store.Pools()
	busy, err := writer.Conn(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error, 1)
	go func() { waiting <- store.CreateChat(ctx, ann, wire.Chat{ChatID: "c1", Name: "N"}, nil) }()
	cancel()
	require.ErrorIs(t, <-waiting, context.Canceled)
	require.ErrorIs(t, store.Ping(ctx), context.Canceled)
	require.NoError(t, busy.Close())
	require.NoError(t, store.Ping(t.Context()))
}

// A transaction that takes the lock at its first write can fail there, when
// another process took it in between.
func TestWriterTakesTheLockAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	writer, _ := openFile(t, path).Pools()
	other, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer other.Close()
	tx, err := writer.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = other.Exec("BEGIN IMMEDIATE")
	require.ErrorContains(t, err, "SQLITE_BUSY")
	require.NoError(t, tx.Rollback())
}

func TestPingFailsWhenNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	writer, _ := store.Pools()
	_, err := writer.Exec("PRAGMA query_only(1)")
	require.NoError(t, err)
	require.Error(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "c1", Name: "N"}, nil))
	require.ErrorContains(t, store.Ping(t.Context()), "sqlite: ping the database: attempt to write a readonly database")
	_, err = writer.Exec("PRAGMA query_only(0)")
	require.NoError(t, err)
	require.NoError(t, store.Ping(t.Context()))
}

// Anybody may ping, as often as they like. Nobody waits for it, and it waits for nobody.
func TestPingWaitsForNoWriter(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	writing, end := make(chan struct{}), make(chan struct{})
	var held sync.WaitGroup
	held.Go(func() {
		_ = store.Write(t.Context(), func(context.Context, *sql.Tx) error { close(writing); <-end; return nil })
	})
	<-writing
	require.NoError(t, store.Ping(t.Context()))
	close(end)
	held.Wait()
}

// Twenty clients that ping without a pause cost writers nothing: one write a second, if there is no
// other.
func TestPingsShareOneProbe(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	store.Fresh(time.Hour)
	require.NoError(t, store.Ping(t.Context()))
	require.Zero(t, store.Probed(), "it was written when it was opened")
	store.Fresh(0)
	require.NoError(t, store.Ping(t.Context()))
	probed := store.Probed()
	require.NotZero(t, probed)
	store.Fresh(time.Hour)
	var pinging sync.WaitGroup
	failures := make([]error, 20)
	for n := range failures {
		pinging.Go(func() { failures[n] = store.Ping(t.Context()) })
	}
	pinging.Wait()
	require.Equal(t, make([]error, len(failures)), failures)
	require.Equal(t, probed, store.Probed())
}

func TestReadersCannotWrite(t *testing.T) {
	t.Parallel()
	_, readers := openNew(t).Pools()
	_, err := readers.Exec("DELETE FROM chats")
	require.ErrorContains(t, err, "readonly")
}

func TestPingFailsWhenClosed(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "chatsdk.db"))
	require.NoError(t, err)
	require.NoError(t, store.Ping(t.Context()))
	require.NoError(t, store.Close())
	require.ErrorContains(t, store.Ping(t.Context()), "sqlite: ping the database: ")
}
