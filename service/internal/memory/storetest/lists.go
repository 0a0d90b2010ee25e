package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

var listRules = []rule{
	{"a list is narrowed by agent, user, type and status", listsAreNarrowed},
	{"expiry follows the clock in lists and counts", clockInLists},
	{"memories in use are in the order of their approval", approvedInOrder},
	{"an empty store lists and counts nothing", emptyLists},
}

// crowd stores memories of two users of two agents in all states.
func crowd(t *testing.T, store Store) {
	taste := approved(ann, "taste", 150)
	taste.MemoryType = wire.MemoryPreference
	add(t, store, ann, pending(ann, "p1"), taste, rejected(ann, "r1", wire.RejectedByReviewer))
	add(t, store, bob, pending(bob, "p2"), approved(bob, "a2", 150))
	add(t, store, annOther, pending(annOther, "p3"), rejected(annOther, "r3", wire.RejectedExpired))
	add(t, store, annAbroad, approved(annAbroad, "a4", 150))
}

func listsAreNarrowed(t *testing.T, store Store) {
	crowd(t, store)
	agent := []string{"assistant"}
	tests := []struct {
		name  string
		query memory.Query
		want  []string
	}{
		{"a project", memory.Query{}, []string{"r3", "p3", "a2", "p2", "r1", "taste", "p1"}},
		{"another project", memory.Query{ProjectID: "elsewhere"}, []string{"a4"}},
		{"an agent", memory.Query{Agents: agent}, []string{"a2", "p2", "r1", "taste", "p1"}},
		{"two agents", memory.Query{Agents: []string{"other", "assistant"}}, []string{"r3", "p3", "a2", "p2", "r1", "taste", "p1"}},
		{"no agents", memory.Query{Agents: []string{}}, []string{}},
		{"an unknown agent", memory.Query{Agents: []string{"?"}}, []string{}},
		{"a user", memory.Query{UserID: "ann"}, []string{"r3", "p3", "r1", "taste", "p1"}},
		{"a user of an agent", memory.Query{Agents: agent, UserID: "ann"}, []string{"r1", "taste", "p1"}},
		{"pending ones", memory.Query{Status: wire.MemoryPending}, []string{"p3", "p2", "p1"}},
		{"pending ones of agents", memory.Query{Status: wire.MemoryPending, Agents: []string{"other", "?"}}, []string{"p3"}},
		{"pending ones of a user", memory.Query{Status: wire.MemoryPending, UserID: "bob"}, []string{"p2"}},
		{"approved ones", memory.Query{Agents: agent, Status: wire.MemoryApproved}, []string{"a2", "taste"}},
		{"rejected ones", memory.Query{Status: wire.MemoryRejected}, []string{"r3", "r1"}},
		{"a type", memory.Query{Agents: agent, Type: wire.MemoryPreference}, []string{"taste"}},
		{"a type and a status", memory.Query{Agents: agent, Type: wire.MemoryFact, Status: wire.MemoryApproved}, []string{"a2"}},
	}
	for _, test := range tests {
		test.query.Now = 500
		require.Equal(t, test.want, ids(list(t, store, test.query)), test.name)
	}
}

func clockInLists(t *testing.T, store Store) {
	crowd(t, store)
	for _, at := range []struct {
		now                 float64
		pending, rejected   []string
		ofAgent, ofOne, ofB wire.MemoryStats
	}{
		{699.999999, []string{"p2", "p1"}, []string{"r1"},
			wire.MemoryStats{Total: 5, Approved: 2, Pending: 2, Rejected: 1, Users: 2},
			wire.MemoryStats{Total: 3, Approved: 1, Pending: 1, Rejected: 1, Users: 1}, wire.MemoryStats{Total: 2, Approved: 1, Pending: 1, Users: 1}},
		{700, []string{}, []string{"p2", "r1", "p1"},
			wire.MemoryStats{Total: 5, Approved: 2, Rejected: 3, Users: 2},
			wire.MemoryStats{Total: 3, Approved: 1, Rejected: 2, Users: 1}, wire.MemoryStats{Total: 2, Approved: 1, Rejected: 1, Users: 1}},
	} {
		query := memory.Query{Agents: []string{"assistant"}, Now: at.now, Status: wire.MemoryPending}
		require.Equal(t, at.pending, ids(list(t, store, query)))
		query.Status = wire.MemoryRejected
		require.Equal(t, at.rejected, ids(list(t, store, query)))
		for owner, want := range map[memory.Owner]wire.MemoryStats{
			{ProjectID: "project", AgentID: "assistant"}: at.ofAgent, ann: at.ofOne, bob: at.ofB,
		} {
			stats, err := store.CountMemories(t.Context(), owner, at.now)
			require.NoError(t, err)
			require.Equal(t, want, stats, owner)
		}
	}
}

func approvedInOrder(t *testing.T, store Store) {
	add(t, store, ann, approved(ann, "c", 150), approved(ann, "b", 150), approved(ann, "a", 160), approved(ann, "d", 140), pending(ann, "p"))
	add(t, store, bob, approved(bob, "bob's", 1))
	memories, err := store.ApprovedMemories(t.Context(), ann)
	require.NoError(t, err)
	require.Equal(t, []string{"d", "b", "c", "a"}, ids(memories))
	require.Equal(t, approved(ann, "d", 140), memories[0])
}

func emptyLists(t *testing.T, store Store) {
	require.Equal(t, []wire.Memory{}, all(t, store))
	memories, err := store.ApprovedMemories(t.Context(), ann)
	require.NoError(t, err)
	require.Empty(t, memories)
	stats, err := store.CountMemories(t.Context(), ann, 1)
	require.NoError(t, err)
	require.Equal(t, wire.MemoryStats{}, stats)
}
