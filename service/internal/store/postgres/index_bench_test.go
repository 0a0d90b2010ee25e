package postgres_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// BenchmarkIndex prints what the index of 100,000 passages costs: 1,000 documents of 100
// passages of 80 words each, of a vocabulary as uneven as a language's.
func BenchmarkIndex(b *testing.B) {
	server, err := pgtest.Start(pgtest.Settings{Durable: true})
	pgtest.Need(b, err)
	defer func() { require.NoError(b, server.Close()) }()
	ctx := context.Background()
	address, err := server.Create(ctx)
	require.NoError(b, err)
	store, err := postgres.Open(ctx, postgres.Config{URL: address, Replica: "bench"})
	require.NoError(b, err)
	defer func() { require.NoError(b, store.Close()) }()

	const documents, passages, words = 1000, 100, 80
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 8, 60_000)
	var keys []string
	var building time.Duration
	for d := range documents {
		key := fmt.Sprint("doc", d)
		keys = append(keys, key)
		require.NoError(b, store.AddDocument(ctx, knowledge.Document{Key: key, ProjectID: "project", Status: wire.DocumentQueued}, nil, nil))
		var all []split.Passage
		var text strings.Builder
		for range passages {
			start := text.Len()
			for range words {
				text.WriteString(word(zipf.Uint64()) + " ")
			}
			all = append(all, split.Passage{Headings: []string{"A heading"}, Start: start, End: text.Len(), Text: text.String()[start:]})
		}
		begun := time.Now()
		require.NoError(b, store.FinishDocument(ctx, key, read.Document{Kind: read.Plain, Title: "A title", Text: text.String()}, all))
		building += time.Since(begun)
	}
	questions := func(keys []string) (median float64) {
		var times []float64
		for range 200 {
			question := strings.Join([]string{
				word(random.Uint64N(20)), word(100 + random.Uint64N(900)),
				word(1000 + random.Uint64N(9000)), word(random.Uint64N(60_000)),
			}, " ")
			begun := time.Now()
			_, err := store.Search(ctx, question, keys, 10)
			require.NoError(b, err)
			times = append(times, time.Since(begun).Seconds()*1000)
		}
		slices.Sort(times)
		return times[len(times)/2]
	}
	for b.Loop() {
		questions(keys[:100])
	}
	b.ReportMetric(building.Seconds(), "s/build")
	for _, table := range []string{"passage_terms", "passages"} {
		b.ReportMetric(size(b, address, table)/1e6, "MB/"+table)
	}
	for _, count := range []int{1, 100, 1000} {
		b.ReportMetric(questions(keys[:count]), fmt.Sprintf("ms/search-%d", count))
	}
}

// word makes a word of syllables; frequent ones are short.
func word(rank uint64) (text string) {
	for rank++; rank > 0; rank /= 60 {
		text += string("bdfgklmnprst"[rank%12]) + string("aeiou"[rank/12%5])
	}
	return text + "x"
}

// size returns the size of a table with its indexes, in bytes.
func size(b *testing.B, address, table string) (bytes float64) {
	b.Helper()
	conn, err := pgx.Connect(context.Background(), address)
	require.NoError(b, err)
	defer conn.Close(context.Background())
	require.NoError(b, conn.QueryRow(context.Background(), `SELECT pg_total_relation_size($1::regclass)::float8`, table).Scan(&bytes))
	return bytes
}
