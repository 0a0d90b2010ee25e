package eval_test

import (
	"os"
	"strings"
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/memory/eval"
	"github.com/stretchr/testify/require"
)

// The floor is what a day's probe reached, which the detector must not fall
// below on what its rules were not written with.
func TestDetectionKeepsAboveTheProbe(t *testing.T) {
	t.Parallel()
	file, err := os.Open("../testdata/dev.jsonl")
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	all, err := eval.Read(file)
	require.NoError(t, err)
	require.Len(t, all, 266)

	var table strings.Builder
	require.NoError(t, eval.Table(&table, all))
	t.Log("\n" + table.String())
	_, unseen, _ := eval.Score(all)
	require.GreaterOrEqual(t, unseen.Precision(), 0.92)
	require.GreaterOrEqual(t, unseen.Recall(), 0.85)
	require.LessOrEqual(t, unseen.FalseAlarms(), 0.058)
	require.GreaterOrEqual(t, unseen.MainTypes(), 0.95)
}
