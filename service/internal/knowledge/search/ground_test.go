package search_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
)

// Other people's documents are between the documents of a search: a few of them are read over,
// but never many.
func TestSpansLeaveOutWideGaps(t *testing.T) {
	t.Parallel()
	require.Empty(t, search.Spans(nil))
	require.Equal(t, [][2]int64{{5, 9}}, search.Spans([][2]int64{{5, 9}}))
	require.Equal(t, [][2]int64{{1, 9}, {100_000, 100_001}}, search.Spans([][2]int64{{1, 4}, {5, 9}, {100_000, 100_001}}))

	random := rand.New(rand.NewPCG(1, 2))
	var runs [][2]int64
	for at := int64(1); len(runs) < 1000; {
		if len(runs)%20 == 19 {
			at += 60_000 // a large document of another user's
		}
		last := at + random.Int64N(5)
		runs = append(runs, [2]int64{at, last})
		at = last + 1 + random.Int64N(20)
	}
	spans := search.Spans(runs)
	require.LessOrEqual(t, len(spans), search.MaxSpans)
	next := 0
	for _, span := range spans {
		require.Equal(t, runs[next][0], span[0])
		for next < len(runs) && runs[next][1] <= span[1] {
			next++
		}
		require.Less(t, span[1]-span[0], int64(60_000))
	}
	require.Equal(t, len(runs), next, "all are covered")
}
