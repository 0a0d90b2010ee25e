package storetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

var pageRules = []rule{
	{"pages have each entry of the whole list once", pagesOfLists},
	{"pages neither repeat nor omit an entry that stays", pagesStandStill},
}

// page returns a page of a list of the project, and the position of the next
// one.
func page(t *testing.T, store Store, query memory.Query, before int64, limit int) ([]wire.Memory, int64) {
	t.Helper()
	query.ProjectID, query.Page = "project", memory.Page{Before: before, Limit: limit}
	memories, next, err := store.Memories(t.Context(), query)
	require.NoError(t, err)
	return memories, next
}

func pagesOfLists(t *testing.T, store Store) {
	crowd(t, store)
	for _, query := range []memory.Query{
		{}, {Agents: []string{"assistant"}}, {Agents: []string{"assistant", "other"}}, {UserID: "ann"}, {Status: wire.MemoryPending},
		{Agents: []string{"assistant"}, UserID: "ann"}, {Status: wire.MemoryPending, UserID: "ann"}, {Status: wire.MemoryRejected}, {Type: wire.MemoryFact},
		{Agents: []string{}},
	} {
		query.Now = 500
		want := list(t, store, query)
		for limit := 1; limit <= len(want)+1; limit++ {
			got, before := []wire.Memory{}, int64(0)
			for turns := 0; turns == 0 || before > 0; turns++ {
				require.Less(t, turns, len(want)+1, "there is no end")
				var part []wire.Memory
				part, before = page(t, store, query, before, limit)
				require.LessOrEqual(t, len(part), limit)
				require.True(t, before == 0 || len(part) == limit, "every page but the last one is full")
				got = append(got, part...)
			}
			require.Equal(t, want, got, fmt.Sprintf("%+v by %d", query, limit))
		}
	}
}

func pagesStandStill(t *testing.T, store Store) {
	for i := range 6 {
		add(t, store, ann, pending(ann, fmt.Sprint("m", i+1)))
	}
	first, next := page(t, store, memory.Query{}, 0, 2)
	require.Equal(t, []string{"m6", "m5"}, ids(first))
	require.NoError(t, store.DeleteMemory(t.Context(), ann, "m5", marks("m5"), receipt)) // where the next page begins
	require.NoError(t, store.DeleteMemory(t.Context(), ann, "m3", marks("m3"), receipt))
	add(t, store, ann, pending(ann, "new"))
	second, next := page(t, store, memory.Query{}, next, 2)
	require.Equal(t, []string{"m4", "m2"}, ids(second))
	third, next := page(t, store, memory.Query{}, next, 2)
	require.Equal(t, []string{"m1"}, ids(third))
	require.Zero(t, next)
}
