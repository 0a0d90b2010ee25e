package english_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

func TestCountAgreesWithOf(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../knowledge/testdata/documents/packet-switching.md")
	require.NoError(t, err)
	all := string(text) + " École, école’s ÉCOLES; 1,000 and 1000. The RUNNING runner's run."
	want := map[string]float64{}
	for _, w := range english.Of(all) {
		want[w.Stem]++
	}
	var stems []string
	for stem := range want {
		stems = append(stems, stem)
	}
	require.Greater(t, len(stems), 500)
	for i, count := range english.NewCounter(stems).Count(all) {
		require.Equal(t, want[stems[i]], count, stems[i])
	}
	require.Equal(t, []float64{0, 2}, english.NewCounter([]string{"marmalade", "1000"}).Count(all))
}

// A form counts even if its first letter differs from that of its stem, whatever
// other stems are counted.
func TestCountKnowsIrregularForms(t *testing.T) {
	t.Parallel()
	for _, forms := range []string{"go Went gone", "eat ate Eaten"} {
		all := english.Of(forms)
		require.Equal(t, []float64{3}, english.NewCounter([]string{all[0].Stem}).Count(forms), forms)
	}
}
