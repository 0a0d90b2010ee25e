package responses_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/providertest"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// What a model refuses of a request is left out at once, and from then on.
func TestWhatAModelRefusesIsLeftOut(t *testing.T) {
	t.Parallel()
	warm := 0.5
	for _, test := range []struct{ name, param, text, want string }{
		{"encrypted reasoning", "include", "Encrypted content is not supported with this model.", `"temperature":0.5,"reasoning":{"effort":"low","summary":"auto"}`},
		{"a summary", "reasoning.summary", "Your organization must be verified to generate reasoning summaries.",
			`"temperature":0.5,"include":["reasoning.encrypted_content"],"reasoning":{"effort":"low"}`},
		{"an effort", "reasoning.effort", "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
			`"temperature":0.5,"include":["reasoning.encrypted_content"]`},
		{"temperature", "temperature", "Unsupported parameter: 'temperature' is not supported with this model.",
			`"include":["reasoning.encrypted_content"],"reasoning":{"effort":"low","summary":"auto"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			no := providertest.Refuses(400, `{"error":{"message":"`+test.text+`","type":"invalid_request_error","param":"`+test.param+`","code":null}}`)
			yes := providertest.Streams(stream, providertest.Closed)
			m := providertest.NewModel(t, no, yes)
			p := providertest.Responses.At(t, upstream.Config{BaseURL: m.URL})
			prompt := answering.Prompt{Model: "gpt-5", Reasoning: true, Tools: []answering.PromptTool{look},
				Messages:   []answering.PromptMessage{says(wire.RoleUser, "Which?")},
				Parameters: answering.Parameters{Temperature: &warm, ReasoningEffort: "low"}}
			for range 2 {
				require.NoError(t, providertest.Read(t, p.Answer(t.Context(), prompt)).Err)
			}
			require.Len(t, m.Asked(), 3)
			for _, sent := range m.Asked()[1:] {
				var members map[string]json.RawMessage
				require.NoError(t, json.Unmarshal([]byte(sent.Body), &members))
				for _, name := range []string{"model", "tools", "input", "store", "stream"} {
					require.NotEmpty(t, members[name])
					delete(members, name)
				}
				rest, err := json.Marshal(members)
				require.NoError(t, err)
				require.JSONEq(t, "{"+test.want+"}", string(rest))
			}
		})
	}
}

// Reasoning that cannot be read any more is left out of one answer.
func TestReasoningThatIsRefusedIsLeftOut(t *testing.T) {
	t.Parallel()
	m := providertest.NewModel(t, providertest.Refuses(400,
		`{"error":{"message":"The encrypted content gAAA could not be verified.","type":"invalid_request_error",`+
			`"param":null,"code":"invalid_encrypted_content"}}`), providertest.Streams(stream, providertest.Closed))
	prompt := answering.Prompt{Model: "gpt-5", Tools: []answering.PromptTool{look}, Messages: []answering.PromptMessage{says(wire.RoleUser, "Which?")},
		Rounds: []answering.Round{{Calls: []answering.RoundCall{called("c1", "{}", "1")},
			Returned: wire.JSON("[" + providertest.ResponseThoughtItem() + "," + providertest.ResponseCallItem("c1", "{}") + "]")}}}
	require.NoError(t, providertest.Read(t, providertest.Responses.At(t, upstream.Config{BaseURL: m.URL}).Answer(t.Context(), prompt)).Err)
	require.Contains(t, m.Asked()[0].Body, "c2VjcmV0")
	require.NotContains(t, m.Asked()[1].Body, "c2VjcmV0")
	require.Contains(t, m.Asked()[1].Body, `"include"`)
	require.Contains(t, m.Asked()[1].Body, `"function_call_output"`)
}
