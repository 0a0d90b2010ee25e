package storetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

var spentRules = []rule{
	{"superseded and expired memories are removed after a while, others never", spentAreSwept},
	{"a sweep continues to the last memory", sweepsAll},
	{"the oldest superseded and expired memories give way", oldestGiveWay},
}

// mixed stores a memory of each kind; those that are rejected were rejected at
// 200.
func mixed(t *testing.T, store Store) {
	t.Helper()
	add(t, store, ann, rejected(ann, "expired", wire.RejectedExpired), pending(ann, "pending"), approved(ann, "approved", 150),
		rejected(ann, "superseded", wire.RejectedSuperseded), rejected(ann, "reviewed", wire.RejectedByReviewer))
	add(t, store, bob, rejected(bob, "bob's", wire.RejectedSuperseded))
	change(t, store, ann, memory.Changes{Conflicts: [][2]string{{"superseded", "approved"}}})
}

func spentAreSwept(t *testing.T, store Store) {
	mixed(t, store)
	before := all(t, store)
	require.NoError(t, store.SweepMemories(t.Context(), 199.5))
	require.Equal(t, before, all(t, store))
	require.NoError(t, store.SweepMemories(t.Context(), 200))
	require.Equal(t, []string{"reviewed", "approved", "pending"}, ids(all(t, store)))
}

func sweepsAll(t *testing.T, store Store) {
	var old, late []wire.Memory
	for i := range 600 {
		old = append(old, rejected(ann, fmt.Sprint("old", i), wire.RejectedSuperseded))
		late = append(late, pending(ann, fmt.Sprint("late", i)))
	}
	add(t, store, ann, old...)
	add(t, store, ann, late...)
	require.NoError(t, store.ExpireMemories(t.Context(), 700))
	expired := list(t, store, memory.Query{Status: wire.MemoryRejected, Now: 1})
	require.Len(t, expired, 1200, "everything that expired is stored as expired")
	require.NoError(t, store.SweepMemories(t.Context(), 699))
	require.Len(t, all(t, store), 600)
	require.NoError(t, store.SweepMemories(t.Context(), 700))
	require.Empty(t, all(t, store))
}

func oldestGiveWay(t *testing.T, store Store) {
	mixed(t, store)
	change(t, store, ann, memory.Changes{Added: []wire.Memory{pending(ann, "new")}, Spent: 1})
	require.Equal(t, []string{"new", "bob's", "reviewed", "superseded", "approved", "pending"}, ids(all(t, store)))
	change(t, store, ann, memory.Changes{Updated: []wire.Memory{rejected(ann, "pending", wire.RejectedExpired)}, Spent: 5})
	require.Equal(t, []string{"new", "bob's", "reviewed", "approved"}, ids(all(t, store)), "and what the changes superseded")
}
