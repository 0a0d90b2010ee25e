package canon_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/eval"
	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

// additions are words that make any statement new.
var additions = []string{
	" and zebras", ", zebras", " only on Sundays", " since 1998", " with Zelda", ", not zebras", " in Tromso", " without zebras", " until May", " for 3 zebras",
}

// A statement with an addition is not a duplicate of the original.
func TestWhatIsAddedIsNew(t *testing.T) {
	t.Parallel()
	for _, set := range []func(string) ([]eval.Pair, error){eval.ClosePairs, eval.Duplicates, eval.OwnDuplicates, eval.Conflicts} {
		for _, p := range pairs(t, set) {
			for _, statement := range []string{p.A, p.B} {
				before := canon.Of(statement)
				for _, more := range additions {
					if before.Relation == "name" && more == ", not zebras" {
						continue // what a name is not adds nothing
					}
					after := canon.Of(strings.TrimRight(statement, " .!?") + more)
					if eval.Seen(p.ID) {
						require.False(t, before.SameAs(after), "%s%s: %s / %s", statement, more, before.Key(), after.Key())
					}
					require.False(t, before.SameAs(after), "%s, with%s", p.ID, more)
				}
			}
		}
	}
}
