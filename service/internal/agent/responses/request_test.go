package responses_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/providertest"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

var (
	stream = providertest.ResponseStart() + providertest.ResponseText(0, `"Yes."`, `"Yes."`) + providertest.ResponseEnds()
	look   = answering.PromptTool{Name: "look", Description: "Looks.", Parameters: wire.JSON(`{"type":"object"}`)}
)

const (
	offered = `"tools":[{"type":"function","name":"look","description":"Looks.","parameters":{"type":"object","properties":{}},"strict":false}],
		"include":["reasoning.encrypted_content"],`
	which = `{"role":"user","content":"Which?"}`
)

func ask(t *testing.T, prompt answering.Prompt) providertest.Asked {
	t.Helper()
	m := providertest.NewModel(t, providertest.Streams(stream, providertest.Closed))
	require.NoError(t, providertest.Read(t, providertest.Responses.At(t, upstream.Config{BaseURL: m.URL + "/v1"}).Answer(t.Context(), prompt)).Err)
	require.Len(t, m.Asked(), 1)
	return m.Asked()[0]
}

func says(role, text string) answering.PromptMessage {
	return answering.PromptMessage{Role: role, Text: text}
}

// files has images by their ids.
type files map[string]string

func (f files) WriteImage(_ context.Context, w io.Writer, image images.Image) error {
	_, err := io.WriteString(w, f[image.ID])
	return err
}

func called(id, arguments, outcome string) answering.RoundCall {
	return answering.RoundCall{ModelCall: toolcall.ModelCall{ID: id, Name: "look", Arguments: arguments}, Outcome: outcome}
}

