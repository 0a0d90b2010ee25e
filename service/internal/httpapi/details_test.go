package httpapi_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// thinking is a model that thinks, and says what that took.
func thinking(up *setup) {
	up.chat.Agents[0].Reasoning = answering.ReasoningShown
	up.provider = say(answering.Piece{Reasoning: "Hm."}, answering.Piece{Text: "Yes."}, answering.Piece{
		FinishReason: wire.FinishStop, Model: "other", Usage: &wire.Usage{InputTokens: 9, CachedTokens: 4, OutputTokens: 5, ReasoningTokens: 3},
	})
}

// Who asks for reasoning gets it in the stream, the history and JSON; the others get an answer as before.
func TestReasoning(t *testing.T) {
	t.Parallel()
	s := start(t, thinking)
	asks := field{name: "reasoning", value: "true"}
	text := s.send(as("ann").with("accept", eventStream), asks).Body.String()
	require.Contains(t, text, "id: 2\nevent: reasoning\ndata: {\"text\":\"Hm.\"}\n\n")
	require.Contains(t, text, `"reasoning":"Hm."`)
	require.Contains(t, text, `"chunks":1,"bytes":4`)
	whole := decode[wire.SendMessageResponse](t, s.send(as("ann"), asks))
	require.Equal(t, "Hm.", whole.Message.Reasoning)
	require.Equal(t, whole.Message, decode[wire.Message](t, s.do("GET", fmt.Sprintf("/project/demo/chat/%s/message/%s", whole.ChatID, whole.MessageID),
		as("ann"), "")))
	for _, fields := range [][]field{nil, {{name: "reasoning", value: "false"}}} {
		text = s.send(as("ann").with("accept", eventStream), fields...).Body.String()
		require.NotContains(t, text, "Hm.")
		require.NotContains(t, text, "event: reasoning")
	}
	refusal(t, s.send(as("ann"), field{name: "reasoning", value: "yes"}), 400, wire.CodeValidation, "reasoning")
	for asks, want := range map[string]string{"true": "Hm.", "false": "", "null": ""} {
		body := fmt.Sprintf(`{"project_id":"demo","chat_id":%q,"message_id":%q,"reasoning":%s}`, whole.ChatID, whole.MessageID, asks)
		again := decode[wire.SendMessageResponse](t, s.do("POST", "/v3/chat/message/regenerate", as("ann").json(), body))
		require.Equal(t, want, again.Message.Reasoning)
	}
}

// A repeat gets the answer of the first request, whether or not it asks for reasoning.
func TestReasoningOfARepeat(t *testing.T) {
	t.Parallel()
	s := start(t, thinking)
	keyed := as("ann").with("idempotency-key", "k")
	require.Empty(t, decode[wire.SendMessageResponse](t, s.send(keyed)).Message.Reasoning)
	w := s.send(keyed, field{name: "reasoning", value: "true"})
	require.Equal(t, "true", w.Header().Get("Idempotent-Replayed"))
	require.Empty(t, decode[wire.SendMessageResponse](t, w).Message.Reasoning)
}

// An answer says what it took, and which model answered.
func TestUsage(t *testing.T) {
	t.Parallel()
	s := start(t, thinking)
	w := s.send(as("ann"))
	require.Contains(t, w.Body.String(), `"usage":{"input_tokens":9,"cached_tokens":4,"output_tokens":5,"reasoning_tokens":3}`)
	require.Equal(t, "other", decode[wire.SendMessageResponse](t, w).Message.ModelName)
}

// A call whose arguments were mended shows what the model wrote, beside what is approved and carried out.
func TestArgumentsThatWereMended(t *testing.T) {
	t.Parallel()
	const wrote, means = "```json\n{\"n\":\"3\"}\n```", `{"n":3}`
	carried := make(chan string, 2)
	carry := func(_ context.Context, call tool.Call) tool.Outcome {
		carried <- call.Arguments
		return tool.Outcome{Status: wire.CallDone, Result: "did"}
	}
	s := start(t, withTools(t, calling("act", wrote, means), wire.ApprovalUser, carry, tool.PageToolsNone)).carried()
	waiting := decode[wire.SendMessageResponse](t, s.send(as("ann"), field{name: "tool_calls", value: "true"}))
	mended, plain := waiting.Message.ToolCalls[0], waiting.Message.ToolCalls[1]
	require.Equal(t, []string{means, wrote}, []string{mended.Arguments, mended.ModelArguments})
	require.Equal(t, []string{means, ""}, []string{plain.Arguments, plain.ModelArguments})
	changed(t, s.decideCall(as("ann"), mended.ID, approve))
	changed(t, s.decideCall(as("ann"), plain.ID, approve))
	s.ended(waiting.StreamID)
	require.Equal(t, []string{means, means}, []string{<-carried, <-carried})
	call := decode[wire.ToolCall](t, s.do("GET", "/tool-calls/"+mended.ID, as("ann"), ""))
	require.Equal(t, wrote, call.ModelArguments)
	require.False(t, call.Edited)
}
