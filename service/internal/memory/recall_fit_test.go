package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// If not all memories fit, those approved first are left out, and of those
// approved at the same time the ones with greater ids.
func TestRecallFits(t *testing.T) {
	t.Parallel()
	s := start(t, says{})
	kept := []wire.Memory{
		{ID: "m2", ApprovedAt: 30, MemoryType: wire.MemoryFact, MemoryContent: "User has <b>"},
		{ID: "m1", ApprovedAt: 30, MemoryType: wire.MemoryPreference, MemoryContent: "User likes a"},
		{ID: "m0", ApprovedAt: 10, MemoryType: wire.MemoryContext, MemoryContent: "c"},
		{ID: "m3", ApprovedAt: 20, MemoryType: wire.MemoryFact, MemoryContent: "User was d"},
	}
	require.NoError(t, s.store.ChangeMemories(t.Context(), owner, "", func(memory.State) (memory.Changes, error) {
		for i := range kept {
			kept[i].Status = wire.MemoryApproved
		}
		return memory.Changes{Added: kept}, nil
	}))
	recall := func(bytes int) (string, []string) {
		section, ids, err := s.Recall(t.Context(), "project", "assistant", "ann", bytes)
		require.NoError(t, err)
		require.LessOrEqual(t, len(section), max(bytes, 0))
		return section, ids
	}
	// From all of them down, a section fits into its own length and not into a byte less.
	bytes := plenty
	for _, want := range [][]string{{"m1", "m3", "m2", "m0"}, {"m1", "m3", "m2"}, {"m1", "m2"}, {"m1"}} {
		section, ids := recall(bytes)
		require.Equal(t, want, ids)
		again, _ := recall(len(section))
		require.Equal(t, section, again)
		bytes = len(section) - 1
	}
	for _, none := range []int{bytes, 0, -1} {
		section, ids := recall(none)
		require.Empty(t, section)
		require.Empty(t, ids)
	}
}

// Of a thousand memories of the greatest length, the newest are recalled that
// fit.
func TestRecallFitsManyMemories(t *testing.T) {
	t.Parallel()
	s := start(t, says{})
	require.NoError(t, s.store.ChangeMemories(t.Context(), owner, "", func(memory.State) (memory.Changes, error) {
		var changes memory.Changes
		for i := range 1000 {
			changes.Added = append(changes.Added, wire.Memory{
				ID: fmt.Sprintf("m%03d", i), ApprovedAt: float64(i), Status: wire.MemoryApproved,
				MemoryType: wire.MemoryFact, MemoryContent: strings.Repeat("x", 300),
			})
		}
		return changes, nil
	}))
	section, ids, err := s.Recall(t.Context(), "project", "assistant", "ann", 3*2048)
	require.NoError(t, err)
	require.LessOrEqual(t, len(section), 3*2048)
	require.Len(t, ids, 17)
	require.Equal(t, "m999", ids[len(ids)-1])
}
