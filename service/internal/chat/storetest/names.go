package storetest

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

var nameRules = []rule{
	{"an untitled chat is named once", untitledIsNamedOnce},
	{"a name that a user chose stays", chosenNameStays},
	{"of many who name a chat one does", oneNames},
}

func untitledIsNamedOnce(t *testing.T, store chat.Store) {
	create(t, store, ann, "made")
	begin(t, store, ann, turnInNew("begun", "t"))
	for _, chatID := range []string{"made", "begun"} {
		requireNamed(t, store, chatID, "First", true)
		require.Equal(t, "First", history(t, store, ann, chatID).Name)
		requireNamed(t, store, chatID, "Second", false)
		require.Equal(t, "First", history(t, store, ann, chatID).Name)
	}
	named, err := store.NameChat(t.Context(), "unknown", "N", 1)
	require.ErrorIs(t, err, chat.ErrNotFound)
	require.False(t, named)
}

func chosenNameStays(t *testing.T, store chat.Store) {
	require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "given", Name: "Given"}, nil))
	create(t, store, ann, "renamed", "kept untitled")
	require.NoError(t, store.RenameChat(t.Context(), ann, "renamed", "Chosen", 1))
	require.NoError(t, store.RenameChat(t.Context(), ann, "kept untitled", chat.Untitled, 1))
	before := everything(t, store)
	for _, chatID := range []string{"given", "renamed", "kept untitled"} {
		requireNamed(t, store, chatID, "By itself", false)
	}
	require.Equal(t, before, everything(t, store), "a name that was not given moves nothing")
}

func requireNamed(t *testing.T, store chat.Store, chatID, name string, want bool) {
	t.Helper()
	named, err := store.NameChat(t.Context(), chatID, name, 300)
	require.NoError(t, err)
	require.Equal(t, want, named)
}

func oneNames(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1")
	var did atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			named, err := store.NameChat(t.Context(), "c1", "N", 1)
			if err == nil && named {
				did.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, did.Load())
}
