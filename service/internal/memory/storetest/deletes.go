package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

var deleteRules = []rule{
	{"a deleted memory leaves its marks", deletedLeavesMarks},
	{"a memory is deleted only for its owner", deletedForOwner},
	{"deleting all of a user leaves nothing", deletedAll},
	{"deleting a chat removes what came from it", deletedChat},
}

func deletedLeavesMarks(t *testing.T, store Store) {
	for _, one := range []wire.Memory{pending(ann, "p"), approved(ann, "a", 150), rejected(ann, "r", wire.RejectedExpired)} {
		add(t, store, ann, one)
		require.NoError(t, store.DeleteMemory(t.Context(), ann, one.ID, marks(one.ID), receipt))
		require.ErrorIs(t, store.DeleteMemory(t.Context(), ann, one.ID, marks(one.ID), receipt), fault.ErrNotFound)
	}
	require.Empty(t, all(t, store))
	want := map[string]bool{}
	for _, id := range []string{"p", "a", "r"} {
		want["whole "+id], want["part "+id] = true, true
	}
	require.Equal(t, want, state(t, store, ann).Erased)
	require.Empty(t, state(t, store, bob).Erased)
	require.Empty(t, state(t, store, annOther).Erased)
	require.Empty(t, state(t, store, annAbroad).Erased)
}

func deletedForOwner(t *testing.T, store Store) {
	add(t, store, ann, pending(ann, "p"))
	for _, owner := range []memory.Owner{bob, annOther, annAbroad} {
		require.ErrorIs(t, store.DeleteMemory(t.Context(), owner, "p", marks("p"), receipt), fault.ErrNotFound)
		count, err := store.DeleteMemories(t.Context(), owner, receipt)
		require.NoError(t, err)
		require.Zero(t, count)
	}
	require.Equal(t, []string{"p"}, ids(all(t, store)))
}

func deletedAll(t *testing.T, store Store) {
	crowd(t, store)
	require.NoError(t, store.DeleteMemory(t.Context(), ann, "p1", marks("p1"), receipt))
	require.NoError(t, store.DeleteMemory(t.Context(), bob, "p2", marks("p2"), receipt))
	count, err := store.DeleteMemories(t.Context(), ann, receipt)
	require.NoError(t, err)
	require.Equal(t, 2, count)
	require.Equal(t, []string{"r3", "p3", "a2"}, ids(all(t, store)))
	require.Empty(t, state(t, store, ann).Erased, "the marks go too")
	require.NotEmpty(t, state(t, store, bob).Erased)
}

func deletedChat(t *testing.T, store Store) {
	begin(t, store, scopeOf(ann), turn("c1", "one"), turn("c2", "two"))
	expired := from(pending(ann, "expired"), "one")
	expired.ExpiresAt = 300
	elsewhere := from(pending(ann, "elsewhere"), "two")
	add(t, store, ann, from(pending(ann, "pending"), "one"), from(approved(ann, "approved", 150), "one"),
		from(rejected(ann, "rejected", wire.RejectedByReviewer), "one"), expired, elsewhere)
	require.ErrorIs(t, store.DeleteChat(t.Context(), scopeOf(bob), "c1", 300), fault.ErrNotFound)
	require.Len(t, all(t, store), 5, "a refusal changes nothing")

	require.NoError(t, store.DeleteChat(t.Context(), scopeOf(ann), "c1", 300))
	expired.SourceMessageID, expired.TriggeringMessage, expired.Span = "", "", nil
	elsewhere.SourceChatID = "c2"
	require.Equal(t, []wire.Memory{elsewhere, expired, rejected(ann, "rejected", wire.RejectedByReviewer), approved(ann, "approved", 150)},
		all(t, store), "what has expired is no longer pending")
	require.Empty(t, state(t, store, ann).Erased)
}
