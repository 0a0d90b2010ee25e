package sqlite_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// talk stores a chat of that many questions with their answers.
func talk(t *testing.T, store *sqlite.Store, chatID string, questions int) {
	t.Helper()
	require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: chatID, Name: "N"}, nil))
	for n := range questions {
		one := turn(chatID, fmt.Sprint(chatID, "-", n))
		one.Events = chunk(1, "x")
		require.NoError(t, store.BeginTurn(t.Context(), ann, one))
		require.NoError(t, store.EndTurn(t.Context(), stream.Lease{StreamID: one.StreamID, Epoch: 1}, one.Answer, &chat.End{At: 300}))
	}
}

// breakPages overwrites the leaf pages of a table or an index in the file, so that whoever reads
// them fails.
func breakPages(t *testing.T, store *sqlite.Store, path, name string) {
	t.Helper()
	_, readers := store.Pools()
	rows, err := readers.Query(`SELECT pageno, pgsize FROM dbstat WHERE name = ? AND pagetype = 'leaf'`, name)
	require.NoError(t, err)
	defer rows.Close()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	broken := 0
	for rows.Next() {
		var page, size int64
		require.NoError(t, rows.Scan(&page, &size))
		content := make([]byte, size)
		for n := range content {
			content[n] = 0xff
		}
		_, err := file.WriteAt(content, (page-1)*size)
		require.NoError(t, err)
		broken++
	}
	require.NoError(t, rows.Err())
	require.Greater(t, broken, 10)
}

// However long a chat is, hiding it reads none of its messages: they are found to be unreadable later.
func TestDeletingAChatReadsNoMessages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	first := openFile(t, path)
	talk(t, first, "long", 400)
	require.NoError(t, first.BeginTurn(t.Context(), ann, turn("long", "open")))
	require.NoError(t, first.Sweep(t.Context(), 0, 0))
	path = copied(t, path)
	again := openFile(t, path) // nothing is in its memory
	for _, name := range []string{"messages", "messages_beside", "sqlite_autoindex_messages_1"} {
		breakPages(t, again, path, name)
	}
	require.NoError(t, again.DeleteChat(t.Context(), ann, "long", 400))
	require.ErrorContains(t, again.Sweep(t.Context(), 0, 0), "malformed", "that reads them")
}

// The newest message of a branch is looked for before the writer is needed.
func TestSelectingABranchWalksOutsideTheWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	first := openFile(t, path)
	talk(t, first, "long", 400)
	require.NoError(t, first.Sweep(t.Context(), 0, 0))
	path = copied(t, path)
	again := openFile(t, path)
	writer, _ := again.Pools()
	busy, err := writer.Conn(t.Context())
	require.NoError(t, err)
	selected := make(chan error, 1)
	var last string
	go func() {
		var err error
		last, err = again.SelectBranch(t.Context(), ann, "long", "long-0-q", nil)
		selected <- err
	}()
	for again.Waiting() == 0 {
		runtime.Gosched()
	}
	breakPages(t, again, path, "messages_beside")
	require.NoError(t, busy.Close())
	require.NoError(t, <-selected)
	require.Equal(t, "long-399-a", last)
}

// A message that comes between the look and the choice is chosen.
func TestABranchThatGrowsIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	talk(t, store, "c", 2)
	var last string
	errs := writeTogether(t, store, []func() error{
		func() error { return store.BeginTurn(t.Context(), ann, turn("c", "new")) },
		func() (err error) {
			last, err = store.SelectBranch(t.Context(), ann, "c", "c-0-q", nil)
			return err
		},
	})
	require.Equal(t, []error{nil, nil}, errs)
	require.Equal(t, "new-a", last)
	history, err := store.ChatHistory(t.Context(), ann, "c")
	require.NoError(t, err)
	require.Equal(t, "new-a", history.Messages[len(history.Messages)-1].ID)
}

// transactions returns how many pages each transaction in a write-ahead log has written
// (https://www.sqlite.org/fileformat2.html#walformat).
func transactions(t *testing.T, path string) (pages []int) {
	t.Helper()
	content, err := os.ReadFile(path + "-wal")
	require.NoError(t, err)
	const head, frameHead = 32, 24
	size := int(binary.BigEndian.Uint32(content[8:]))
	salts := string(content[16:24])
	count := 0
	for at := head; at+frameHead+size <= len(content) && string(content[at+8:at+16]) == salts; at += frameHead + size {
		count++
		if binary.BigEndian.Uint32(content[at+4:]) != 0 { // the last frame of a transaction
			pages, count = append(pages, count), 0
		}
	}
	return pages
}

