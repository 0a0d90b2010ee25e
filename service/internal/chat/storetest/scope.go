package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

var scopeRules = []rule{
	{"a user reaches only what they own", usersReachTheirOwn},
	{"an API key without a user reaches the whole project", keyReachesAll},
	{"another project reaches nothing", projectsAreApart},
	{"a chat still belongs to its owner, whoever writes in it", ownerStays},
}

func usersReachTheirOwn(t *testing.T, store chat.Store) {
	begin(t, store, ann, turnInNew("ann's", "a"))
	begin(t, store, bob, turnInNew("bob's", "b"))
	begin(t, store, key, turnInNew("nobody's", "n"))
	before := everything(t, store)

	require.Equal(t, "ann's", listed(t, store, ann))
	require.Equal(t, "bob's", listed(t, store, bob))
	for _, test := range []struct{ chatID, messageID string }{{"bob's", "b-a"}, {"nobody's", "n-a"}, {"bob's", "b-q"}} {
		notFound(t, store, ann, test.chatID, test.messageID)
	}
	err := store.SetFeedback(t.Context(), ann, "ann's", "b-a", true)
	require.ErrorIs(t, err, fault.ErrNotFound, "the chat is ann's, the message is not in it")
	require.Equal(t, before, everything(t, store), "a refusal changes nothing")
}

func keyReachesAll(t *testing.T, store chat.Store) {
	begin(t, store, ann, turnInNew("ann's", "a"))
	begin(t, store, key, turnInNew("nobody's", "n"))
	require.Equal(t, "nobody's ann's", listed(t, store, key))
	for chatID, want := range map[string]string{"ann's": "ann", "nobody's": ""} {
		owner, err := store.ChatOwner(t.Context(), key, chatID)
		require.NoError(t, err)
		require.Equal(t, want, owner)
	}
	for _, test := range []struct{ chatID, name string }{{"ann's", "a"}, {"nobody's", "n"}} {
		require.Len(t, history(t, store, key, test.chatID).Messages, 2)
		begin(t, store, key, turnIn(test.chatID, test.name+"2"))
		require.NoError(t, store.SetFeedback(t.Context(), key, test.chatID, test.name+"-a", true))
		require.NoError(t, rename(t.Context(), store, key, test.chatID, "N", 1))
		require.NoError(t, store.DeleteChat(t.Context(), key, test.chatID, 300))
	}
	require.Empty(t, list(t, store, ann))
}

func projectsAreApart(t *testing.T, store chat.Store) {
	begin(t, store, ann, turnInNew("ann's", "a"))
	before := everything(t, store)
	for _, scope := range []access.Scope{alien, {ProjectID: alien.ProjectID}, {}} {
		require.Empty(t, list(t, store, scope))
		notFound(t, store, scope, "ann's", "a-a")
	}
	create(t, store, alien, "elsewhere")
	require.Equal(t, before, everything(t, store))
}

func ownerStays(t *testing.T, store chat.Store) {
	create(t, store, ann, "ann's")
	begin(t, store, key, turnIn("ann's", "t"))
	require.NoError(t, rename(t.Context(), store, key, "ann's", "N", 1))
	require.Equal(t, "ann's", listed(t, store, ann))
	require.Len(t, history(t, store, ann, "ann's").Messages, 2)
}
