package main_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	eval "github.com/chatsdk/chatsdk/service/internal/memory/eval"
	"github.com/chatsdk/chatsdk/service/internal/memory/rules"
)

// The floor is what a day's probe reached, which the detector must not fall
// below on messages that its rules were not written with.
func TestDetectionStaysAboveTheProbe(t *testing.T) {
	t.Parallel()
	all, err := eval.ReadFile[eval.Message]("../testdata/dev.jsonl")
	require.NoError(t, err)
	require.Len(t, all, 266)

	var table strings.Builder
	require.NoError(t, eval.DetectionTable(&table, all))
	t.Log("\n" + table.String())
	_, unseen, _ := eval.Score(all)
	require.GreaterOrEqual(t, unseen.Precision(), 0.92)
	require.GreaterOrEqual(t, unseen.Recall(), 0.85)
	require.LessOrEqual(t, unseen.FalseAlarms(), 0.058)
	require.GreaterOrEqual(t, unseen.MainTypes(), 0.95)
}

func TestFiguresCountMessages(t *testing.T) {
	t.Parallel()
	var f eval.Figures
	preference := rules.Finding{Type: "preference", Confidence: 0.9}
	fact := rules.Finding{Type: "fact", Confidence: 0.6}
	f.Add(eval.Message{Memorable: true, Types: []string{"fact"}}, []rules.Finding{fact, preference})
	f.Add(eval.Message{Memorable: true, Types: []string{"preference"}}, []rules.Finding{fact, preference})
	f.Add(eval.Message{Memorable: true, Types: []string{"fact"}}, []rules.Finding{fact})
	f.Add(eval.Message{Memorable: true, Types: []string{"fact"}}, nil)
	f.Add(eval.Message{}, []rules.Finding{fact})
	f.Add(eval.Message{}, nil)
	require.Equal(t, 0.75, f.Precision())
	require.Equal(t, 0.75, f.Recall())
	require.Equal(t, 0.5, f.FalseAlarms())
	require.InDelta(t, 2.0/3, f.MainTypes(), 1e-9, "the most confident finding counts")
	require.Equal(t, 0.6, f.Types())
}

func TestDuplicatesAreCounted(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	require.NoError(t, eval.DuplicatesTable(&table, []eval.Pair{
		{"1", "I have a cat.", "User has a cat", true},
		{"2", "I have a cat.", "User has two dogs", true},
	}))
	require.Regexp(t, `all +2 +0\.500 +1 +0\n`, table.String())
}
