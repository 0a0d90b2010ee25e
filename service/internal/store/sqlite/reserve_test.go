package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// ask stores a question of 20,000 characters with its answer, in a chat of its own.
func ask(t *testing.T, store *sqlite.Store, name string) error {
	one := turn("", name)
	one.NewChat = &wire.Chat{ChatID: "chat-" + name, Name: "N"}
	one.Question.ChatID, one.Answer.ChatID = one.NewChat.ChatID, one.NewChat.ChatID
	one.Question.Content = strings.Repeat("word ", 4000)
	one.Events = chunk(1, "x")
	if err := store.BeginTurn(t.Context(), ann, one); err != nil {
		return err
	}
	return store.EndTurn(t.Context(), stream.Lease{StreamID: name, Epoch: 1}, one.Answer, &chat.End{At: 300})
}

// askUntilFull asks until there is no room, and returns how often it worked.
func askUntilFull(t *testing.T, store *sqlite.Store, name string) (asked int) {
	t.Helper()
	for failed := 0; asked < 1000; {
		err := ask(t, store, fmt.Sprint(name, asked, "-", failed))
		if err == nil {
			asked, failed = asked+1, 0
			continue
		}
		require.True(t, fault.IsUnavailable(err), "%v", err)
		require.Contains(t, fault.Of(err).Message, "The disk of the database is full")
		if failed++; failed == 3 { // after the first time, the log is cut, which may give room
			return asked
		}
	}
	t.Fatal("the disk is never full")
	return 0
}

func requireIntact(t *testing.T, store *sqlite.Store) {
	t.Helper()
	_, readers := store.Pools()
	var said string
	require.NoError(t, readers.QueryRow("PRAGMA integrity_check").Scan(&said))
	require.Equal(t, "ok", said)
}

// A full disk refuses what needs room. Who deletes makes room, also for others.
func TestDeletionsWorkOnAFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	store := openFile(t, path)
	store.Fresh(0)
	var room atomic.Int64
	room.Store(1 << 40)
	store.Room(room.Load)
	info, err := os.Stat(path + "-reserve")
	require.NoError(t, err)
	require.Equal(t, int64(4<<20), info.Size())
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	for n := range 5 {
		require.NoError(t, ask(t, store, fmt.Sprint("first", n, "-0")))
	}
	require.NoError(t, store.Ping(t.Context()))

	room.Store(1000)
	askUntilFull(t, store, "more")
	_, err = os.Stat(path + "-reserve")
	require.ErrorIs(t, err, os.ErrNotExist, "its room is for deletions now")
	err = store.Ping(t.Context())
	require.True(t, fault.IsUnavailable(err), "%v", err)
	require.Contains(t, fault.Of(err).Message, "The disk of the database is full")
	for n := range 4 {
		require.NoError(t, store.DeleteChat(t.Context(), ann, fmt.Sprint("chat-first", n, "-0"), 400))
	}
	require.NoError(t, store.Sweep(t.Context(), 0, 0))
	require.NoError(t, store.Ping(t.Context()))
	require.NotZero(t, askUntilFull(t, store, "again"), "into the pages that are free now")

	room.Store(1 << 40)
	require.NoError(t, ask(t, store, "at last"))
	_, err = os.Stat(path + "-reserve")
	require.NoError(t, err, "it is set aside again")
	requireIntact(t, store)
}

// The same with a file system that is full, which may fail at any write.
func TestDeletionsWorkOnAFullFileSystem(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := mount(folder, "6m"); err != nil {
		if errors.Is(err, os.ErrPermission) && os.Getenv("CI") == "" {
			t.Skip("only root may mount a small file system")
		}
		require.NoError(t, err)
	}
	t.Cleanup(func() { require.NoError(t, unmount(folder)) })
	path := filepath.Join(folder, "chatsdk.db")
	store := openFile(t, path)
	store.Fresh(0)
	require.Greater(t, askUntilFull(t, store, "first"), 20)
	require.Error(t, store.Ping(t.Context()))
	filler, err := os.Create(filepath.Join(folder, "filler"))
	require.NoError(t, err)
	for n := range 10 {
		require.NoError(t, store.DeleteChat(t.Context(), ann, fmt.Sprint("chat-first", n, "-0"), 400))
		require.NoError(t, store.Sweep(t.Context(), 0, 0))
	}
	require.NoError(t, store.Ping(t.Context()))
	require.NotZero(t, askUntilFull(t, store, "again"))
	require.NoError(t, store.DeleteChat(t.Context(), ann, "chat-first11-0", 400))
	require.NoError(t, filler.Close())
	requireIntact(t, store)

	require.NoError(t, mount(folder, "remount,size=40m"))
	for n := range 100 {
		require.NoError(t, ask(t, store, fmt.Sprint("last", n)))
	}
	require.NoError(t, store.Ping(t.Context()))
	require.FileExists(t, path+"-reserve")
	requireIntact(t, store)
}

// The next start on a full disk has the room that a killed process had set aside.
func TestAKilledProcessLeavesRoomForTheNextStart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	openFile(t, path)
	again := openFile(t, copied(t, path))
	require.NoError(t, ask(t, again, "t"))
}
