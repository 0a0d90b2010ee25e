package canon_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
	"github.com/chatsdk/chatsdk/service/internal/memory/eval"
)

// pairs reads a set of package eval.
func pairs(t testing.TB, read func(folder string) ([]eval.Pair, error)) []eval.Pair {
	t.Helper()
	all, err := read("..")
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

// Both halves of every set stay above the aim of duplicates.
func TestFigures(t *testing.T) {
	t.Parallel()
	const floor = 0.88
	for name, set := range map[string]func(string) ([]eval.Pair, error){
		"duplicates": eval.Duplicates, "our own duplicates": eval.OwnDuplicates, "our own conflicts": eval.Conflicts,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := pairs(t, set)
			for _, p := range all {
				if p.Want != p.Got && eval.Seen(p.ID) { // of the other half nobody reads the texts
					t.Logf("%s: want %v\n  %s\n  %s", p.ID, p.Want, canon.Of(p.A).Key(), canon.Of(p.B).Key())
				}
			}
			seen, unseen, _ := eval.ScorePairs(all)
			require.GreaterOrEqual(t, seen.Accuracy(), floor)
			require.GreaterOrEqual(t, unseen.Accuracy(), floor)
		})
	}
}