// mostPages deletes n of everything, and returns how many pages the largest transaction has written,
// first of those that hide things, then of those that remove them.
func mostPages(t *testing.T, n int) (hiding, removing int) {
	t.Helper()
	store := openNew(t)
	ctx := t.Context()
	writer, readers := store.Pools()
	talk(t, store, "goes", n)
	talk(t, store, "asks", n)
	owner := memory.Owner{ProjectID: "project", AgentID: "assistant", UserID: "ann"}
	for _, one := range []memory.Owner{owner, {ProjectID: "project", AgentID: "other", UserID: "ann"}} {
		_, err := writer.Exec(`
			INSERT INTO memory_jobs (message_id, stream_id, project_id, agent_id, user_id, failures, due)
			SELECT id, 's', ?, ?, ?, 0, 0 FROM messages
			WHERE chat_id = 'asks' AND role = iif(?2 = 'other', 'assistant', 'user')`, one.ProjectID, one.AgentID, one.UserID)
		require.NoError(t, err)
	}
	require.NoError(t, store.ChangeMemories(ctx, owner, "", func(memory.State) (changes memory.Changes, _ error) {
		for m := range n {
			changes.Added = append(changes.Added, wire.Memory{
				ID: fmt.Sprint("m", m), MemoryContent: fmt.Sprint("User likes ", m), MemoryType: wire.MemoryFact, Status: wire.MemoryApproved,
				SourceMessageID: fmt.Sprint("goes-", m, "-q"),
			})
		}
		return changes, nil
	}))
	var passages []split.Passage
	for m := range n {
		passages = append(passages, split.Passage{Start: m, End: m + 1, Text: fmt.Sprint("word", m, " and more of it")})
	}
	d := knowledge.Document{Key: "d", ProjectID: "project", Name: "d.md", Kind: read.Markdown, Status: wire.DocumentQueued, CreatedAt: 100}
	require.NoError(t, store.AddDocument(ctx, d, make([]byte, n), nil))
	require.NoError(t, store.FinishDocument(ctx, "d", read.Document{Kind: read.Markdown}, passages))
	require.NoError(t, store.Sweep(ctx, 0, 0))

	_, err := writer.Exec(`PRAGMA wal_autocheckpoint = 0`)
	require.NoError(t, err)
	reader, err := readers.Begin() // keeps the log from beginning anew
	require.NoError(t, err)
	require.NoError(t, reader.QueryRow(`SELECT count(*) FROM chats`).Scan(new(int)))
	off := false
	_, err = store.SetMemorySettings(ctx, "project", "other", wire.MemorySettings{MemoryEnabled: &off})
	require.NoError(t, err)
	require.NoError(t, store.DeleteMemory(ctx, owner, "m0", nil, memory.Receipt{By: "ann", At: 2}))
	_, err = store.DeleteMemories(ctx, owner, memory.Receipt{By: "ann", At: 2})
	require.NoError(t, err)
	require.NoError(t, store.DeleteDocuments(ctx, "project", []string{"d"}, 400))
	require.NoError(t, store.DeleteChat(ctx, ann, "goes", 400))
	hidden := transactions(t, pathOf(t, store))
	require.NoError(t, store.Sweep(ctx, 0, 0))
	var left int
	require.NoError(t, readers.QueryRow(`
		SELECT (SELECT count(*) FROM memory_jobs) + (SELECT count(*) FROM memories) + (SELECT count(*) FROM passages)
			+ (SELECT count(*) FROM messages WHERE chat_id = 'goes')`).Scan(&left))
	require.Zero(t, left)
	require.NoError(t, reader.Rollback())
	all := transactions(t, pathOf(t, store))
	return slices.Max(hidden), slices.Max(all[len(hidden):])
}

// Deletions of any size work in transactions of one size. A step of up to sweepRows rows touches a few
// pages for each, and fewer if the indexes are small.
func TestNoTransactionGrowsWithWhatItDeletes(t *testing.T) {
	t.Parallel()
	few, some := mostPages(t, 200)
	many, more := mostPages(t, 1200)
	require.Less(t, many, 3*few)
	require.Less(t, max(some, more), sqlite.SweepRows)
}
