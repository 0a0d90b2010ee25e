package storetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

var erasureRules = []rule{
	{"each deletion leaves a receipt", leavesReceipts},
	{"a deleted chat leaves a receipt with each agent that had memories from it", chatLeavesReceipts},
	{"what is not deleted leaves no receipt", noReceiptOfNothing},
	{"receipts are listed in pages", receiptsInPages},
}

func erasures(t *testing.T, store Store, owner memory.Owner) []wire.Erasure {
	t.Helper()
	all, next, err := store.Erasures(t.Context(), owner.ProjectID, owner.AgentID, memory.Page{Limit: 100})
	require.NoError(t, err)
	require.Zero(t, next)
	return all
}

func leavesReceipts(t *testing.T, store Store) {
	add(t, store, ann, pending(ann, "p"), approved(ann, "a", 150), rejected(ann, "r", wire.RejectedExpired))
	require.NoError(t, store.DeleteMemory(t.Context(), ann, "p", marks("p"), receipt))
	_, err := store.DeleteMemories(t.Context(), ann, memory.Receipt{By: "ann", At: 201})
	require.NoError(t, err)
	_, err = store.DeleteMemories(t.Context(), ann, memory.Receipt{By: wire.ByAPIKey, At: 202})
	require.NoError(t, err, "nothing was left, so this leaves no receipt")
	require.Equal(t, []wire.Erasure{
		{Kind: wire.ErasedUser, At: 201, By: "ann", Counts: wire.ErasureCounts{Memories: 2}},
		{Kind: wire.ErasedMemory, At: 200, By: "root", Counts: wire.ErasureCounts{Memories: 1}},
	}, erasures(t, store, ann))
	require.Empty(t, erasures(t, store, annOther))
	require.Empty(t, erasures(t, store, annAbroad))
}

func chatLeavesReceipts(t *testing.T, store Store) {
	begin(t, store, scopeOf(ann), turn("c1", "one"), turn("c2", "two"))
	expired := from(pending(ann, "expired"), "one")
	expired.ExpiresAt = 300
	add(t, store, ann, from(pending(ann, "p1"), "one"), from(pending(ann, "p2"), "one"), from(approved(ann, "a", 150), "one"), expired,
		from(pending(ann, "elsewhere"), "two"))
	add(t, store, annOther, from(rejected(annOther, "r", wire.RejectedByReviewer), "one"))
	require.NoError(t, store.DeleteChat(t.Context(), access.Scope{ProjectID: "project"}, "c1", 300))
	require.Equal(t, []wire.Erasure{{Kind: wire.ErasedChat, At: 300, By: wire.ByAPIKey, Counts: wire.ErasureCounts{Memories: 2, Sources: 2}}},
		erasures(t, store, ann))
	require.Equal(t, []wire.Erasure{{Kind: wire.ErasedChat, At: 300, By: wire.ByAPIKey, Counts: wire.ErasureCounts{Sources: 1}}},
		erasures(t, store, annOther))
	require.NoError(t, store.DeleteChat(t.Context(), scopeOf(ann), "c2", 301))
	require.Equal(t, wire.Erasure{Kind: wire.ErasedChat, At: 301, By: "ann", Counts: wire.ErasureCounts{Memories: 1}}, erasures(t, store, ann)[0])
}

func noReceiptOfNothing(t *testing.T, store Store) {
	begin(t, store, scopeOf(ann), turn("c1", "one"), turn("c2", "two"))
	add(t, store, ann, from(pending(ann, "p"), "one"))
	require.ErrorIs(t, store.DeleteMemory(t.Context(), ann, "nobody", marks("p"), receipt), fault.ErrNotFound)
	require.ErrorIs(t, store.DeleteChat(t.Context(), scopeOf(bob), "c1", 300), fault.ErrNotFound)
	require.NoError(t, store.DeleteChat(t.Context(), scopeOf(ann), "c2", 300), "nothing was remembered from it")
	require.Empty(t, erasures(t, store, ann))
}

func receiptsInPages(t *testing.T, store Store) {
	for at := range 5 {
		add(t, store, ann, pending(ann, fmt.Sprint("m", at)))
		_, err := store.DeleteMemories(t.Context(), ann, memory.Receipt{By: "ann", At: float64(at)})
		require.NoError(t, err)
	}
	var seen []float64
	for before, more := int64(0), true; more; {
		page, next, err := store.Erasures(t.Context(), ann.ProjectID, ann.AgentID, memory.Page{Before: before, Limit: 2})
		require.NoError(t, err)
		for _, one := range page {
			seen = append(seen, one.At)
		}
		before, more = next, next > 0
	}
	require.Equal(t, []float64{4, 3, 2, 1, 0}, seen)
}
