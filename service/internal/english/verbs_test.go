package english_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

func TestFormsOfVerbs(t *testing.T) {
	t.Parallel()
	known := english.Set("live study plan make go love")
	for form, want := range map[string]string{
		"lives": "live", "living": "live", "studied": "study", "planning": "plan", "making": "make", "went": "go", "is": "be", "loves": "love",
		"women": "women", "glows": "glow",
	} {
		require.Equal(t, want, english.Lemma(form, known), form)
	}
	require.Equal(t, "woman", english.Base("women"))
	require.Empty(t, english.Base("table"))
	for _, word := range []string{"was", "lived", "went", "cut", "drank"} {
		require.True(t, english.Past(word), word)
	}
	for _, word := range []string{"is", "lives", "living", "read", "need", "table", "goes"} {
		require.False(t, english.Past(word), word)
	}
	require.True(t, english.Participle("been"))
	require.True(t, english.Gerund("going"))
	require.False(t, english.Gerund("morning"))
}
