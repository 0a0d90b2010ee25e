package openai_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
)

// logged asks a model that sends a stream, and returns what the log got, too.
func logged(t *testing.T, stream string) (answer, string) {
	t.Helper()
	var log bytes.Buffer
	p := newModel(t, streams(stream, closed)).provider(t, func(c *openai.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	return read(t, p.Answer(t.Context(), question("Hello?"))), log.String()
}

func TestFinishReasonsAreReadByTheirMeaning(t *testing.T) {
	t.Parallel()
	for finish, words := range map[string]string{
		wire.FinishStop: `stop STOP Stop eos eos_token end end_turn END_TURN endTurn stop_sequence stopSequence complete COMPLETE
			completed finished FINISH_REASON_STOP`,
		wire.FinishLength: `length LENGTH max_tokens MAX_TOKENS maxTokens model_length max_output_tokens model_context_window_exceeded`,
	} {
		for word := range strings.FieldsSeq(words) {
			got, log := logged(t, piece(`"Good answer"`)+ends(word)+done)
			require.NoError(t, got.err, word)
			require.Equal(t, finish, got.finish, word)
			require.Equal(t, "Good answer", got.text())
			require.Empty(t, log, word)
		}
	}
}

func TestReasonsForCallsAreReadByTheirMeaning(t *testing.T) {
	t.Parallel()
	for word := range strings.FieldsSeq("tool_calls TOOL_CALLS tool-calls tool_use toolUse TOOL_CALL function_call stop end_turn some_word") {
		got := read(t, newModel(t, says(parts(head(0, "c1", "lookup", "{}")), ends(word))).provider(t).Answer(t.Context(), withTools()))
		require.NoError(t, got.err, word)
		require.Len(t, got.calls, 1, word)
	}
}

func TestAnUnknownReasonAfterTextIsAnEndAndLogged(t *testing.T) {
	t.Parallel()
	got, log := logged(t, piece(`"Good answer"`)+ends("made_up_word")+done)
	require.NoError(t, got.err)
	require.Equal(t, wire.FinishStop, got.finish)
	require.Contains(t, log, "finish_reason=made_up_word")

	got, log = logged(t, piece(`"Good answer"`)+ends("you said hello")+done)
	require.NoError(t, got.err)
	require.NotContains(t, log, "hello", "it may be somebody's words")
}

func TestReasonsThatAreFailures(t *testing.T) {
	t.Parallel()
	for message, words := range map[string]string{
		"content filter":  "content_filter CONTENT_FILTER content_filtered safety SAFETY RECITATION PROHIBITED_CONTENT guardrail_intervened sensitive",
		"provider failed": "error ERROR network_error MALFORMED_FUNCTION_CALL abort cancelled insufficient_system_resource",
	} {
		for word := range strings.FieldsSeq(words) {
			got, _ := logged(t, piece(`"So far"`)+ends(word)+done)
			failure := requireCode(t, wire.CodeProviderFailed, got.err)
			require.Contains(t, failure.Message, message, word)
			require.Equal(t, "So far", got.text(), word)
		}
	}
}

func TestARefusalInWordsIsAnAnswer(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{piece(`"I can't."`) + ends("refusal"), choice(`"delta":{"refusal":"I can't."}`) + ends("refusal"),
		choice(`"delta":{"refusal":"I can't."}`) + ends("stop")} {
		got, _ := logged(t, stream+done)
		require.NoError(t, got.err)
		require.Equal(t, "I can't.", got.text())
	}
	got, _ := logged(t, first()+ends("refusal")+done)
	require.Contains(t, requireCode(t, wire.CodeProviderFailed, got.err).Message, "refused")
}
