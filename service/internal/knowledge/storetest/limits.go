package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
)

// RunLimits tests that a store limits a user's documents and their bytes. It
// calls open as Run does; setLimits changes the limits.
func RunLimits(t *testing.T, open func(t *testing.T) (store knowledge.Store, setLimits func(documents, bytes int))) {
	t.Helper()
	for name, check := range map[string]func(*testing.T, knowledge.Store, func(documents, bytes int)){
		"a document more than the limit is refused":       documentsHaveALimit,
		"a byte more than the limit is refused":           bytesHaveALimit,
		"documents added at once do not exceed the limit": documentsAtOnce,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, setLimits := open(t)
			check(t, store, setLimits)
		})
	}
}

func sized(key, userID string, size int64) knowledge.Document {
	d := document(key, userID, key)
	d.Size = size
	return d
}

func addSized(t *testing.T, store knowledge.Store, key, userID string, size int64) error {
	return store.AddDocument(t.Context(), sized(key, userID, size), []byte("content"), nil)
}

func requireTooMany(t *testing.T, err error) {
	t.Helper()
	var refusal *fault.Error
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, wire.CodeQuotaExceeded, refusal.Code)
}

func documentsHaveALimit(t *testing.T, store knowledge.Store, setLimits func(documents, bytes int)) {
	for _, key := range []string{"a", "b", "c"} {
		add(t, store, document(key, "ann", key))
	}
	setLimits(2, 0)
	requireTooMany(t, addSized(t, store, "d", "ann", 1))
	_, err := store.Document(t.Context(), ann, "d")
	require.ErrorIs(t, err, fault.ErrNotFound)
	list, err := store.ListDocuments(t.Context(), ann, knowledge.Page{Number: 1, Size: 10})
	require.NoError(t, err)
	require.Len(t, list.Documents, 3, "documents beyond a new limit stay")
	require.NoError(t, store.DeleteDocuments(t.Context(), "project", []string{"a"}, 200))
	requireTooMany(t, addSized(t, store, "d", "ann", 1))
	require.NoError(t, store.DeleteDocuments(t.Context(), "project", []string{"b"}, 200))
	require.NoError(t, addSized(t, store, "d", "ann", 1))
	for i := range 5 {
		require.NoError(t, addSized(t, store, fmt.Sprint("project's ", i), "", 1), "the project has no limit")
	}
	require.NoError(t, addSized(t, store, "bob's", "bob", 1))
}

func bytesHaveALimit(t *testing.T, store knowledge.Store, setLimits func(documents, bytes int)) {
	setLimits(0, 100)
	require.NoError(t, addSized(t, store, "a", "ann", 60))
	requireTooMany(t, addSized(t, store, "b", "ann", 41))
	require.NoError(t, addSized(t, store, "b", "ann", 40))
	requireTooMany(t, addSized(t, store, "c", "ann", 1))
	require.NoError(t, addSized(t, store, "his", "bob", 100))
	require.NoError(t, addSized(t, store, "house", "", 1000))
	finish(t, store, "a", "a", "a text that is longer than its file, which counts")
	requireTooMany(t, addSized(t, store, "c", "ann", 1))
	require.NoError(t, store.DeleteDocuments(t.Context(), "project", []string{"a"}, 200))
	require.NoError(t, addSized(t, store, "c", "ann", 60))
}

func documentsAtOnce(t *testing.T, store knowledge.Store, setLimits func(documents, bytes int)) {
	setLimits(3, 0)
	errs := make([]error, 10)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = addSized(t, store, fmt.Sprint(i), "ann", 1) })
	}
	all.Wait()
	refused := 0
	for _, err := range errs {
		if errors.As(err, new(*fault.Error)) {
			refused++
		}
	}
	require.Equal(t, 7, refused)
}
