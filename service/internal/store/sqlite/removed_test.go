package sqlite_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

// muchDeleted stores more than a megabyte of each kind, for a test that deletes it.
var muchDeleted = map[string]struct {
	fill   func(t *testing.T, store *sqlite.Store, text string)
	remove func(ctx context.Context, store *sqlite.Store) error
	await  func(store *sqlite.Store, ctx context.Context)
}{
	"a chat": {
		func(t *testing.T, store *sqlite.Store, text string) {
			require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "much"}, nil))
			one := turn("much", "much")
			one.Question.Content = text
			require.NoError(t, store.BeginTurn(t.Context(), ann, one))
		},
		func(ctx context.Context, store *sqlite.Store) error { return store.DeleteChat(ctx, ann, "much", 200) },
		(*sqlite.Store).ChatsRemoved,
	},
	"a document": {
		func(t *testing.T, store *sqlite.Store, text string) {
			d := knowledge.Document{Key: "much", ProjectID: "project", Name: "much.txt", Status: wire.DocumentQueued, Size: int64(len(text)), CreatedAt: 100}
			require.NoError(t, store.AddDocument(t.Context(), d, nil, nil))
			require.NoError(t, store.FinishDocument(t.Context(), "much", read.Document{Text: text}, []split.Passage{{End: 1, Text: "zzmuch"}}))
		},
		func(ctx context.Context, store *sqlite.Store) error {
			return store.DeleteDocuments(ctx, "project", []string{"much"}, 200)
		},
		(*sqlite.Store).DocumentsRemoved,
	},
	"a user's memories": {
		func(t *testing.T, store *sqlite.Store, text string) {
			var all []wire.Memory
			for n := range 64 {
				all = append(all, wire.Memory{ID: fmt.Sprint("much", n), MemoryContent: text[:len(text)/64], MemoryType: wire.MemoryFact,
					Status: wire.MemoryApproved, ApprovedAt: 100})
			}
			require.NoError(t, store.ChangeMemories(t.Context(), goes, "", func(memory.State) (memory.Changes, error) {
				return memory.Changes{Added: all}, nil
			}))
		},
		func(ctx context.Context, store *sqlite.Store) error {
			_, err := store.DeleteMemories(ctx, goes, memory.Receipt{By: "ann", At: 2})
			return err
		},
		(*sqlite.Store).MemoriesRemoved,
	},
}

// Whoever has deleted much waits for its removal, and then it is in no file. Others don't wait, and nobody
// waits longer than they want to.
func TestTheRemovalOfMuchIsAwaited(t *testing.T) {
	t.Parallel()
	for name, one := range muchDeleted {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := openNew(t)
			one.fill(t, store, strings.Repeat("zzmuch ", 1<<20/7+64))
			one.await(store, t.Context()) // nothing was deleted
			require.NoError(t, one.remove(t.Context(), store))
			for other, kind := range muchDeleted {
				if other != name {
					kind.await(store, t.Context())
				}
			}
			leaving, leave := context.WithCancel(t.Context())
			left, removed := make(chan struct{}), make(chan []string)
			go func() { one.await(store, leaving); close(left) }()
			go func() { one.await(store, t.Context()); removed <- filesHold(t, pathOf(t, store), "zzmuch") }()
			for store.Awaited() < 2 {
				runtime.Gosched()
			}
			leave()
			<-left
			require.NoError(t, store.Sweep(t.Context(), 0, 0))
			require.Empty(t, <-removed)
			one.await(store, t.Context()) // nothing is left
		})
	}
}

// The removal of little is not awaited: here nobody sweeps.
func TestTheRemovalOfLittleIsNotAwaited(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	fillWithMarks(t, store)
	deleteMarked(t, store)
	for _, kind := range muchDeleted {
		kind.await(store, t.Context())
	}
	require.Zero(t, store.Awaited())
}

// A document that is deleted while a long one is being removed is removed after it, without another wake-up.
func TestADeletionDuringALongRemovalIsCarriedOut(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	fillWithMarks(t, store)
	addLong(t, store, "long")
	require.NoError(t, store.DeleteDocuments(t.Context(), "project", []string{"long"}, 200))
	_, readers := store.Pools()
	swept := make(chan error, 1)
	go func() { swept <- store.Sweep(t.Context(), 0, 0) }()
	for left := 160; left == 160; runtime.Gosched() {
		require.NoError(t, readers.QueryRow(`SELECT count(*) FROM passages WHERE document_key = 'long'`).Scan(&left))
	}
	require.NoError(t, store.DeleteDocuments(t.Context(), "project", []string{"doc-goes"}, 200))
	require.NoError(t, <-swept)
	require.True(t, isWoken(store))
	require.NoError(t, store.Sweep(t.Context(), 0, 0))
	require.Empty(t, filesHold(t, pathOf(t, store), "zzmarkertext"))
}
