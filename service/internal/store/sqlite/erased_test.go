package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

// isWoken reports whether something has waited for a Sweep.
func isWoken(store *sqlite.Store) bool {
	select {
	case <-store.Erased():
		return true
	default:
		return false
	}
}

// Whatever removes or replaces what somebody wrote wakes the sweep, and after the sweep it is in no
// file. Nothing else wakes it.
func TestEachKindOfDeletionWakesTheSweep(t *testing.T) {
	t.Parallel()
	rejected := func(state memory.State) (memory.Changes, error) {
		m := state.Memories[0]
		m.Status, m.RejectedAt, m.RejectReason, m.MemoryContent = wire.MemoryRejected, 1, "expired", "something else"
		return memory.Changes{Updated: []wire.Memory{m}, Edited: []string{m.ID}}, nil
	}
	tests := []struct {
		name  string
		do    func(context.Context, *sqlite.Store) error
		words []string
	}{
		{"a chat", func(ctx context.Context, s *sqlite.Store) error { return s.DeleteChat(ctx, ann, "chat-goes", 200) },
			[]string{"zzmarkerchat", "zzmarkermeta", "zzmarkerquestion", "zzmarkeranswer", "zzmarkerimage", "zzmarkerasked", "zzmarkerround",
				"zzmarkercall", "zzmarkerresult"}},
		{"a name", func(ctx context.Context, s *sqlite.Store) error {
			_, err := s.RenameChat(ctx, ann, "chat-goes", "another", 200)
			return err
		},
			[]string{"zzmarkerchat"}},
		{"a document", func(ctx context.Context, s *sqlite.Store) error {
			return s.DeleteDocuments(ctx, "project", []string{"doc-goes"}, 200)
		}, []string{"zzmarkertext", "zzmarkertitle", "zzmarkerfile"}},
		{"a memory", func(ctx context.Context, s *sqlite.Store) error {
			return s.DeleteMemory(ctx, goes, "mem-goes", nil, memory.Receipt{By: "ann", At: 2})
		}, []string{"zzmarkermemory", "zzmarkertrigger", "zzmarkeredit"}},
		{"memories of a user", func(ctx context.Context, s *sqlite.Store) error {
			_, err := s.DeleteMemories(ctx, goes, memory.Receipt{By: "ann", At: 2})
			return err
		}, []string{"zzmarkermemory", "zzmarkertrigger", "zzmarkeredit"}},
		{"an edited memory", func(ctx context.Context, s *sqlite.Store) error { return s.ChangeMemories(ctx, goes, "", rejected) },
			[]string{"zzmarkermemory"}},
		{"a memory whose time is over", func(ctx context.Context, s *sqlite.Store) error {
			if err := s.ChangeMemories(ctx, goes, "", rejected); err != nil {
				return err
			}
			isWoken(s)
			return s.SweepMemories(ctx, 100)
		}, []string{"zzmarkermemory", "zzmarkertrigger", "zzmarkeredit"}},
		{"pending memories of an edited question", func(ctx context.Context, s *sqlite.Store) error {
			pending := wire.Memory{ID: "waits", MemoryContent: "zzmarkerwaits", MemoryType: wire.MemoryFact, Status: wire.MemoryPending,
				ExpiresAt: 1e12, SourceMessageID: "goes-q", TriggeringMessage: "zzmarkerwaits"}
			err := s.ChangeMemories(ctx, goes, "", func(memory.State) (memory.Changes, error) {
				return memory.Changes{Added: []wire.Memory{pending}}, nil
			})
			if err != nil {
				return err
			}
			edit := turn("chat-goes", "edit")
			edit.Edits = "goes-q"
			return s.BeginTurn(ctx, ann, edit)
		}, []string{"zzmarkerwaits"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			store := openNew(t)
			fillWithMarks(t, store)
			isWoken(store)
			require.NoError(t, store.Sweep(t.Context(), 0, 0))
			fill(t, store, "another", "plainword")
			require.False(t, isWoken(store), "nothing was deleted")
			require.NoError(t, test.do(t.Context(), store))
			require.True(t, isWoken(store))
			require.NoError(t, store.Sweep(t.Context(), 0, 0))
			require.Empty(t, filesHold(t, pathOf(t, store), test.words...))
		})
	}
}

// Somebody reads at any moment, and still the log is emptied.
func TestDeletedTextIsInNoFileThoughOthersRead(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	words := fillWithMarks(t, store)
	ctx, cancel := context.WithCancel(t.Context())
	var reading sync.WaitGroup
	defer reading.Wait()
	defer cancel()
	_, readers := store.Pools()
	var begun [2]atomic.Int64
	for n := range begun {
		reading.Go(func() {
			for ctx.Err() == nil {
				tx, err := readers.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
				if err != nil {
					panic(err)
				}
				_ = tx.QueryRow(`SELECT count(*) FROM messages`).Scan(new(int)) // takes the snapshot
				mine := begun[n].Add(1)
				for begun[1-n].Load() < mine && ctx.Err() == nil && !store.KeepsOut() {
					runtime.Gosched() // it ends when the other one has begun
				}
				_ = tx.Rollback()
			}
		})
	}
	deleteMarked(t, store)
	require.NoError(t, store.Sweep(t.Context(), 0, 0))
	require.Empty(t, filesHold(t, pathOf(t, store), words...))
}

