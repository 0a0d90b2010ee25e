package memory_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// owned is how many approved, and how many pending memories an owner has in
// these tests, which is as many as settings allow.
const owned = 1000

// crowded is a service in which ann has as many memories as there can be, and
// whose next message has as many findings. watch sees its store.
func crowded(t testing.TB, watch func(memory.Store) memory.Store) (*service, []wire.Memory) {
	t.Helper()
	from := 0
	s := start(t, detects(func(context.Context, string) (findings []memory.Finding, err error) {
		for i := from; i < from+50; i++ {
			findings = append(findings, memory.Finding{
				Type: wire.MemoryFact, Content: fmt.Sprintf("User built bridge%d in town%d with sister%d", i, i, i),
				Confidence: 0.9, Start: 0, End: 5,
			})
		}
		from += 50
		return findings, nil
	}), func(c *memory.Config) { c.Store = watch(c.Store) })
	s.set(wire.MemorySettings{MaxMemories: to(owned)})
	var all []wire.Memory
	for i := range 2 * owned {
		one := wire.Memory{
			ID: fmt.Sprint("mem", i), AgentID: "assistant", UserID: "ann", MemoryType: wire.MemoryFact, ConfidenceScore: 0.9,
			MemoryContent: fmt.Sprintf("User keeps %d red birds of kind%d in a house by lake%d", i, i, i),
			Status:        wire.MemoryPending, CreatedAt: noon, UpdatedAt: noon, ExpiresAt: noon + week,
		}
		if i < owned {
			one.Status, one.ApprovedAt, one.ExpiresAt = wire.MemoryApproved, noon, 0
		}
		all = append(all, one)
	}
	owner := memory.Owner{ProjectID: "project", AgentID: "assistant", UserID: "ann"}
	require.NoError(t, s.store.ChangeMemories(context.Background(), owner, "", func(memory.State) (memory.Changes, error) {
		return memory.Changes{Added: all}, nil
	}))
	return s, all
}

// watched is a Store that records what is allocated within its transactions,
// and how long they take.
type watched struct {
	memory.Store
	allocations float64
	held        time.Duration
}

func (w *watched) FinishJob(ctx context.Context, job memory.Job, detect func(memory.State) memory.Changes) error {
	begun := time.Now()
	err := w.Store.FinishJob(ctx, job, func(state memory.State) (changes memory.Changes) {
		if w.allocations < 0 {
			w.allocations = testing.AllocsPerRun(1, func() { changes = detect(state) })
			return changes
		}
		return detect(state)
	})
	w.held = time.Since(begun)
	return err
}

func (w *watched) ChangeMemories(
	ctx context.Context, owner memory.Owner, memoryID string, decide func(memory.State) (memory.Changes, error),
) error {
	return w.Store.ChangeMemories(ctx, owner, memoryID, func(state memory.State) (changes memory.Changes, err error) {
		w.allocations = testing.AllocsPerRun(1, func() { changes, err = decide(state) })
		return changes, err
	})
}

// What a decision compares was read before the transaction begins: reading a
// statement takes some twenty allocations, and there are 2,000.
func TestTransactionsReadNoStatements(t *testing.T) { // not parallel: the allocations of other tests would count
	w := &watched{allocations: -1}
	s, all := crowded(t, func(store memory.Store) memory.Store { w.Store = store; return w })
	s.tell("ann", "assistant", "I built some bridges")
	require.NoError(t, s.WorkOff(t.Context()))
	require.Less(t, w.allocations, 5.0*owned)
	require.Len(t, s.of("ann"), 2*owned+50)

	_, err := s.Decide(t.Context(), ann, all[owned+60].ID, wire.MemoryActionRequest{Action: wire.ActionReject}, once.Request{})
	require.NoError(t, err)
	rejecting := w.allocations
	_, err = s.Decide(t.Context(), ann, all[owned+61].ID, wire.MemoryActionRequest{Action: wire.ActionApprove}, once.Request{})
	require.NoError(t, err)
	require.Less(t, w.allocations, rejecting+5.0*owned)
}

// BenchmarkFinishJob reports for how long a message with 50 findings keeps
// others from writing, if its owner has 1,000 approved and 1,000 pending
// memories.
func BenchmarkFinishJob(b *testing.B) {
	w := &watched{}
	var held []time.Duration
	s, _ := crowded(b, func(store memory.Store) memory.Store { w.Store = store; return w })
	for b.Loop() {
		s.tell("ann", "assistant", "I built some bridges")
		require.NoError(b, s.WorkOff(b.Context()))
		held = append(held, w.held)
	}
	slices.Sort(held)
	b.ReportMetric(float64(held[len(held)/2].Microseconds())/1000, "ms-held")
}
