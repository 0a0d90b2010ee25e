package memory_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

// While a Store blocks everybody else, a Machine reads each memory at most
// once, however many it is compared with, and new ones not at all. The
// readings are counted by their allocations: comparing hardly allocates.
func TestMachineReadsEachMemoryOnce(t *testing.T) {
	state := memory.State{Erased: map[string]bool{}}
	for n := range 60 {
		one := fact(fmt.Sprint("old", n), fmt.Sprintf("User prefers tool%d over thing%d", n, n), 0.9)
		if one.Status = wire.MemoryApproved; n >= 40 {
			one.Status, one.RejectReason = wire.MemoryRejected, wire.RejectedByReviewer
			state.Barred = append(state.Barred, one)
			continue
		}
		state.Memories = append(state.Memories, one)
	}
	var found []memory.Detected
	for n := range 10 {
		found = append(found, key.Read(owner, fact(fmt.Sprint("new", n), fmt.Sprintf("User prefers dish%d over meal%d", n, n), 0.9)))
	}
	once := testing.AllocsPerRun(5, func() {
		for _, one := range append(state.Memories, state.Barred...) {
			canon.Of(one.MemoryContent)
		}
	})
	all := testing.AllocsPerRun(5, func() {
		m := memory.NewMachine(rules(auto), state, 1)
		for _, one := range found {
			m.Detect(one)
		}
		require.Len(t, m.Changes().Added, len(found))
	})
	t.Logf("60 memories are read once with %.0f allocations; 10 more are compared with them, with %.0f", once, all)
	require.Less(t, all, 2*once)
}
