package main_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	bench "github.com/chatsdk/chatsdk/service/internal/bench"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/memory/readings"
)

func TestEveryReadingIsMeasured(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, bench.ReadMemories(t.Context(), t.TempDir(), &out, 8, 2))
	require.Contains(t, out.String(), "400 memories of 8 users")
	for _, r := range readings.Of(8) {
		require.Regexp(t, `(?m)^`+r.Name+` +\d+ +[\d.]+ \([\d.]+ to [\d.]+\) +[\d.]+ \([\d.]+ to [\d.]+\) +[\d.]+$`, out.String())
	}
}

// inProcess reads without a child.
type inProcess struct{}

func (inProcess) Read(_ context.Context, name string, data []byte) (read.Document, error) {
	return read.Bytes(name, data)
}

func TestImportAndSearchAreMeasured(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, bench.ImportDocuments(t.Context(), t.TempDir(), &out, inProcess{}, 5, 2))
	require.Contains(t, out.String(), "5 documents of 20 KB")
	require.Regexp(t, `(?m)^import +\d+ +\d+ +[\d.]+$`, out.String())
	require.Regexp(t, `(?m)^search +[\d.]+ \([\d.]+ to [\d.]+\) +[\d.]+ \([\d.]+ to [\d.]+\) +[\d.]+$`, out.String())
}

func TestAlternateTakesTurns(t *testing.T) {
	t.Parallel()
	var order []string
	does := func(name string) func() error {
		return func() error { order = append(order, name); return nil }
	}
	a, b, err := bench.Alternate(2, does("a"), does("b"))
	require.NoError(t, err)
	require.Equal(t, "a b a b a b", strings.Join(order, " "), "the first turn warms up")
	require.Len(t, a, 2)
	require.Len(t, b, 2)

	fault := errors.New("a fault")
	_, _, err = bench.Alternate(2, does("a"), func() error { return fault })
	require.ErrorIs(t, err, fault)
}

func TestTimesTellTheMedianAndTheEnds(t *testing.T) {
	t.Parallel()
	sorted := bench.Times{time.Millisecond, 2500 * time.Microsecond, time.Second}
	require.Equal(t, "   2.500 (1.000 to 1000.000)", sorted.String())
}