func TestTheRequestIsThatOfTheAPI(t *testing.T) {
	t.Parallel()
	warm, seed := 0.5, int64(7)
	const (
		user, assistant = wire.RoleUser, wire.RoleAssistant
		thought         = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"c2VjcmV0"}`
		open            = `{"type":"reasoning","id":"rs_1","summary":[]}`
		call            = `{"type":"function_call","id":"fc_1","call_id":"c1","name":"look","arguments":"{\"q\": 1}","status":"completed"}`
		plain           = `{"type":"function_call","call_id":"c1","name":"look","arguments":"{\"q\": 1}"}`
		outcome         = `{"type":"function_call_output","call_id":"c1","output":""}`
	)
	round := func(returned string) []answering.Round {
		return []answering.Round{{Text: "Let me look.", Calls: []answering.RoundCall{called("c1", `{"q": 1}`, "")}, Returned: wire.JSON(returned)}}
	}
	foreign := []answering.Round{{Calls: []answering.RoundCall{called("toolu|1", `{"q":`, "1")}}}
	tests := []struct {
		name   string
		prompt answering.Prompt
		want   string // without the model, stream and store
	}{
		{"a chat", answering.Prompt{System: "Be brief.", Messages: []answering.PromptMessage{says(user, "Hello?"), says(assistant, "Hi."), says(assistant, " "),
			says(user, "Who?"), says(user, "Which?")}},
			`"instructions":"Be brief.","input":[{"role":"user","content":"Hello?"},{"role":"assistant","content":"Hi."},
{"role":"user","content":"Who?"},` + which + `]`},
		{"roles that alternate", answering.Prompt{Alternate: true,
			Messages: []answering.PromptMessage{says(assistant, "Hi."), says(user, "Who?"), says(user, "Which?")}},
			`"input":[{"role":"user","content":"Who?\n\nWhich?"}]`},
		{"images", answering.Prompt{Files: files{"a": "cat", "b": "dog"}, Messages: []answering.PromptMessage{
			{Role: user, Images: []images.Image{{ID: "a", MediaType: "image/png", Size: 3}}},
			{Role: user, Text: "And?", Images: []images.Image{{ID: "b", MediaType: "image/jpeg", Size: 3}}}}},
			`"input":[{"role":"user","content":[{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,Y2F0"}]},
			{"role":"user","content":[{"type":"input_text","text":"And?"},{"type":"input_image","detail":"auto","image_url":"data:image/jpeg;base64,ZG9n"}]}]`},
		{"tools that may not be called", answering.Prompt{NoCalls: true, Tools: []answering.PromptTool{look},
			Messages: []answering.PromptMessage{says(user, "Which?")}},
			offered + `"tool_choice":"none","input":[` + which + `]`},
		{"a round as another model wrote it", answering.Prompt{Tools: []answering.PromptTool{look}, Messages: []answering.PromptMessage{says(user, "Which?")},
			Rounds: round("")}, offered + `"input":[` + which + `,{"role":"assistant","content":"Let me look."},` + plain + `,` + outcome + `]`},
		{"a round as the model wrote it", answering.Prompt{Tools: []answering.PromptTool{look}, Messages: []answering.PromptMessage{says(user, "Which?")},
			Rounds: round("[" + thought + "," + call + "]")}, offered + `"input":[` + which + `,` + thought + `,` + call + `,` + outcome + `]`},
		{"a round with reasoning that nobody stores", answering.Prompt{Tools: []answering.PromptTool{look}, Messages: []answering.PromptMessage{says(user, "Which?")},
			Rounds: round("[" + open + "," + call + "]")},
			offered + `"input":[` + which + `,{"role":"assistant","content":"Let me look."},` + plain + `,` + outcome + `]`},
		{"a call of another provider", answering.Prompt{Tools: []answering.PromptTool{look},
			Messages: []answering.PromptMessage{says(user, "Which?")}, Rounds: foreign},
			offered + `"input":[` + which + `,{"type":"function_call","call_id":"call_00001","name":"look","arguments":"{}"},
			{"type":"function_call_output","call_id":"call_00001","output":"1"}]`},
		{"parameters", answering.Prompt{Reasoning: true, Messages: []answering.PromptMessage{says(user, "Which?")}, Parameters: answering.Parameters{
			Temperature: &warm, TopP: &warm, MaxOutputTokens: 500, ReasoningEffort: "low", Seed: &seed, Stop: []string{"END"},
			Body: map[string]any{"store": true, "reasoning": map[string]any{"effort": "high", "mode": "x"}, "service_tier": "flex"}}},
			`"temperature":0.5,"top_p":0.5,"max_output_tokens":500,"reasoning":{"effort":"low","summary":"auto","mode":"x"},
"service_tier":"flex","input":[` + which + `]`},
		{"nothing", answering.Prompt{}, `"input":[]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.prompt.Model = "gpt-5"
			sent := ask(t, test.prompt)
			require.JSONEq(t, `{"model":"gpt-5","stream":true,"store":false,`+test.want+`}`, sent.Body)
			require.Equal(t, "/v1/responses", sent.Path)
			require.Equal(t, "Bearer sk-test", sent.Header.Get("Authorization"))
		})
	}
}

// What one request returns is what the next one sends, item for item.
func TestARoundGoesBackAsItCame(t *testing.T) {
	t.Parallel()
	items := []string{providertest.ResponseThoughtItem(`"Hm."`), providertest.ResponseMessageItem(`"Let me look."`),
		providertest.ResponseCallItem("c1", `{"q":"a"}`)}
	first := providertest.ResponseStart() + providertest.ResponseThought(0, `"Hm."`) + providertest.ResponseText(1, `"Let me look."`, `"Let me look."`) +
		providertest.ResponseCall(2, "c1", `{"q":"a"}`) + providertest.ResponseEnds(items...)
	m := providertest.NewModel(t, providertest.Streams(first, providertest.Closed), providertest.Streams(stream, providertest.Closed))
	p := providertest.Responses.At(t, upstream.Config{BaseURL: m.URL})
	prompt := answering.Prompt{Model: "gpt-5", Tools: []answering.PromptTool{look}, Messages: []answering.PromptMessage{says(wire.RoleUser, "Which?")}}
	got := providertest.Read(t, p.Answer(t.Context(), prompt))
	require.NoError(t, got.Err)
	require.JSONEq(t, "["+strings.Join(items, ",")+"]", string(got.Last.Returned))

	prompt.Rounds = []answering.Round{{Text: got.Text(), Returned: got.Last.Returned, Calls: []answering.RoundCall{{ModelCall: got.Calls[0], Outcome: "1"}}}}
	got = providertest.Read(t, p.Answer(t.Context(), prompt))
	require.NoError(t, got.Err)
	require.Nil(t, got.Last.Returned, "no round follows")
	var sent struct{ Input []json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(m.Asked()[1].Body), &sent))
	require.Len(t, sent.Input, 5)
	for i, one := range items {
		require.JSONEq(t, one, string(sent.Input[i+1]))
	}
}
