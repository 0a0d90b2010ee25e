package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

var jobRules = []rule{
	{"what was found is stored once", foundOnce},
	{"a job that is gone stores nothing", goneStoresNothing},
	{"a job that fails stays", failingJobStays},
	{"what was found is judged by everything that is known", stateIsWhole},
}

// state is what FinishJob hands to detect.
func state(t *testing.T, store Store, owner memory.Owner) (state memory.State) {
	t.Helper()
	name := "state-" + owner.UserID + owner.AgentID + owner.ProjectID
	queue(t, store, owner, name)
	require.NoError(t, store.FinishJob(t.Context(), job(owner, name), func(s memory.State) memory.Changes {
		state = s
		return memory.Changes{}
	}))
	require.NoError(t, store.DeleteChat(t.Context(), scopeOf(owner), "chat-"+name, 1))
	return state
}

func found(memories ...wire.Memory) func(memory.State) memory.Changes {
	return func(memory.State) memory.Changes { return memory.Changes{Added: memories} }
}

func foundOnce(t *testing.T, store Store) {
	queue(t, store, ann, "one", "two")
	require.NoError(t, store.FinishJob(t.Context(), job(ann, "one"), found(pending(ann, "cat"))))
	require.Equal(t, []wire.Memory{pending(ann, "cat")}, all(t, store))
	require.Equal(t, []string{"two-q"}, due(t, store, 0))
	require.ErrorIs(t, store.FinishJob(t.Context(), job(ann, "one"), found(pending(ann, "dog"))), fault.ErrNotFound)
	require.Equal(t, []string{"cat"}, ids(all(t, store)))
}

func goneStoresNothing(t *testing.T, store Store) {
	for name, gone := range map[string]func() error{
		"its chat is deleted": func() error { return store.DeleteChat(t.Context(), scopeOf(ann), "chat-one", 1) },
		"a memory is deleted": func() error {
			add(t, store, ann, pending(ann, "p"))
			return store.DeleteMemory(t.Context(), ann, "p", marks("p"), receipt)
		},
		"all are deleted": func() error { _, err := store.DeleteMemories(t.Context(), ann, receipt); return err },
	} {
		queue(t, store, ann, "one")
		require.NoError(t, gone(), name)
		err := store.FinishJob(t.Context(), job(ann, "one"), func(memory.State) memory.Changes {
			require.Fail(t, "it is not called", name)
			return memory.Changes{}
		})
		require.ErrorIs(t, err, fault.ErrNotFound, name)
		require.Empty(t, all(t, store))
		_ = store.DeleteChat(t.Context(), scopeOf(ann), "chat-one", 1) // it may be gone
		require.NoError(t, store.Sweep(t.Context(), 0, 0))
	}
}

func failingJobStays(t *testing.T, store Store) {
	queue(t, store, ann, "one")
	add(t, store, ann, pending(ann, "cat"))
	require.Error(t, store.FinishJob(t.Context(), job(ann, "one"), found(pending(ann, "dog"), pending(ann, "cat"))))
	require.Equal(t, []string{"cat"}, ids(all(t, store)))
	require.Equal(t, []string{"one-q"}, due(t, store, 0))
}

func stateIsWhole(t *testing.T, store Store) {
	on := true
	_, err := store.SetMemorySettings(t.Context(), "project", "assistant", wire.MemorySettings{AutoApprove: &on})
	require.NoError(t, err)
	add(t, store, ann, pending(ann, "p"), rejected(ann, "r", wire.RejectedByReviewer), approved(ann, "a", 150),
		rejected(ann, "expired", wire.RejectedExpired), rejected(ann, "superseded", wire.RejectedSuperseded), pending(ann, "gone"))
	add(t, store, bob, pending(bob, "bob's"))
	require.NoError(t, store.DeleteMemory(t.Context(), ann, "gone", marks("gone"), receipt))
	require.Equal(t, memory.State{
		Settings: wire.MemorySettings{AutoApprove: &on},
		Memories: []wire.Memory{pending(ann, "p"), approved(ann, "a", 150)},
		Barred:   []wire.Memory{rejected(ann, "r", wire.RejectedByReviewer)},
		Erased:   map[string]bool{"whole gone": true, "part gone": true},
		Stored:   5, Spent: 2,
	}, state(t, store, ann))
}
