package tokens_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/lineartest"
	"github.com/chatsdk/chatsdk/service/internal/tokens"
)

// counted is a text with what it takes in the vocabularies of families. testdata/counts.mjs has made them.
type counted struct {
	Text   string         `json:"text"`
	Tokens map[string]int `json:"tokens"`
}

func texts(t *testing.T) (all map[string]counted) {
	t.Helper()
	data, err := os.ReadFile("testdata/counts.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &all))
	require.NotEmpty(t, all)
	return all
}

func TestEstimateAsksForEnough(t *testing.T) {
	t.Parallel()
	// Nobody writes these: words of random letters and of random Chinese characters.
	rare := map[string]float64{"nonsense": 0.5, "han_rare": 0.7}
	for name, one := range texts(t) {
		most := slices.Max(slices.Collect(maps.Values(one.Tokens)))
		share := float64(tokens.Estimate(one.Text)) / float64(most)
		least := 1.0
		if rare[name] > 0 {
			least = rare[name]
		}
		require.GreaterOrEqual(t, share, least, name)
		require.Less(t, share, 5.0, name)
	}
}

func TestVocabulariesAreThoseOfTheModels(t *testing.T) {
	t.Parallel()
	for name, one := range texts(t) {
		require.Equal(t, one.Tokens["o200k"], tokens.For("gpt-4o-mini", "").Count(one.Text), name)
		for model, family := range map[string]string{"meta-llama/Llama-3.3-70B": "llama", "Qwen/Qwen3-32B": "qwen"} {
			count := tokens.For(model, "").Count(one.Text)
			require.GreaterOrEqual(t, count, one.Tokens[family], "%s of %s", name, family)
		}
	}
}

func TestRoughIsQuickAndEnough(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"gpt-4o", "qwen3:8b", "claude-sonnet-4-5", ""} {
		counter := tokens.For(model, "")
		require.Equal(t, counter.IsExact(), strings.HasPrefix(model, "gpt") || strings.HasPrefix(model, "qwen"))
		for name, one := range texts(t) {
			require.GreaterOrEqual(t, counter.Rough().Count(one.Text), counter.Count(one.Text), name)
		}
	}
	require.Equal(t, 2, tokens.For("gpt-4o", "").Rough().Times(0.5).Count("four"))
	require.Equal(t, 2, tokens.For("", "").Times(0).Count("four"))
}

func TestNamesOfModels(t *testing.T) {
	t.Parallel()
	hello := "Καλημέρα 12345"
	for model, like := range map[string]string{
		"gpt-5.2": "o200k", "openai/gpt-oss-120b": "o200k", "o3-mini": "o200k", "gpt-4-turbo": "cl100k", "gpt-4.1": "o200k", "GPT-4o": "o200k",
		"llama3.1:8b": "llama", "meta-llama/Meta-Llama-3-8B": "llama", "qwen/Qwen3": "qwen", "mistral-large": "estimate", "orca": "estimate",
	} {
		require.Equal(t, tokens.For("x", like).Count(hello), tokens.For(model, "").Count(hello), model)
	}
	require.Equal(t, tokens.For("x", "qwen").Count(hello), tokens.For("gpt-4o", "qwen").Count(hello), "a setting counts")
	for _, name := range tokens.Vocabularies() {
		require.False(t, tokens.For("x", name).IsPlain())
	}
}

func TestCountingIsLinear(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"gpt-4o", "qwen", "claude"} {
		counter := tokens.For(model, "")
		counter.Count("warm")
		for _, part := range []string{"x", "日", " ", "-", "a1", "word "} {
			t.Run(model+" of "+part, func(t *testing.T) {
				calls := 0
				lineartest.Check(t, part, 9000, func(text string) {
					calls++ // what was counted before is known
					counter.Count(strconv.Itoa(calls) + text)
				})
			})
		}
	}
}

// Messages are counted in each turn of a chat. What was counted before is known, also while others are counted.
func TestCountsAreKept(t *testing.T) {
	counter, text := tokens.For("gpt-4o", ""), strings.Repeat("The locker keeps it for 72 hours. ", 30)
	first := counter.Count(text)
	allocated := testing.AllocsPerRun(10, func() { require.Equal(t, first, counter.Count(text)) })
	require.Less(t, allocated, 10.0, "an encoding allocates for each word")
	for i := range 40_000 {
		tokens.For("claude", "").Count(text)
		counter.Count(strings.Repeat("x", 64) + strconv.Itoa(i))
	}
	require.Equal(t, first, counter.Count(text))
	require.Equal(t, 2*first, counter.Times(2).Count(text))
	require.NotEqual(t, first, tokens.For("qwen3", "").Count(text), "another vocabulary has its own")
}
