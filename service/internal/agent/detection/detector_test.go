package detection_test

import (
	"context"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/detection"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// scripted is a provider that plays a function.
type scripted func(ctx context.Context, prompt answering.Prompt, yield func(answering.Piece, error) bool)

func (s scripted) Answer(ctx context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
	return func(yield func(answering.Piece, error) bool) { s(ctx, prompt, yield) }
}

// says is a provider that thinks, says these texts, and ends the answer.
func says(finish string, texts ...string) scripted {
	return func(_ context.Context, _ answering.Prompt, yield func(answering.Piece, error) bool) {
		pieces := []answering.Piece{{Reasoning: `{"memories": [{"a draft`}}
		for _, text := range texts {
			pieces = append(pieces, answering.Piece{Text: text})
		}
		for _, piece := range append(pieces, answering.Piece{FinishReason: finish}) {
			if !yield(piece, nil) {
				return
			}
		}
	}
}

func detect(t *testing.T, provider answering.Provider, types ...string) ([]memory.Finding, error) {
	t.Helper()
	return detection.Detector{Provider: provider, Model: "small", Timeout: time.Minute}.Detect(t.Context(), "👋 I work at a hospital.", types)
}

const listed = `{"memories": [{"type":"fact","content":"User works at a hospital","confidence":0.9,"quote":"I work at a hospital"},
	{"type":"fact","content":"User is a doctor","confidence":0.9,"quote":"I am a doctor"}]}`

func TestAnyProviderFindsMemories(t *testing.T) {
	t.Parallel()
	var asked answering.Prompt
	provider := scripted(func(ctx context.Context, prompt answering.Prompt, yield func(answering.Piece, error) bool) {
		asked = prompt
		says(wire.FinishStop, "Here they are:\n```json\n", listed[:50], listed[50:], "\n```")(ctx, prompt, yield)
	})
	detector := detection.Detector{Provider: provider, Model: "small", Timeout: time.Minute, Parameters: answering.Parameters{
		Headers: map[string]string{"x-a": "b"}, Stop: []string{"}"}, MaxOutputTokens: 1,
	}}
	found, err := detector.Detect(t.Context(), "👋 I work at a hospital.", []string{wire.MemoryFact})
	require.NoError(t, err)
	require.Equal(t, []memory.Finding{{Type: wire.MemoryFact, Content: "User works at a hospital", Confidence: 0.9, Start: 3, End: 23, Model: true}}, found)
	require.Equal(t, answering.Parameters{Headers: map[string]string{"x-a": "b"}}, asked.Parameters)
	require.Equal(t, "small", asked.Model)
	require.Equal(t, []answering.PromptMessage{{Role: wire.RoleUser, Text: `{"message":"👋 I work at a hospital."}`}}, asked.Messages)
	require.True(t, strings.HasSuffix(asked.System, "List memories of these types alone: fact."))
}

func TestNothingIsFound(t *testing.T) {
	t.Parallel()
	found, err := detect(t, says(wire.FinishStop, `{"memories": []}`))
	require.NoError(t, err)
	require.Empty(t, found)
	busy := &fault.Error{Code: wire.CodeUnavailable, Message: "Busy"}
	for name, test := range map[string]struct {
		provider scripted
		code     string
	}{
		"no list":        {says(wire.FinishStop, "I cannot."), wire.CodeProviderFailed},
		"a list cut":     {says(wire.FinishLength, listed), wire.CodeProviderFailed},
		"an endless one": {says(wire.FinishStop, strings.Repeat("x", 1<<19), strings.Repeat("x", 1<<19), "x"), wire.CodeProviderFailed},
		"a failure": {func(_ context.Context, _ answering.Prompt, yield func(answering.Piece, error) bool) {
			yield(answering.Piece{}, busy)
		}, wire.CodeUnavailable},
	} {
		_, err := detect(t, test.provider)
		require.Equal(t, test.code, fault.Of(err).Code, name)
	}
}

// The whole answer has the time; whoever asks may leave before.
func TestTheTimeOfADetection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		waits := scripted(func(ctx context.Context, _ answering.Prompt, yield func(answering.Piece, error) bool) {
			yield(answering.Piece{Text: "Well"}, nil)
			<-ctx.Done()
			yield(answering.Piece{}, ctx.Err())
		})
		_, err := detect(t, waits)
		require.Equal(t, wire.CodeProviderTimeout, fault.Of(err).Code)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = detection.Detector{Provider: waits, Timeout: time.Minute}.Detect(ctx, "Hi", nil)
		require.ErrorIs(t, err, context.Canceled)
	})
}
