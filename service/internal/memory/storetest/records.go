package storetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

var recordRules = []rule{
	{"a memory is kept as it was made", keptAsMade},
	{"a change is kept", changesAreKept},
	{"decide sees the owner's pending and approved memories", decidingSeesOpenOnes},
	{"decide may refuse", decidingRefuses},
	{"a change that fails stores nothing", failingChanges},
	{"pending memories list their conflicts with approved ones", conflictsAreTold},
	{"pending memories list their conflicts with other pending ones", pendingConflictsAreTold},
	{"a memory of another project is not found", otherProject},
	{"expired memories are stored as expired", expiring},
}

func keptAsMade(t *testing.T, store Store) {
	full := pending(ann, "full")
	full.MemoryContent, full.ConfidenceScore, full.CreatedAt = "User likes “crème” 🍮 'and\nmore", 0.123456789, 1_795_000_000.000001
	full.SourceMessageID, full.TriggeringMessage, full.Span = "msg", "I like crème", &wire.Span{Start: 0, End: 12}
	bare := rejected(ann, "bare", wire.RejectedSuperseded)
	add(t, store, ann, full, bare)
	require.Equal(t, []wire.Memory{bare, full}, all(t, store), "newest first")
	got, err := store.Memory(t.Context(), "project", "full")
	require.NoError(t, err)
	require.Equal(t, full, got)
}

func changesAreKept(t *testing.T, store Store) {
	add(t, store, ann, pending(ann, "cat"), approved(ann, "dog", 150))
	is := []wire.Memory{approved(ann, "cat", 200), rejected(ann, "dog", wire.RejectedSuperseded)}
	is[1].ApprovedAt = 150
	change(t, store, ann, memory.Changes{Updated: is})
	require.Equal(t, []wire.Memory{is[1], is[0]}, all(t, store))
}

func decidingSeesOpenOnes(t *testing.T, store Store) {
	add(t, store, ann, pending(ann, "p1"), approved(ann, "a1", 150), rejected(ann, "r1", wire.RejectedByReviewer), pending(ann, "p2"))
	add(t, store, bob, pending(bob, "bob's"))
	add(t, store, annOther, pending(annOther, "other's"))
	add(t, store, annAbroad, pending(annAbroad, "abroad"))
	seven := 7
	_, err := store.SetMemorySettings(t.Context(), "project", "assistant", wire.MemorySettings{MaxMemories: &seven})
	require.NoError(t, err)
	require.NoError(t, store.ChangeMemories(t.Context(), ann, "", func(state memory.State) (memory.Changes, error) {
		require.Equal(t, memory.State{
			Settings: wire.MemorySettings{MaxMemories: &seven},
			Memories: []wire.Memory{pending(ann, "p1"), approved(ann, "a1", 150), pending(ann, "p2")}, // oldest first
			Stored:   4,
		}, state)
		return memory.Changes{}, nil
	}))
}

func decidingRefuses(t *testing.T, store Store) {
	refusal := &fault.Error{Code: wire.CodeConflict}
	err := store.ChangeMemories(t.Context(), ann, "", func(memory.State) (memory.Changes, error) {
		return memory.Changes{Added: []wire.Memory{pending(ann, "cat")}}, refusal
	})
	var got *fault.Error
	require.True(t, errors.As(err, &got))
	require.Same(t, refusal, got)
	require.Empty(t, all(t, store))
}

func failingChanges(t *testing.T, store Store) {
	add(t, store, ann, pending(ann, "cat"))
	before := all(t, store)
	for name, changes := range map[string]memory.Changes{
		"an id that is taken": {Added: []wire.Memory{pending(ann, "dog"), pending(ann, "cat")}},
		"an unknown conflict": {Updated: []wire.Memory{approved(ann, "cat", 1)}, Conflicts: [][2]string{{"cat", "unknown"}}},
	} {
		err := store.ChangeMemories(t.Context(), ann, "", func(memory.State) (memory.Changes, error) { return changes, nil })
		require.Error(t, err, name)
		require.Equal(t, before, all(t, store), name)
	}
}

