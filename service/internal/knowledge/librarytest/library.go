// Package librarytest gives tests documents to search, in a real store.
package librarytest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite/sqlitetest"
)

// Library are documents of a store that everybody may use.
type Library struct {
	Store *sqlite.Store
	// Keys are the names of the documents.
	Keys []string
}

// New makes an empty Library, which ends with the test.
func New(t *testing.T) *Library {
	t.Helper()
	store, err := sqlite.Open(t.Context(), sqlitetest.File(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return &Library{Store: store}
}

// Usable implements chat.Knowledge.
func (l *Library) Usable(context.Context, string, string, []string) ([]string, error) {
	return l.Keys, nil
}

// Search implements chat.Knowledge.
func (l *Library) Search(ctx context.Context, question string, keys []string, limit int) ([]search.Hit, error) {
	return l.Store.Search(ctx, question, keys, limit)
}

// Add reads a file and adds it.
func (l *Library) Add(t *testing.T, name string, source []byte) {
	t.Helper()
	d, err := read.Bytes(name, source)
	require.NoError(t, err)
	require.NoError(t, l.Store.AddDocument(t.Context(), knowledge.Document{Key: name, Status: wire.DocumentQueued}, nil, nil))
	require.NoError(t, l.Store.FinishDocument(t.Context(), name, d, split.Passages(d)))
	l.Keys = append(l.Keys, name)
}
