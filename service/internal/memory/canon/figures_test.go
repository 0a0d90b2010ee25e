package canon_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/eval"
	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

// pairs reads a set of package eval.
func pairs(t testing.TB, read func(folder string) ([]eval.Pair, error)) []eval.Pair {
	t.Helper()
	all, err := read("..")
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

// Both halves of every set stay above their floor, and neither has a false duplicate or a
// false conflict. The floor of the public duplicates was 0.88 while two long statements
// that share most of their words counted as duplicates. A dropped memory is lost; a missed
// duplicate is only kept twice.
func TestFigures(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]struct {
		pairs func(string) ([]eval.Pair, error)
		floor float64
	}{
		"duplicates": {eval.Duplicates, 0.80}, "our own duplicates": {eval.OwnDuplicates, 0.88},
		"our own close pairs": {eval.ClosePairs, 0.88}, "our own conflicts": {eval.Conflicts, 0.88},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := pairs(t, set.pairs)
			for _, p := range all {
				if p.Want != p.Got && eval.Seen(p.ID) { // the texts of the other half stay unread
					t.Logf("%s: want %v\n  %s\n  %s", p.ID, p.Want, canon.Of(p.A).Key(), canon.Of(p.B).Key())
				}
			}
			seen, unseen, whole := eval.ScorePairs(all)
			require.GreaterOrEqual(t, seen.Accuracy(), set.floor)
			require.GreaterOrEqual(t, unseen.Accuracy(), set.floor)
			require.Zero(t, whole.WronglyYes)
		})
	}
}

// No new statement is dropped, and a reviewer sees nearly all of them beside the statement
// that they are close to. Random pairs are hardly ever close.
func TestWhatIsNewIsClose(t *testing.T) {
	t.Parallel()
	seen, unseen := eval.ScoreClose(pairs(t, eval.ClosePairs))
	require.Equal(t, 300, seen.New+seen.Duplicates+unseen.New+unseen.Duplicates)
	require.Zero(t, seen.Dropped)
	require.Zero(t, unseen.Dropped)
	require.GreaterOrEqual(t, seen.NotedShare(), 0.95)
	require.GreaterOrEqual(t, unseen.NotedShare(), 0.92)
	_, _, chance := eval.ScorePairs(pairs(t, eval.Unrelated))
	require.Equal(t, 200, chance.Pairs)
	require.Less(t, chance.WronglyYes, 10)
}
