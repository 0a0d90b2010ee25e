package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

var chatRules = []rule{
	{"a new chat is listed as it was made", newChatIsListed},
	{"a new chat has an empty history", newChatHasEmptyHistory},
	{"no document keys and an empty list of them are distinguished", documentKeysAreKept},
	{"a chat id can be taken only once", chatIDIsTakenOnce},
	{"renaming a chat moves it to the top", renamingMoves},
	{"a deleted chat is gone with everything in it", deletedChatIsGone},
	{"deleting a chat does not change the others", deletingLeavesOthers},
	{"a chat that does not exist is not found", unknownChatIsNotFound},
}

func newChatIsListed(t *testing.T, store chat.Store) {
	made := wire.Chat{
		ChatID: "c1", Name: "Plans", DocumentKeys: []string{"d2", "d1"}, CreatedAt: 1700000000.123456,
		Metadata: wire.JSON(`{"a":1}`), UserID: "somebody",
	}
	require.NoError(t, store.CreateChat(t.Context(), ann, made, nil))
	want := wire.Chat{
		ChatID: "c1", Name: "Plans", DocumentKeys: []string{"d2", "d1"}, CreatedAt: 1700000000.123456, UpdatedAt: 1700000000.123456,
	}
	require.Equal(t, []wire.Chat{want}, list(t, store, ann), "metadata and owner are only in the answer to createChat")
	require.Empty(t, list(t, store, access.Scope{ProjectID: "project", UserID: "somebody"}), "the scope owns, not the chat's field")
}

func newChatHasEmptyHistory(t *testing.T, store chat.Store) {
	made := wire.Chat{ChatID: "c1", Name: "Plans", DocumentKeys: []string{"d1"}, CreatedAt: 100.5}
	require.NoError(t, store.CreateChat(t.Context(), ann, made, nil))
	require.Equal(t, wire.ChatHistoryResponse{
		ID: "c1", ChatID: "c1", Name: "Plans", CreatedAt: 100.5, DocumentKeys: []string{"d1"}, Messages: []wire.Message{},
	}, history(t, store, ann, "c1"), "messages are empty, not nil")
}

func documentKeysAreKept(t *testing.T, store chat.Store) {
	for id, keys := range map[string][]string{"none": nil, "empty": {}, "some": {"", "a,b", `"[`}} {
		require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: id, Name: "N", DocumentKeys: keys}, nil))
		require.Equal(t, keys, list(t, store, ann)[0].DocumentKeys, id)
		require.Equal(t, keys, history(t, store, ann, id).DocumentKeys, id)
	}
}

func chatIDIsTakenOnce(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1")
	before := everything(t, store)
	for _, scope := range []access.Scope{ann, bob, key, alien} {
		err := store.CreateChat(t.Context(), scope, wire.Chat{ChatID: "c1", Name: "Other"}, nil)
		require.Error(t, err)
		require.NotErrorIs(t, err, fault.ErrNotFound)
	}
	require.Equal(t, before, everything(t, store))
	require.Empty(t, list(t, store, alien))
}

func renamingMoves(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1", "c2", "c3")
	require.NoError(t, rename(t.Context(), store, ann, "c1", "Named", 150.25))
	require.Equal(t, "c1 c3 c2", listed(t, store, ann))
	require.Equal(t, wire.Chat{ChatID: "c1", Name: "Named", CreatedAt: 100, UpdatedAt: 150.25}, list(t, store, ann)[0])
	require.Equal(t, "Named", history(t, store, ann, "c1").Name)
	require.NoError(t, rename(t.Context(), store, ann, "c1", "Again", 151))
	require.Equal(t, "Again", list(t, store, ann)[0].Name)
}

func deletedChatIsGone(t *testing.T, store chat.Store) {
	done, open := turnInNew("c1", "done"), turnIn("c1", "open")
	begin(t, store, ann, done, open)
	end(t, store, done, "text")
	require.NoError(t, store.DeleteChat(t.Context(), ann, "c1", 300))

	require.Empty(t, list(t, store, key))
	notFound(t, store, ann, "c1", "done-a")
	ctx := t.Context()
	require.ErrorIs(t, store.AppendEvents(ctx, held("open-s"), chunks(2, "late")), fault.ErrNotFound)
	require.ErrorIs(t, store.AppendEvents(ctx, held("open-s"), nil), fault.ErrNotFound)
	require.ErrorIs(t, store.EndTurn(ctx, held("open-s"), ended(open, "late"), &chat.End{At: 300}), fault.ErrNotFound)
	broken, err := store.EndBrokenTurns(ctx, chat.End{At: 300})
	require.NoError(t, err)
	require.Empty(t, broken)

	require.NoError(t, store.Sweep(ctx, 0, 0))
	begin(t, store, bob, turnInNew("c1", "done"))
	require.Equal(t, []string{"question done", ""}, contents(t, store, "c1"), "every id is free again and nothing comes back")
}

func deletingLeavesOthers(t *testing.T, store chat.Store) {
	begin(t, store, ann, turnInNew("c1", "one"), turnInNew("c2", "two"))
	require.NoError(t, store.AppendEvents(t.Context(), held("two-s"), chunks(2, "kept")))
	require.NoError(t, store.DeleteChat(t.Context(), ann, "c1", 300))
	require.Equal(t, []string{"question two", "kept"}, contents(t, store, "c2"))
}

func unknownChatIsNotFound(t *testing.T, store chat.Store) {
	notFound(t, store, ann, "c1", "m1")
	create(t, store, ann, "c1")
	for _, scope := range []access.Scope{ann, key} {
		notFound(t, store, scope, "C1", "m1")
		notFound(t, store, scope, "", "m1")
		notFound(t, store, scope, "c%", "m1")
	}
}

// notFound requires every operation on a chat that scope does not reach to fail.
func notFound(t *testing.T, store chat.Store, scope access.Scope, chatID, messageID string) {
	t.Helper()
	ctx := t.Context()
	_, err := store.ChatHistory(ctx, scope, chatID)
	require.ErrorIs(t, err, fault.ErrNotFound)
	require.ErrorIs(t, rename(ctx, store, scope, chatID, "N", 1), fault.ErrNotFound)
	require.ErrorIs(t, store.DeleteChat(ctx, scope, chatID, 300), fault.ErrNotFound)
	_, err = store.ChatOwner(ctx, scope, chatID)
	require.ErrorIs(t, err, fault.ErrNotFound)
	require.ErrorIs(t, store.SetFeedback(ctx, scope, chatID, messageID, true), fault.ErrNotFound)
	require.ErrorIs(t, store.BeginTurn(ctx, scope, turnIn(chatID, "nowhere")), fault.ErrNotFound)
}
