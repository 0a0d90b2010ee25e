package form_test

import (
	"bufio"
	"encoding/json"
	"hash/fnv"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/memory/form"
)

// A pair is a line of the data: two statements and what is right about them.
type pair struct {
	ID, A, B            string
	Duplicate, Conflict bool
	Relation            string
}

func pairs(t testing.TB, path string) []pair {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	var all []pair
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var p pair
		require.NoError(t, json.Unmarshal(lines.Bytes(), &p))
		all = append(all, p)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, all)
	return all
}

// seen is the half of the data whose mistakes were looked at while the rules
// were written; of the others only the count was. The development pairs had
// all been read once before, so that their second half is no unseen data.
func seen(id string) bool {
	h := fnv.New32a()
	h.Write([]byte(id))
	return h.Sum32()%2 == 0
}

// A score counts what was right, and the yes that should have been no.
type score struct{ right, all, wronglyYes int }

func (s *score) add(want, got bool) {
	s.all++
	if want == got {
		s.right++
	} else if got {
		s.wronglyYes++
	}
}

func (s score) accuracy() float64 { return float64(s.right) / float64(s.all) }

func (s score) log(t *testing.T, name string) {
	t.Logf("%-22s %d of %d right (%.3f), %d wrongly yes", name, s.right, s.all, s.accuracy(), s.wronglyYes)
}

func TestFigures(t *testing.T) {
	t.Parallel()
	tables := []struct {
		name, path string
		floor      float64
		judge      func(pair) (want, got bool)
	}{
		{"duplicates, development", "../testdata/dev-duplicates.jsonl", 0.88, judgeDuplicate},
		{"duplicates, our own", "testdata/paraphrases.jsonl", 0.88, judgeDuplicate},
		{"conflicts", "testdata/conflicts.jsonl", 0.88, judgeConflict},
	}
	for _, table := range tables {
		t.Run(table.name, func(t *testing.T) {
			t.Parallel()
			if _, err := os.Stat(table.path); err != nil {
				t.Skip("the development data is not there yet")
			}
			var looked, unlooked score
			for _, p := range pairs(t, table.path) {
				want, got := table.judge(p)
				if !seen(p.ID) {
					unlooked.add(want, got)
					continue
				}
				looked.add(want, got)
				if want != got {
					t.Logf("%s: want %v\n  %s\n  %s", p.ID, want, form.Of(p.A).Key(), form.Of(p.B).Key())
				}
			}
			looked.log(t, "half looked at:")
			unlooked.log(t, "other half:")
			require.GreaterOrEqual(t, looked.accuracy(), table.floor)
			require.GreaterOrEqual(t, unlooked.accuracy(), table.floor)
		})
	}
}

func judgeDuplicate(p pair) (want, got bool) { return p.Duplicate, form.Duplicate(p.A, p.B) }

func judgeConflict(p pair) (want, got bool) { return p.Conflict, form.Conflict(p.A, p.B) }
