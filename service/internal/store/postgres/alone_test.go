package postgres_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
)

// If several replicas begin the same work at once, they do it one after another, even if it fails.
func TestReplicasDoOneThingAfterTheOther(t *testing.T) {
	t.Parallel()
	address := emptyDatabase(t)
	var inside, most, done atomic.Int64
	failed := errors.New("it has failed")
	var all sync.WaitGroup
	for range 3 {
		store, err := postgres.Open(t.Context(), postgres.Config{URL: address, Replica: "one"})
		require.NoError(t, err)
		defer func() { require.NoError(t, store.Close()) }()
		for range 3 {
			all.Go(func() {
				err := store.Alone(t.Context(), "the thing", func(context.Context) error {
					if now := inside.Add(1); now > most.Load() {
						most.Store(now)
					}
					defer inside.Add(-1)
					if done.Add(1)%2 == 0 {
						return failed
					}
					return nil
				})
				if err != nil && !errors.Is(err, failed) {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	require.EqualValues(t, 9, done.Load())
	require.EqualValues(t, 1, most.Load())
}
