package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// BenchmarkAppends prints how many events a second are stored by 64 answers that are
// written at once, ten events at a time.
func BenchmarkAppends(b *testing.B) {
	server, err := pgtest.Start(pgtest.Settings{Durable: true})
	pgtest.Need(b, err)
	defer func() { require.NoError(b, server.Close()) }()
	ctx := context.Background()
	address, err := server.Create(ctx)
	require.NoError(b, err)
	store, err := postgres.Open(ctx, postgres.Config{URL: address, Replica: "bench"})
	require.NoError(b, err)
	defer func() { require.NoError(b, store.Close()) }()
	const streams = 64
	for i := range streams {
		require.NoError(b, store.BeginTurn(ctx, ann, turn(fmt.Sprint("t", i))))
	}
	stored, begun := 0, time.Now()
	for b.Loop() {
		var all sync.WaitGroup
		for i := range streams {
			all.Go(func() {
				for range 20 {
					events := slices.Repeat(chunk("a few words "), 10)
					if err := store.AppendEvents(ctx, held(fmt.Sprint("t", i)), events); err != nil {
						b.Error(err)
					}
				}
			})
		}
		all.Wait()
		stored += streams * 20 * 10
	}
	b.ReportMetric(float64(stored)/time.Since(begun).Seconds(), "events/s")
}
