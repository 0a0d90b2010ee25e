package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

// Rows of all sizes come and go in any order, so SQLite moves them from page to page. The copies
// that it leaves there go with them.
func TestMovedRowsLeaveNothing(t *testing.T) {
	t.Parallel()
	// With these seeds something stays if the free space of pages is not looked at.
	for _, seed := range []uint64{3, 4} {
		store := openNew(t)
		random := rand.New(rand.NewPCG(seed, 1))
		var chats, memories, gone []string
		take := func(from *[]string) string {
			n := random.IntN(len(*from))
			mark := (*from)[n]
			*from = append((*from)[:n], (*from)[n+1:]...)
			gone = append(gone, mark)
			return mark
		}
		for n := range 300 {
			mark := fmt.Sprintf("zq%05dx", n)
			switch what := random.IntN(5); {
			case what < 2:
				one := newTurn(mark)
				one.NewChat.Name, one.Question.Content = mark, strings.Repeat(mark+" ", 1+random.IntN(200))
				require.NoError(t, store.BeginTurn(t.Context(), ann, one))
				chats = append(chats, mark)
			case what == 2:
				remember(t, store, mark, 1+random.IntN(30))
				memories = append(memories, mark)
			case what == 3 && len(chats) > 0:
				require.NoError(t, store.DeleteChat(t.Context(), ann, "chat-"+take(&chats), 5))
			case what == 4 && len(memories) > 0:
				require.NoError(t, store.DeleteMemory(t.Context(), goes, take(&memories), nil, memory.Receipt{By: "ann", At: 1}))
			}
			if random.IntN(40) == 0 {
				require.NoError(t, store.Sweep(t.Context(), 0, 0))
			}
		}
		require.NoError(t, store.Sweep(t.Context(), 0, 0))
		require.NotEmpty(t, gone)
		require.Empty(t, filesHold(t, pathOf(t, store), gone...))
		requireIntact(t, store)
	}
}

func remember(t *testing.T, store *sqlite.Store, mark string, words int) {
	t.Helper()
	require.NoError(t, store.ChangeMemories(t.Context(), goes, "", func(memory.State) (memory.Changes, error) {
		return memory.Changes{Added: []wire.Memory{{
			ID: mark, MemoryContent: strings.Repeat(mark+" ", words), MemoryType: wire.MemoryFact, Status: wire.MemoryApproved,
		}}}, nil
	}))
}