// longReader begins a transaction that sees all messages as they are now.
func longReader(t *testing.T, store *sqlite.Store) *sql.Tx {
	t.Helper()
	_, readers := store.Pools()
	tx, err := readers.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	require.NoError(t, err)
	require.NoError(t, tx.QueryRow(`SELECT count(*) FROM messages`).Scan(new(int))) // takes the snapshot
	return tx
}

// deletedUnderAReader returns a store with deleted words, which a long reader keeps in its files. Nothing waits to wake the sweep.
func deletedUnderAReader(t *testing.T) (store *sqlite.Store, words []string, reader *sql.Tx) {
	t.Helper()
	store = openNew(t)
	words = fillWithMarks(t, store)
	reader = longReader(t, store)
	deleteMarked(t, store)
	isWoken(store)
	return store, words, reader
}

// removedOnceReadersLeave ends a reader. The store then asks for a sweep, which removes the words.
func removedOnceReadersLeave(t *testing.T, store *sqlite.Store, words []string, reader *sql.Tx) {
	t.Helper()
	require.NoError(t, reader.Rollback())
	<-store.Erased()
	require.NoError(t, store.Sweep(t.Context(), 0, 0))
	require.Empty(t, filesHold(t, pathOf(t, store), words...))
}

// A reader that takes long keeps what it sees in the log. The sweep doesn't wait for it, but comes
// back.
func TestALongReaderDelaysTheRemoval(t *testing.T) {
	t.Parallel()
	store, words, tx := deletedUnderAReader(t)
	require.NoError(t, store.Sweep(t.Context(), 0, 0))
	require.NotEmpty(t, filesHold(t, pathOf(t, store), words...))
	removedOnceReadersLeave(t, store, words, tx)
}

// A service that ends at once after a deletion has removed it.
func TestEraseRemovesWhatNoSweepHas(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	words := fillWithMarks(t, store)
	path := pathOf(t, store)
	deleteMarked(t, store)
	require.NoError(t, store.Erase(t.Context()))
	require.Empty(t, filesHold(t, path, words...))
	require.NoError(t, store.Close())
	require.Empty(t, filesHold(t, path, words...))
}

// The removal of a long document from the index takes long. Others' deletions don't wait for it.
func TestALongRemovalLetsOthersThrough(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	fillWithMarks(t, store)
	var passages []split.Passage
	for n := range 3000 {
		passages = append(passages, split.Passage{Start: n, End: n + 1, Text: strings.Repeat(fmt.Sprint("word", n, " "), 40)})
	}
	d := knowledge.Document{Key: "long", ProjectID: "project", Name: "long.txt", Kind: read.Markdown, Status: wire.DocumentQueued, CreatedAt: 100}
	require.NoError(t, store.AddDocument(t.Context(), d, nil, nil))
	require.NoError(t, store.FinishDocument(t.Context(), "long", read.Document{Kind: read.Markdown}, passages))
	require.NoError(t, store.DeleteDocuments(t.Context(), "project", []string{"long"}, 200))
	writer, _ := store.Pools()
	_, err := writer.Exec(`CREATE TRIGGER noted AFTER DELETE ON chats BEGIN
		INSERT INTO projects VALUES ('left', (SELECT count(*) FROM passages WHERE document_key = 'long')); END`)
	require.NoError(t, err)
	left := func() (count int) {
		_, readers := store.Pools()
		require.NoError(t, readers.QueryRow(`SELECT count(*) FROM passages WHERE document_key = 'long'`).Scan(&count))
		return count
	}
	swept := make(chan error, 1)
	go func() { swept <- store.Sweep(t.Context(), 0, 0) }()
	for left() == len(passages) {
		runtime.Gosched()
	}
	require.NoError(t, store.DeleteChat(t.Context(), ann, "chat-goes", 200))
	require.NoError(t, <-swept)
	require.Zero(t, left())
	var then int
	require.NoError(t, writer.QueryRow(`SELECT last_place FROM projects WHERE id = 'left'`).Scan(&then))
	require.NotZero(t, then, "of the passages were left when the chat was removed")
}

// The merge of a large index takes long too, and others' deletions don't wait for it either.
func TestAMergeOfTheIndexLetsOthersThrough(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	words := fillWithMarks(t, store)
	require.NoError(t, store.DeleteDocuments(t.Context(), "project", []string{"doc-goes"}, 200))
	require.NoError(t, store.DeleteChat(t.Context(), ann, "chat-goes", 200))
	require.NoError(t, store.MergeIndex(t.Context()))
	require.Empty(t, filesHold(t, pathOf(t, store), words[:5]...), "of the chat")
}

// While the log can't be emptied, deleted text is there anyway: the whole file isn't read again at each try.
func TestAFullLogSparesReadingTheFile(t *testing.T) {
	t.Parallel()
	store, words, tx := deletedUnderAReader(t)
	readable := store.Unreadable()
	require.NoError(t, store.Sweep(t.Context(), 0, 0))
	readable()
	removedOnceReadersLeave(t, store, words, tx)
}

// A clean stop waits for a reader who is still there.
func TestEraseWaitsForALongReader(t *testing.T) {
	t.Parallel()
	store, words, tx := deletedUnderAReader(t)
	erased := make(chan error, 1)
	go func() { erased <- store.Erase(t.Context()) }()
	for !store.KeepsOut() {
		runtime.Gosched() // until it has tried
	}
	for store.KeepsOut() {
		runtime.Gosched() // until it has given up once
	}
	require.NoError(t, tx.Rollback())
	require.NoError(t, <-erased)
	require.Empty(t, filesHold(t, pathOf(t, store), words...))
}
