package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// atOnce runs do n times at once and returns the errors.
func atOnce(n int, do func(i int) error) []error {
	var all sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	return errs
}

func roundsAtOnce(t *testing.T, store knowledge.Store) {
	require.NoError(t, errors.Join(atOnce(12, func(i int) error {
		user := []string{"ann", "bob"}[i%2]
		return store.AddDocument(t.Context(), document(fmt.Sprint(user, i), user, "a.md"), []byte("content"), nil)
	})...))
	for range 6 {
		next := due(t, store, 1000)
		require.Len(t, next, 2, "one for each owner")
		require.NotEqual(t, next[0][:3], next[1][:3])
		for _, key := range next {
			require.NoError(t, store.FailDocument(t.Context(), key, "broken"))
		}
	}
	require.Empty(t, due(t, store, 1000))
}

func keysAtOnce(t *testing.T, store knowledge.Store) {
	for round := range 5 {
		won := 0
		for i, err := range atOnce(6, func(i int) error {
			key := fmt.Sprint(round, ".", i)
			claim := &once.UsedKey{ID: once.ID{ProjectID: "project", UserID: "ann", Key: fmt.Sprint("k", round)}, Subject: key, At: 100}
			return store.AddDocument(t.Context(), document(key, "ann", "a"), []byte(key), claim)
		}) {
			_, missing := store.Document(t.Context(), ann, fmt.Sprint(round, ".", i))
			if err == nil {
				won++
				require.NoError(t, missing)
				continue
			}
			require.ErrorIs(t, err, once.ErrTaken)
			require.ErrorIs(t, missing, fault.ErrNotFound)
		}
		require.Equal(t, 1, won)
	}
}

func deletingMeetsReading(t *testing.T, store knowledge.Store) {
	for round := range 8 {
		key := fmt.Sprint("d", round)
		add(t, store, document(key, "", key))
		errs := atOnce(2, func(i int) error {
			if i == 0 {
				return store.DeleteDocuments(t.Context(), "project", []string{key}, 200)
			}
			return store.FinishDocument(t.Context(), key, read.Document{Kind: read.Markdown, Title: "T", Text: "Salmon swim."}, passages("Salmon swim."))
		})
		require.NoError(t, errs[0])
		if errs[1] != nil {
			require.ErrorIs(t, errs[1], fault.ErrNotFound)
		}
		_, err := store.Document(t.Context(), nobody, key)
		require.ErrorIs(t, err, fault.ErrNotFound)
		hits, err := store.Search(t.Context(), "salmon", []string{key}, 10)
		require.NoError(t, err)
		require.Empty(t, hits)
	}
}
