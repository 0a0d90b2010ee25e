package answering_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/tokens"
)

// whole is all that a prompt says.
func whole(p answering.Prompt) string {
	var text strings.Builder
	text.WriteString(p.System)
	for _, m := range p.Messages {
		text.WriteString("\n" + m.Text)
	}
	return text.String()
}

// A prompt leaves room for an answer, whatever the chat consists of, by the count of the model's own vocabulary; and by
// that of another one where nobody knows the model's.
func TestPromptsFitAWindow(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../tokens/testdata/counts.json")
	require.NoError(t, err)
	var texts map[string]struct{ Text string }
	require.NoError(t, json.Unmarshal(data, &texts))
	for name, one := range texts {
		if name == "nonsense" || name == "han_rare" {
			continue // nobody writes these, and only an estimate is too low for them
		}
		chat := chatOf{}
		for range 40 {
			chat = append(chat, user(one.Text), assistant(one.Text))
		}
		for model, counted := range map[string]string{"gpt-4o": "gpt-4o", "qwen3:8b": "qwen3:8b", "claude-sonnet": "gpt-4o"} {
			e := &exam{past: chatWith{chatOf: chat}, basis: answering.Basis{Model: model, Question: question(one.Text)}}
			p, err := e.answer(t)
			require.NoError(t, err)
			took := tokens.For(counted, "").Count(whole(p))
			require.LessOrEqual(t, took, 8192*7/8, "%s of %s", name, model)
			require.Positive(t, e.draft.LeftOut.Messages, "%s of %s", name, model)
		}
	}
}

func TestTheSmallerWindowCounts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		agent int
		can   answering.Abilities
		want  int
	}{
		"the default, with an eighth for the answer": {0, answering.Abilities{}, 7168},
		"the agent's, as nothing is known":           {2000, answering.Abilities{}, 1750},
		"the agent's, of a large model":              {2000, answering.Abilities{Window: 400_000, OutputTokens: 128_000}, 2000},
		"the model's":                                {200_000, answering.Abilities{Window: 8000, OutputTokens: 1000}, 7000},
		"the model's, of which half is kept at most": {200_000, answering.Abilities{Window: 8000, OutputTokens: 7000}, 4000},
	} {
		b := answering.Basis{Model: "gpt-4o", Agent: answering.Agent{Window: test.agent}, Abilities: test.can}
		b.Question = question(strings.Repeat("word ", test.want))
		require.Equal(t, test.want, b.Window(), name)
		var refused *fault.Error
		require.ErrorAs(t, b.Fits(), &refused, name)
		require.Equal(t, wire.CodePayloadTooLarge, refused.Code)
		b.Question.Content = strings.Repeat("word ", test.want-200)
		require.NoError(t, b.Fits(), name)
	}
}

// What a provider counted corrects the counts of its model, within bounds, and no others.
func TestTheProvidersCountCorrects(t *testing.T) {
	t.Parallel()
	chat := chatOf{}
	for range 60 {
		chat = append(chat, user(strings.Repeat("word ", 100)), assistant(strings.Repeat("word ", 100)))
	}
	counter := tokens.For("gpt-4o", "")
	e := &exam{past: chatWith{chatOf: chat}, basis: answering.Basis{Model: "gpt-4o", Question: question("Hi"), Learned: answering.NewLearned()}}
	counts := func(times float64) (messages int) {
		e.usage = func(p answering.Prompt) int64 { return int64(times * float64(counter.Count(whole(p)))) }
		p, err := e.answer(t)
		require.NoError(t, err)
		return len(p.Messages)
	}
	first := counts(1.5)
	require.InDelta(t, float64(first)/1.5, counts(100), 3, "the provider counted more")
	require.InDelta(t, float64(first)/2, counts(1), 3, "but no provider counts as much as that")
	for range 8 {
		counts(1)
	}
	require.InDelta(t, first, counts(1), 3, "the last requests count")
	e.basis.Model = "gpt-4.1"
	require.InDelta(t, first, counts(1), 3)
	for range 10 {
		e.basis.Model = ""
		counts(100)
	}
	require.InDelta(t, first, func() int { e.basis.Model = "gpt-4o"; return counts(1) }(), 3)
}
