package rules_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/rules"
)

// The documented figures were measured with these weights. After make memory-weights they
// must be measured again.
func TestWeightsAreTheMeasuredOnes(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256(rules.WeightsFile)
	require.Equal(t, "18f80005b3b1b246dbed57685c835be26dcdf003cf616f0a82c5fa83f5c997f8", hex.EncodeToString(sum[:]))
	require.Less(t, len(rules.WeightsFile), 2<<20)
}

// No rule finds anything in these messages.
func TestWhatWasLearntFindsMoreThanRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, kind, content string }{
		{"Please write me a resignation letter for my Developer job", "fact", "User has a Developer job"},
		{"I feel at home in Java, so use that.", "context", "User feels at home in Java"},
	} {
		t.Run(c.content, func(t *testing.T) {
			t.Parallel()
			for _, example := range rules.Examples(c.text) {
				require.Empty(t, example.Ruled)
			}
			found := rules.Detect(c.text)
			require.Len(t, found, 1)
			require.Equal(t, c.kind, found[0].Type)
			require.Equal(t, c.content, found[0].Content)
			require.InDelta(t, 0.85, found[0].Confidence, 0.15)
		})
	}
}

// These messages are about the requested answer, or about everybody.
func TestWhatWasLearntLeavesOutWhatIsForThisAnswer(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"I don't like this title, find another",
		"What could I give as a present to a friend?",
		"Please write me a short story about my sister's dragon and its castle",
		"Can you give me some more details on different ways I can cook eggs?",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, rules.Detect(text))
		})
	}
}
