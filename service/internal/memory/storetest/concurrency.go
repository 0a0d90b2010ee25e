package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

var concurrencyRules = []rule{
	{"one of many concurrent reviewers wins", oneReviewerWins},
	{"the limit holds under many concurrent approvals", limitHolds},
	{"a job that many finish is finished once", finishedOnce},
}

// atOnce runs do n times at once and returns the errors.
func atOnce(n int, do func(i int) error) []error {
	var all sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	return errs
}

var rules = memory.Rules{Enabled: true, Max: 3, Types: []string{wire.MemoryFact}, Lifetime: 1000}

func oneReviewerWins(t *testing.T, store Store) {
	for round := range 10 {
		id := fmt.Sprint("m", round)
		add(t, store, ann, pending(ann, id))
		var wins atomic.Int64
		for _, err := range atOnce(8, func(i int) error {
			return store.ChangeMemories(t.Context(), ann, "", func(state memory.State) (memory.Changes, error) {
				m := memory.NewMachine(rules, state, 200)
				if i%2 == 0 {
					err := m.Reject(id, "root")
					return m.Changes(), err
				}
				_, err := m.Approve(id, "", "root")
				return m.Changes(), err
			})
		}) {
			if err == nil {
				wins.Add(1)
				continue
			}
			var refusal *fault.Error
			require.True(t, errors.As(err, &refusal), err)
			require.Equal(t, wire.CodeConflict, refusal.Code)
		}
		require.Equal(t, int64(1), wins.Load())
	}
}

func limitHolds(t *testing.T, store Store) {
	for i := range 12 {
		add(t, store, ann, pending(ann, fmt.Sprint("thing", i)))
	}
	for _, err := range atOnce(12, func(i int) error {
		return store.ChangeMemories(t.Context(), ann, "", func(state memory.State) (memory.Changes, error) {
			m := memory.NewMachine(rules, state, 200+float64(i))
			_, err := m.Approve(fmt.Sprint("thing", i), "", "root")
			return m.Changes(), err
		})
	}) {
		require.NoError(t, err)
	}
	in, err := store.ApprovedMemories(t.Context(), ann)
	require.NoError(t, err)
	require.Len(t, in, 3)
}

func finishedOnce(t *testing.T, store Store) {
	queue(t, store, ann, "one")
	for _, err := range atOnce(6, func(i int) error {
		return store.FinishJob(t.Context(), job(ann, "one"), found(pending(ann, fmt.Sprint("m", i))))
	}) {
		if err != nil {
			require.ErrorIs(t, err, fault.ErrNotFound)
		}
	}
	require.Len(t, all(t, store), 1)
}
