package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/knowledge"
)

func pagesStandStill(t *testing.T, store knowledge.Store) {
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		add(t, store, document(key, "", key+" key"))
	}
	add(t, store, document("his", "bob", "key"))
	page := func(before int64) (keys []string, list knowledge.List) {
		list, err := store.ListDocuments(t.Context(), ann, knowledge.Page{Number: 1, Size: 2, Before: before, Search: "KEY"})
		require.NoError(t, err)
		for _, d := range list.Documents {
			keys = append(keys, d.Key)
		}
		return keys, list
	}
	keys, first := page(0)
	require.Equal(t, []string{"e", "d"}, keys)
	add(t, store, document("f", "", "f key"))
	require.NoError(t, store.DeleteDocuments(t.Context(), "project", []string{"d", "e"}, 200))
	keys, second := page(first.Next)
	require.Equal(t, []string{"c", "b"}, keys)
	require.Equal(t, 4, second.Total, "on all pages")
	keys, third := page(second.Next)
	require.Equal(t, []string{"a"}, keys)
	require.Zero(t, third.Next)
	list, err := store.ListDocuments(t.Context(), ann, knowledge.Page{Number: 2, Size: 1, Before: first.Next})
	require.NoError(t, err)
	require.Equal(t, "b", list.Documents[0].Key, "pages are counted from there")
}
