package anthropic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/providertest"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

func refuses(text string) providertest.Step {
	return providertest.Refuses(400, `{"type":"error","error":{"type":"invalid_request_error","message":`+providertest.Literal(text)+`}}`)
}

// What a model refuses of a request is left out at once, and from then on.
func TestWhatAModelRefusesIsLeftOut(t *testing.T) {
	t.Parallel()
	yes := providertest.Streams(providertest.MessageStart()+providertest.MessageText(0, `"Yes."`)+providertest.MessageEnds("end_turn"), providertest.Closed)
	warm := 0.5
	thinks := answering.Parameters{ReasoningEffort: "high", Temperature: &warm}
	for _, test := range []struct {
		name, text string
		parameters answering.Parameters
		gone, left []string
	}{
		{"thoughts", `"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`,
			thinks, []string{"thinking", "output_config"}, []string{"system"}},
		{"temperature", "`temperature` is deprecated for this model.", answering.Parameters{Temperature: &warm}, []string{"temperature"}, []string{"system"}},
		{"a member of the body", "context_management: Extra inputs are not permitted", answering.Parameters{Temperature: &warm,
			Body: map[string]any{"context_management": true}}, []string{"context_management"}, []string{"temperature"}},
		{"marks for the cache", "system.0.cache_control: Extra inputs are not permitted", answering.Parameters{}, []string{"cache_control"}, []string{"system"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := providertest.NewModel(t, refuses(test.text), yes, yes)
			p := providertest.Anthropic.At(t, upstream.Config{BaseURL: m.URL})
			prompt := chat(says(user, "Hello?"))
			prompt.System, prompt.Parameters = "Be brief.", test.parameters
			for range 2 {
				require.NoError(t, providertest.Read(t, p.Answer(t.Context(), prompt)).Err)
			}
			require.Len(t, m.Asked(), 3)
			for _, name := range test.gone {
				require.Contains(t, m.Asked()[0].Body, `"`+name+`"`)
				require.NotContains(t, m.Asked()[1].Body, `"`+name+`"`)
				require.NotContains(t, m.Asked()[2].Body, `"`+name+`"`)
			}
			for _, name := range test.left {
				require.Contains(t, m.Asked()[2].Body, `"`+name+`"`)
			}
		})
	}
}

// Thoughts that the provider does not take back are left out of one answer, and thinking goes on.
func TestThoughtsThatAreRefusedAreLeftOut(t *testing.T) {
	t.Parallel()
	yes := providertest.Streams(providertest.MessageStart()+providertest.MessageText(0, `"Yes."`)+providertest.MessageEnds("end_turn"), providertest.Closed)
	m := providertest.NewModel(t, refuses("messages.1.content.0: Invalid `signature` in `thinking` block"), yes)
	p := providertest.Anthropic.At(t, upstream.Config{BaseURL: m.URL})
	prompt := chat(says(user, "Hello?"))
	prompt.Parameters.ReasoningEffort, prompt.Tools = "high", []answering.PromptTool{look}
	prompt.Rounds = []answering.Round{{Calls: []answering.RoundCall{called("c1", "{}", "1", wire.CallDone)},
		Returned: wire.JSON(`[{"type":"thinking","thinking":"","signature":"c2ln"},{"type":"tool_use","id":"c1","name":"look","input":{}}]`)}}
	require.NoError(t, providertest.Read(t, p.Answer(t.Context(), prompt)).Err)
	require.NotContains(t, m.Asked()[1].Body, "signature")
	require.Contains(t, m.Asked()[1].Body, `"thinking":{"type":"adaptive"}`)
	require.NotNil(t, prompt.Rounds[0].Returned)

	require.NoError(t, providertest.Read(t, p.Answer(t.Context(), prompt)).Err)
	require.Contains(t, m.Asked()[2].Body, "signature")
}

// What cannot be left out stays a refusal of the prompt, for its length or its form.
func TestAPromptThatIsRefusedMayBeAskedWithLess(t *testing.T) {
	t.Parallel()
	for text, what := range map[string]answering.Refused{
		"prompt is too long: 208310 tokens > 200000 maximum":                                        answering.RefusedLength,
		"messages.0.content.1.image.source.base64: image exceeds 5 MB maximum":                      answering.RefusedImages,
		"messages: roles must alternate between \"user\" and \"assistant\"":                         answering.RefusedRoles,
		"tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020": answering.RefusedTool,
		"messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: c1":  answering.RefusedForm,
	} {
		m := providertest.NewModel(t, refuses(text))
		prompt := chat(says(user, "Hello?"))
		prompt.Tools = []answering.PromptTool{look}
		got := providertest.Read(t, providertest.Anthropic.At(t, upstream.Config{BaseURL: m.URL}).Answer(t.Context(), prompt))
		var refusal answering.Refusal
		require.ErrorAs(t, got.Err, &refusal, text)
		require.Equal(t, what, refusal.What, text)
		require.Len(t, m.Asked(), 1, text)
		require.Equal(t, what == answering.RefusedTool, refusal.Tool == look.Name, text)
	}
}