func conflictsAreTold(t *testing.T, store Store) {
	change(t, store, ann, memory.Changes{
		Added:     []wire.Memory{approved(ann, "paris", 150), pending(ann, "lyon"), pending(ann, "rome")},
		Conflicts: [][2]string{{"lyon", "paris"}, {"rome", "paris"}, {"rome", "lyon"}},
	})
	require.Equal(t, map[string][]string{"lyon": {"paris"}, "rome": {"paris"}}, conflicts(t, store))
	change(t, store, ann, memory.Changes{Updated: []wire.Memory{rejected(ann, "paris", wire.RejectedSuperseded), approved(ann, "lyon", 300)}})
	require.Equal(t, map[string][]string{"rome": {"lyon"}}, conflicts(t, store), "as of now, in either direction")
	one, err := store.Memory(t.Context(), "project", "rome")
	require.NoError(t, err)
	require.Equal(t, []string{"lyon"}, one.ConflictsWith)
	require.NoError(t, store.DeleteMemory(t.Context(), ann, "lyon", marks("lyon"), receipt))
	require.Empty(t, conflicts(t, store))
}

func pendingConflictsAreTold(t *testing.T, store Store) {
	changes := memory.Changes{Added: []wire.Memory{approved(ann, "paris", 150), pending(ann, "lyon"), pending(ann, "rome")},
		Conflicts: [][2]string{{"lyon", "paris"}, {"rome", "paris"}, {"rome", "lyon"}}}
	late := pending(ann, "late")
	late.ExpiresAt = 150
	changes.Added, changes.Conflicts = append(changes.Added, late), append(changes.Conflicts, [2]string{"late", "lyon"})
	change(t, store, ann, changes)
	at := func(now float64) map[string][]string {
		found := map[string][]string{}
		list, _, err := store.Memories(t.Context(), memory.Query{ProjectID: "project", Status: wire.MemoryPending, Now: now})
		require.NoError(t, err)
		for _, one := range list {
			found[one.ID] = one.ConflictsWithPending
		}
		return found
	}
	require.Equal(t, map[string][]string{"lyon": {"late", "rome"}, "rome": {"lyon"}, "late": {"lyon"}}, at(149))
	require.Equal(t, map[string][]string{"lyon": {"rome"}, "rome": {"lyon"}}, at(150), "as of now")
	change(t, store, ann, memory.Changes{Updated: []wire.Memory{rejected(ann, "rome", wire.RejectedByReviewer)}})
	require.Equal(t, map[string][]string{"lyon": nil}, at(160))

	many := memory.Changes{}
	for n := range 25 {
		id := fmt.Sprint("city-", n)
		many.Added, many.Conflicts = append(many.Added, pending(ann, id)), append(many.Conflicts, [2]string{id, "lyon"})
	}
	change(t, store, ann, many)
	require.Len(t, at(160)["lyon"], 20)
}

func conflicts(t *testing.T, store Store) map[string][]string {
	found := map[string][]string{}
	for _, one := range all(t, store) {
		if one.ConflictsWith != nil {
			found[one.ID] = one.ConflictsWith
		}
	}
	return found
}

func otherProject(t *testing.T, store Store) {
	add(t, store, ann, pending(ann, "cat"))
	for _, at := range []struct{ projectID, id string }{{"elsewhere", "cat"}, {"project", "dog"}, {"project", ""}, {"", "cat"}} {
		_, err := store.Memory(t.Context(), at.projectID, at.id)
		require.ErrorIs(t, err, fault.ErrNotFound, at)
	}
}

func expiring(t *testing.T, store Store) {
	early, late := pending(ann, "early"), pending(bob, "late")
	late.ExpiresAt = 700.000001
	add(t, store, ann, early, approved(ann, "cat", 150))
	add(t, store, bob, late)
	require.NoError(t, store.ExpireMemories(t.Context(), 699.999999))
	require.Equal(t, []wire.Memory{late, approved(ann, "cat", 150), early}, all(t, store))
	require.NoError(t, store.ExpireMemories(t.Context(), 700))
	require.Equal(t, []wire.Memory{late, approved(ann, "cat", 150), memory.AsOf(early, 700)}, all(t, store))
}
