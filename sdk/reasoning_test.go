package sdk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// reasoned is an answer whose model thinks before and amid its text.
func reasoned() reply {
	think := func(text string) written {
		return written{event: wire.EventReasoning, data: wire.Text{Text: text}}
	}
	return streamReply(stream(numbered(
		start(), think("Let me "), think("see."), chunk("He"), think("\n\nSure."), chunk("llo"), complete("He", "llo"), end())...))
}

// OnReasoning asks for what the model thinks, and gets it. It is no part of the text and of its proof.
func TestOnReasoningAsksForReasoning(t *testing.T) {
	t.Parallel()
	client, script := openPage(t, reasoned())
	var h heard
	options := h.options()
	options.OnReasoning = func(text string) { h.add("thinks %q", text) }
	require.NoError(t, client.SendMessageStream(t.Context(), "hi", options))
	require.Equal(t, []string{`thinks "Let me "`, `thinks "see."`, "chunk He", `thinks "\n\nSure."`, "chunk llo", "complete Hello", "end"}, h.list)
	require.Contains(t, script.requests[0].Form, sdk.FormField{Name: "reasoning", Text: "true"})
}

// Who does not ask gets an answer as before, also where somebody else has asked for its reasoning.
func TestReasoningIsIgnored(t *testing.T) {
	t.Parallel()
	client, script := openPage(t, reasoned())
	var h heard
	require.NoError(t, client.SendMessageStream(t.Context(), "hi", h.options()))
	require.Equal(t, []string{"chunk He", "chunk llo", "complete Hello", "end"}, h.list)
	for _, field := range script.requests[0].Form {
		require.NotEqual(t, "reasoning", field.Name)
	}
}

// The iterator has reasoning as events with ids.
func TestReasoningIsAnEvent(t *testing.T) {
	t.Parallel()
	client, _ := openPage(t, reasoned())
	thought := map[int64]string{}
	for event, err := range client.Stream(t.Context(), "hi", sdk.SendMessageOptions{Reasoning: true}) {
		require.NoError(t, err)
		if event.Type == wire.EventReasoning {
			thought[event.ID] = event.Text
		}
	}
	require.Equal(t, map[int64]string{2: "Let me ", 3: "see.", 5: "\n\nSure."}, thought)
}
