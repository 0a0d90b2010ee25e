package openai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// reports is a chunk with members beside its choices.
func reports(members string) string { return "data: {" + members + "}\n\n" }

func TestTheUsageIsRead(t *testing.T) {
	t.Parallel()
	const plain = `{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}`
	says := func(usage string) string {
		return piece(`"Good"`) + ends("stop") + reports(`"choices":[],"usage":`+usage) + done
	}
	tests := []struct {
		name, stream string
		want         *wire.Usage
	}{
		{"none", piece(`"Good"`) + ends("stop") + done, nil},
		{"null", piece(`"Good"`) + ends("stop") + reports(`"choices":[],"usage":null`) + done, nil},
		{"OpenAI, after the reason",
			says(`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":4,"audio_tokens":0},` +
				`"completion_tokens_details":{"reasoning_tokens":3}}`), &wire.Usage{InputTokens: 10, CachedTokens: 4, OutputTokens: 5, ReasoningTokens: 3}},
		{"no [DONE]", piece(`"Good"`) + ends("stop") + reports(`"choices":[],"usage":`+plain), &wire.Usage{InputTokens: 10, OutputTokens: 5}},
		{"in the last chunk", piece(`"Good"`) + reports(`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":`+plain) + done,
			&wire.Usage{InputTokens: 10, OutputTokens: 5}},
		{"in each chunk, the last counts", reports(`"choices":[{"index":0,"delta":{"content":"Good"}}],"usage":{"prompt_tokens":10,"completion_tokens":1}`) +
			ends("stop") + reports(`"choices":[],"usage":`+plain) + done, &wire.Usage{InputTokens: 10, OutputTokens: 5}},
		{"Groq", piece(`"Good"`) + reports(`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"req_1","usage":`+plain+`}`) + done,
			&wire.Usage{InputTokens: 10, OutputTokens: 5}},
		{"Moonshot, in the choice",
			piece(`"Good"`) + choice(`"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":10,"completion_tokens":5,"cached_tokens":2}`) + done,
			&wire.Usage{InputTokens: 10, CachedTokens: 2, OutputTokens: 5}},
		{"DeepSeek",
			says(`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"prompt_cache_hit_tokens":8,"prompt_cache_miss_tokens":2}`),
			&wire.Usage{InputTokens: 10, CachedTokens: 8, OutputTokens: 5}},
		{"OpenRouter, with costs",
			says(`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"cost":0.00014,"cost_details":{"upstream_inference_cost":null},` +
				`"is_byok":false}`), &wire.Usage{InputTokens: 10, OutputTokens: 5}},
		{"xAI, reasoning beside the output",
			says(`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":115,` +
				`"completion_tokens_details":{"reasoning_tokens":100}}`),
			&wire.Usage{InputTokens: 10, OutputTokens: 105, ReasoningTokens: 100}},
		{"Gemini, thoughts in the total alone", says(`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":115}`),
			&wire.Usage{InputTokens: 10, OutputTokens: 105, ReasoningTokens: 100}},
		{"a gateway to Anthropic, cached beside the input", says(`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":65,"cache_read_input_tokens":50}`),
			&wire.Usage{InputTokens: 60, CachedTokens: 50, OutputTokens: 5}},
		{"odd forms", says(`{"prompt_tokens":"10","completion_tokens":5.0,"total_tokens":null,"prompt_tokens_details":null,"completion_tokens_details":[]}`),
			&wire.Usage{InputTokens: 10, OutputTokens: 5}},
		{"no object", says(`7`), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, _ := logged(t, test.stream)
			require.NoError(t, got.err)
			require.Equal(t, "Good", got.text())
			require.Equal(t, test.want, got.last.Usage)
		})
	}
}

// An answer without a word is asked for once more, and both requests took tokens.
func TestTheUsageOfAnEmptyAnswerCounts(t *testing.T) {
	t.Parallel()
	used := reports(`"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5}`)
	got := newModel(t, says(ends("stop"), used), says(piece(`"Good"`), ends("stop"), used)).ask(t)
	require.NoError(t, got.err)
	require.Equal(t, &wire.Usage{InputTokens: 20, OutputTokens: 10}, got.last.Usage)
}

// A server that refuses stream_options is asked without, now and from then on.
func TestAServerThatRefusesStreamOptionsIsAskedWithout(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"a sentence":         `{"error":{"message":"Unrecognized request argument supplied: stream_options","type":"invalid_request_error"}}`,
		"a member":           `{"error":{"message":"Unknown parameter","type":"invalid_request_error","param":"stream_options"}}`,
		"FastAPI's place":    `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`,
		"within another one": `{"error":{"message":"litellm.BadRequestError: X - {\"error\":{\"message\":\"stream_options is not supported\"}}","code":"400"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, refuses(400, body), says(piece(`"Good"`), ends("stop")))
			p := m.provider(t)
			for range 2 {
				require.Equal(t, "Good", read(t, p.Answer(t.Context(), question("Hello?"))).text())
			}
			require.Len(t, m.asked(), 3)
			require.Contains(t, m.asked()[0].body, "stream_options")
			for _, later := range m.asked()[1:] {
				require.JSONEq(t, `{"model":"test-1","stream":true,"messages":[{"role":"user","content":"Hello?"}]}`, later.body)
			}
			other := question("Hello?")
			other.Model = "test-2"
			read(t, p.Answer(t.Context(), other))
			require.Contains(t, m.asked()[3].body, "stream_options")
		})
	}
}

// A refusal for another reason changes nothing.
func TestARefusalOfSomethingElseIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	m := newModel(t, refuses(400, `{"error":{"message":"stream_options.include_usage is required"}}`))
	requireCode(t, wire.CodeProviderFailed, m.ask(t).err)
	require.Len(t, m.asked(), 1)
}
