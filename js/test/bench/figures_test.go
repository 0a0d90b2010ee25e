package bench_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFigures(t *testing.T) {
	t.Parallel()
	odd, even := sample{30, 10, 20}, sample{4, 1, 2, 3}
	require.Equal(t, "20.0 (10.0–30.0)", odd.String())
	require.Equal(t, "2.50 (1.00–4.00)", even.String())
	require.Equal(t, "1234", sample{1234.4}.String())
	require.Equal(t, "8.00", ratio(odd, even))
	require.Equal(t, "–", ratio(odd, sample{0}))
	require.Equal(t, "under 50", sample{0, 0}.task())
	require.Equal(t, "60.0 (under 50–70.0)", sample{0, 60, 70}.task())
}

func TestTablesGoBetweenTheirMarkers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "performance.md")
	require.NoError(t, os.WriteFile(path, []byte("above\n"+begin+"old\n"+end+"below\n"), 0o600))
	for range 2 {
		require.NoError(t, insert(path, "new\n"))
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "above\n"+begin+"\nnew\n\n"+end+"below\n", string(text))
	require.NoError(t, os.WriteFile(path, []byte("no markers"), 0o600))
	require.ErrorContains(t, insert(path, "new\n"), path)
}
