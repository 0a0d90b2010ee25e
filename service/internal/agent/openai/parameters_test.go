package openai_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// tuned is a question with all parameters.
func tuned() answering.Prompt {
	temperature, topP, seed := 0.0, 0.5, int64(0)
	prompt := question("Hello?")
	prompt.Parameters = answering.Parameters{
		Temperature: &temperature, TopP: &topP, MaxOutputTokens: 100, ReasoningEffort: "low", Stop: []string{"END"}, Seed: &seed,
		Headers: map[string]string{"x-team": "blue", "authorization": "Bearer other", "content-type": "text/plain"},
		Query:   map[string]string{"api-version": "2024-10-21"},
		Body: map[string]any{"provider": json.RawMessage(`{"order":["a"]}`), "messages": "none", "model": "other", "stream": false, "tools": true,
			"temperature": 2, "stream_options": map[string]any{"include_usage": false, "include_obfuscation": false}},
	}
	return prompt
}

func TestParametersAreSent(t *testing.T) {
	t.Parallel()
	m := newModel(t, says(piece(`"Good"`), ends("stop")))
	require.NoError(t, read(t, m.provider(t).Answer(t.Context(), tuned())).err)
	asked := m.asked()[0]
	require.JSONEq(t, `{"model":"test-1","stream":true,"stream_options":{"include_usage":true,"include_obfuscation":false},"messages":[{"role":"user","content":"Hello?"}],
		"temperature":0,"top_p":0.5,"max_tokens":100,"reasoning_effort":"low","stop":["END"],"seed":0,"provider":{"order":["a"]}}`, asked.body)
	require.Equal(t, "blue", asked.header.Get("x-team"))
	require.Equal(t, []string{"Bearer sk-test"}, asked.header.Values("Authorization"))
	require.Equal(t, []string{"application/json"}, asked.header.Values("Content-Type"))
	require.Equal(t, "api-version=2024-10-21", m.Asked()[0].Query)
}

// What a model refuses is left out from then on; the length of an answer gets its other name first.
func TestParametersThatAModelRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refusals []string
		gone     []string
		has      string
	}{
		"OpenAI's reasoning models and the length": {
			[]string{`{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
				"type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`},
			[]string{"max_tokens"}, `"max_completion_tokens":100`,
		},
		"OpenAI's reasoning models and the temperature": {
			[]string{`{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
				"type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`,
				`{"error":{"message":"Unsupported parameter: 'top_p' is not supported with this model.","type":"invalid_request_error","param":"top_p"}}`},
			[]string{"temperature", "top_p"}, `"max_tokens":100`,
		},
		"Mistral": {
			[]string{`{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted","input":0}]},
				"type":"invalid_request_error"}`},
			[]string{"seed"}, `"temperature":0`,
		},
		"both names of the length": {
			[]string{`{"error":{"message":"Unrecognized request argument supplied: max_tokens"}}`,
				`{"error":{"message":"Unrecognized request argument supplied: max_completion_tokens"}}`},
			[]string{"max_tokens", "max_completion_tokens"}, `"seed":0`,
		},
		"the effort": {
			[]string{`{"error":{"message":"Unrecognized request argument supplied: reasoning_effort","type":"invalid_request_error"}}`},
			[]string{"reasoning_effort"}, `"stop":["END"]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var steps []step
			for _, body := range test.refusals {
				steps = append(steps, refuses(400, body))
			}
			m := newModel(t, append(steps, says(piece(`"Good"`), ends("stop")))...)
			p := m.provider(t)
			for range 2 {
				require.Equal(t, "Good", read(t, p.Answer(t.Context(), tuned())).text())
			}
			require.Len(t, m.asked(), len(test.refusals)+2, "what was learnt is not tried again")
			for _, asked := range m.asked()[len(test.refusals):] {
				for _, member := range test.gone {
					require.NotContains(t, asked.body, `"`+member+`"`)
				}
				require.Contains(t, asked.body, test.has)
			}
		})
	}
}

// The detector sends what a provider needs to be reached, and nothing about answers.
func TestParametersOfTheDetector(t *testing.T) {
	t.Parallel()
	m := newModel(t, lists(t, "[]"))
	_, err := m.provider(t).Detector("test-1", tuned().Parameters).Detect(t.Context(), "I like tea.", types)
	require.NoError(t, err)
	asked := m.asked()[0]
	require.Equal(t, "blue", asked.header.Get("x-team"))
	require.Equal(t, "api-version=2024-10-21", m.Asked()[0].Query)
	require.Contains(t, asked.body, `"provider":{"order":["a"]}`)
	require.NotContains(t, asked.body, "max_tokens")
}

// A secret in a header is not repeated, as the key is not.
func TestSecretsInHeadersAreNotRepeated(t *testing.T) {
	t.Parallel()
	m := newModel(t, refuses(400, `{"error":{"message":"The team hunter2 is not known to the gateway of zorbex"}}`))
	p := m.provider(t, func(c *openai.Config) { c.Headers = map[string]string{"x-team": "hunter2"} })
	prompt := question("Hello?")
	prompt.Parameters.Headers = map[string]string{"x-gateway": "zorbex"}
	err := read(t, p.Answer(t.Context(), prompt)).err
	require.ErrorContains(t, err, "not known")
	require.NotContains(t, err.Error(), "hunter2")
	require.NotContains(t, err.Error(), "zorbex")
}
