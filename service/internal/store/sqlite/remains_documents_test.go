package sqlite_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

// addLong stores a document of many passages. Each has words of its own, and zzlong and a number.
func addLong(t *testing.T, store *sqlite.Store, key string) {
	t.Helper()
	var passages []split.Passage
	for n := range 160 {
		var text strings.Builder
		fmt.Fprintf(&text, "zzlong%d", n)
		for word := range 60 {
			fmt.Fprintf(&text, " word%d", (n*60+word)*7919%5000)
		}
		passages = append(passages, split.Passage{Start: n, End: n + 1, Text: text.String()})
	}
	d := knowledge.Document{Key: key, ProjectID: "project", Name: key + ".md", Kind: read.Markdown, Status: wire.DocumentQueued, CreatedAt: 100}
	require.NoError(t, store.AddDocument(t.Context(), d, []byte("zzlongfile"), nil))
	require.NoError(t, store.FinishDocument(t.Context(), key, read.Document{Kind: read.Markdown, Text: "zzlongtext"}, passages))
}

// If a process ends anywhere in the removal of a long document, the next one does the rest, and the
// other documents are found meanwhile.
func TestALongRemovalIsCarriedOn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	store := openFile(t, path)
	fillWithMarks(t, store)
	addLong(t, store, "long")
	requireIntegrity(t, store)
	require.NoError(t, store.Sweep(t.Context(), 0, 0))
	require.Contains(t, strings.Join(filesHold(t, path, "zzlong159"), " "), "zzlong159")
	require.NoError(t, store.DeleteDocuments(t.Context(), "project", []string{"long"}, 200))
	store = sweepWithEnds(t, store, path, 12, func(t *testing.T, store *sqlite.Store) {
		hits, err := store.Search(t.Context(), "salmon", []string{"doc-stays1", "long"}, 100)
		require.NoError(t, err)
		require.Len(t, hits, 20)
	})
	require.Empty(t, filesHold(t, path, "zzlong"))
	requireIntegrity(t, store)
}

// requireIntegrity requires that the index has the words of all passages, and no others.
func requireIntegrity(t *testing.T, store *sqlite.Store) {
	t.Helper()
	writer, _ := store.Pools()
	_, err := writer.Exec(`INSERT INTO passages_index (passages_index, rank) VALUES ('integrity-check', 1)`)
	require.NoError(t, err)
}

// The removal of a long document writes little more than storing it did.
func TestALongRemovalCostsWhatStoringDid(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	fillWithMarks(t, store)
	require.NoError(t, store.Sweep(t.Context(), 0, 0))
	writer, readers := store.Pools()
	_, err := writer.Exec(`PRAGMA wal_autocheckpoint = 0`)
	require.NoError(t, err)
	reader, err := readers.Begin() // keeps the log from beginning anew
	require.NoError(t, err)
	defer reader.Rollback()
	require.NoError(t, reader.QueryRow(`SELECT count(*) FROM chats`).Scan(new(int)))
	written := func() (sum int) {
		for _, pages := range transactions(t, pathOf(t, store)) {
			sum += pages
		}
		return sum
	}
	addLong(t, store, "long")
	stored := written()
	require.NoError(t, store.DeleteDocuments(t.Context(), "project", []string{"long"}, 200))
	require.NoError(t, store.Sweep(t.Context(), 0, 0))
	require.Less(t, written()-stored, 2*stored)
	requireIntegrity(t, store)
}
