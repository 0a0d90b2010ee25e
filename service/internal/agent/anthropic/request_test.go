package anthropic_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
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

// ask asks a scripted model, and returns what it got.
func ask(t *testing.T, prompt answering.Prompt, config upstream.Config) (sent providertest.Asked, got providertest.Answer) {
	t.Helper()
	m := providertest.NewModel(t, providertest.Streams(providertest.MessageStart()+providertest.MessageText(0, `"Yes."`)+
		providertest.MessageEnds("end_turn"), providertest.Closed))
	config.BaseURL = m.URL + config.BaseURL
	got = providertest.Read(t, providertest.Anthropic.At(t, config).Answer(t.Context(), prompt))
	require.NoError(t, got.Err)
	require.Len(t, m.Asked(), 1)
	return m.Asked()[0], got
}

func body(t *testing.T, prompt answering.Prompt) string {
	t.Helper()
	sent, _ := ask(t, prompt, upstream.Config{})
	return sent.Body
}

// says is a message of a prompt.
func says(role, text string) answering.PromptMessage {
	return answering.PromptMessage{Role: role, Text: text}
}

func chat(messages ...answering.PromptMessage) answering.Prompt {
	return answering.Prompt{Model: "claude-opus-4-6", Messages: messages}
}

const (
	user, assistant = wire.RoleUser, wire.RoleAssistant
	kept            = `,"cache_control":{"type":"ephemeral"}`
)

func TestTheRequestIsThatOfTheAPI(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "/v1", "/v1/", "/proxy/v1"} {
		config := upstream.Config{BaseURL: base}
		prompt := chat(says(user, "Hello?"))
		prompt.Parameters.Headers = map[string]string{"anthropic-beta": "a", "X-API-Key": "not this"}
		prompt.Parameters.Query = map[string]string{"beta": "true"}
		sent, _ := ask(t, prompt, config)
		require.True(t, strings.HasSuffix(sent.Path, "/v1/messages"), sent.Path)
		require.NotContains(t, sent.Path, "v1/v1")
		require.Equal(t, "2023-06-01", sent.Header.Get("Anthropic-Version"))
		require.Equal(t, "sk-test", sent.Header.Get("X-Api-Key"))
		require.Equal(t, "a", sent.Header.Get("Anthropic-Beta"))
		require.Equal(t, "beta=true", sent.Query)
	}
}

func TestMessagesAlternateWithoutBlankOnes(t *testing.T) {
	t.Parallel()
	const greets = `{"role":"user","content":[{"type":"text","text":"Hello?"}]}`
	tests := []struct {
		name     string
		messages []answering.PromptMessage
		want     string
	}{
		{"one", []answering.PromptMessage{says(user, "Hello?")}, greets},
		{"a chat", []answering.PromptMessage{says(user, "Hello?"), says(assistant, "Hi."), says(user, "Who?")},
			greets + `,{"role":"assistant","content":[{"type":"text","text":"Hi."` + kept + `}]},{"role":"user","content":[{"type":"text","text":"Who?"}]}`},
		{"two questions in a row", []answering.PromptMessage{says(user, "Hello?"), says(user, "Who?")},
			`{"role":"user","content":[{"type":"text","text":"Hello?"` + kept + `},{"type":"text","text":"Who?"}]}`},
		{"an answer without text", []answering.PromptMessage{says(user, "Hello?"), says(assistant, " \n"), says(user, "Who?")},
			`{"role":"user","content":[{"type":"text","text":"Hello?"` + kept + `},{"type":"text","text":"Who?"}]}`},
		{"an answer first", []answering.PromptMessage{says(assistant, "Hi."), says(user, "Who?")},
			`{"role":"user","content":[{"type":"text","text":"(The beginning of the chat is left out.)"}]},
			{"role":"assistant","content":[{"type":"text","text":"Hi."` + kept + `}]},{"role":"user","content":[{"type":"text","text":"Who?"}]}`},
		{"an answer last", []answering.PromptMessage{says(user, "Hello?"), says(assistant, "Hi.")},
			`{"role":"user","content":[{"type":"text","text":"Hello?"` + kept + `}]},{"role":"assistant","content":[{"type":"text","text":"Hi."}]},
			{"role":"user","content":[{"type":"text","text":"(Go on.)"}]}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.JSONEq(t, `{"model":"claude-opus-4-6","max_tokens":32000,"stream":true,"messages":[`+test.want+`]}`, body(t, chat(test.messages...)))
		})
	}
}

// files has images by their ids.
type files map[string]string

func (f files) WriteImage(_ context.Context, w io.Writer, image images.Image) error {
	_, err := io.WriteString(w, f[image.ID])
	return err
}

func TestImagesStandBeforeTheText(t *testing.T) {
	t.Parallel()
	prompt := chat(answering.PromptMessage{Role: user, Images: []images.Image{{ID: "a", MediaType: "image/png", Size: 3}}}, says(assistant, "A cat."),
		answering.PromptMessage{Role: user, Text: "And?", Images: []images.Image{{ID: "b", MediaType: "image/jpeg", Size: 3}}})
	prompt.Files = files{"a": "cat", "b": "dog"}
	require.JSONEq(t, `{"model":"claude-opus-4-6","max_tokens":32000,"stream":true,"messages":[
		{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"Y2F0"}}]},
		{"role":"assistant","content":[{"type":"text","text":"A cat."`+kept+`}]},
		{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"ZG9n"}},{"type":"text","text":"And?"}]}]}`,
		body(t, prompt))
}

var look = answering.PromptTool{Name: "look", Description: "Looks.", Parameters: wire.JSON(`{"type":"object"}`)}

func called(id, arguments, outcome, status string) answering.RoundCall {
	return answering.RoundCall{ModelCall: toolcall.ModelCall{ID: id, Name: "look", Arguments: arguments}, Outcome: outcome, Status: status}
}

func TestToolsAndRoundsArrive(t *testing.T) {
	t.Parallel()
	const (
		thought = `{"type":"thinking","thinking":"Hm.","signature":"c2ln"}`
		hidden  = `{"type":"redacted_thinking","data":"ZGF0YQ=="}`
		says1   = `{"type":"text","text":"Let me look."}`
		call1   = `{"type":"tool_use","id":"c1","name":"look","input":{"q":"a"}}`
		call2   = `{"type":"tool_use","id":"c2","name":"look","input":{}}`
		result1 = `{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"1"}]}`
		failed2 = `{"type":"tool_result","tool_use_id":"c2","content":[{"type":"text","text":"No."}],"is_error":true`
	)
	calls := []answering.RoundCall{called("c1", `{"q":"a"}`, "1", wire.CallDone), called("c2", `{"q":`, "No.", wire.CallFailed)}
	foreign := []answering.RoundCall{called("call|1", `{}`, "1", wire.CallDone)}
	tests := []struct{ name, returned, text, said, outcomes string }{
		{"as another model wrote it", "", "Let me look.", says1 + "," + call1 + "," + call2, result1 + "," + failed2},
		{"as the model wrote it", "[" + thought + "," + call1 + "," + hidden + "," + says1 + "," + call2 + "]", "Let me look.",
			thought + "," + call1 + "," + hidden + "," + says1 + "," + call2, result1 + "," + failed2},
		{"the blocks of other calls", "[" + thought + "," + call2 + "]", "", call1 + "," + call2, result1 + "," + failed2},
		{"no blocks", `{"reasoning":"x"}`, "", call1 + "," + call2, result1 + "," + failed2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			prompt := chat(says(user, "Which?"))
			prompt.System, prompt.Tools = "Be brief.", []answering.PromptTool{look}
			prompt.Rounds = []answering.Round{{Text: test.text, Calls: calls, Returned: wire.JSON(test.returned)}}
			require.JSONEq(t, `{"model":"claude-opus-4-6","max_tokens":32000,"stream":true,"system":[{"type":"text","text":"Be brief."`+kept+`}],
				"tools":[{"name":"look","description":"Looks.","input_schema":{"type":"object","properties":{}}`+kept+`}],
				"messages":[{"role":"user","content":[{"type":"text","text":"Which?"}]},{"role":"assistant","content":[`+test.said+`]},
				{"role":"user","content":[`+test.outcomes+kept+`}]}]}`, body(t, prompt))
		})
	}
	prompt := chat(says(user, "Which?"))
	prompt.NoCalls, prompt.Tools, prompt.Rounds = true, []answering.PromptTool{look}, []answering.Round{{Calls: foreign}, {Calls: foreign}}
	var sent struct {
		ToolChoice struct{ Type string } `json:"tool_choice"`
		Messages   []struct {
			Content []struct {
				ID  string `json:"id"`
				For string `json:"tool_use_id"`
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(body(t, prompt)), &sent))
	require.Equal(t, "none", sent.ToolChoice.Type)
	require.Regexp(t, "^[a-z0-9_]+$", sent.Messages[1].Content[0].ID)
	require.Equal(t, sent.Messages[1].Content[0].ID, sent.Messages[2].Content[0].For)
}

// What one request returns is what the next one sends, block for block.
func TestARoundGoesBackAsItCame(t *testing.T) {
	t.Parallel()
	blocks := []string{
		`{"type":"thinking","thinking":"Hm, \"a\" ü.","signature":"c2ln"}`, `{"type":"redacted_thinking","data":"ZGF0YQ=="}`,
		`{"type":"text","text":"Let me look."}`, `{"type":"tool_use","id":"c1","name":"look","input":{"q":"a"}}`, `{"type":"weather","sun":{"up":true}}`,
	}
	stream := providertest.MessageStart() +
		providertest.MessageBlock(0, `{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":"Hm, \"a\" "}`,
			`{"type":"thinking_delta","thinking":"ü."}`, `{"type":"signature_delta","signature":"c2"}`, `{"type":"signature_delta","signature":"ln"}`) +
		providertest.MessageBlock(1, blocks[1]) + providertest.MessageText(2, `"Let me "`, `"look."`) +
		providertest.MessageText(3) + providertest.MessageCall(4, "c1", `{"q"`, `:"a"}`) + providertest.MessageBlock(5, blocks[4]) +
		providertest.MessageEnds("tool_use")
	prompt := chat(says(user, "Which?"))
	prompt.Tools, prompt.Reasoning = []answering.PromptTool{look}, true
	m := providertest.NewModel(t, providertest.Streams(stream, providertest.Closed),
		providertest.Streams(providertest.MessageStart()+providertest.MessageText(0, `"Yes."`)+providertest.MessageEnds("end_turn"), providertest.Closed))
	p := providertest.Anthropic.At(t, upstream.Config{BaseURL: m.URL})
	got := providertest.Read(t, p.Answer(t.Context(), prompt))
	require.NoError(t, got.Err)
	require.Equal(t, "Let me look.", got.Text())
	require.Equal(t, `Hm, "a" ü.`, got.Reasoning)
	require.JSONEq(t, "["+strings.Join(blocks, ",")+"]", string(got.Last.Returned))

	prompt.Rounds = []answering.Round{{Text: got.Text(), Returned: got.Last.Returned, Calls: []answering.RoundCall{{ModelCall: got.Calls[0], Outcome: "1"}}}}
	got = providertest.Read(t, p.Answer(t.Context(), prompt))
	require.NoError(t, got.Err)
	require.Nil(t, got.Last.Returned, "no round follows")
	var sent struct {
		Messages []struct{ Content json.RawMessage }
	}
	require.NoError(t, json.Unmarshal([]byte(m.Asked()[1].Body), &sent))
	require.JSONEq(t, "["+strings.Join(blocks, ",")+"]", string(sent.Messages[1].Content))
}

func TestParametersAreThoseThatTheModelTakes(t *testing.T) {
	t.Parallel()
	warm, high, seed := 1.5, 0.98, int64(7)
	sampled := answering.Parameters{Temperature: &warm, TopP: &high, Seed: &seed}
	thinks := func(effort string) answering.Parameters {
		return answering.Parameters{ReasoningEffort: effort, Temperature: &warm}
	}
	returned := wire.JSON(`[{"type":"thinking","thinking":"","signature":"c2ln"},{"type":"tool_use","id":"c1","name":"look","input":{}}]`)
	tests := []struct {
		name, model string
		parameters  answering.Parameters
		reasoning   bool
		returned    wire.JSON // of a round, if it is not nil
		want, log   string
	}{
		{"nothing", "claude-3-opus-20240229", answering.Parameters{}, false, nil, `"max_tokens":4096`, ""},
		{"nothing", "claude-3-5-haiku-20241022", answering.Parameters{}, false, nil, `"max_tokens":8192`, ""},
		{"nothing", "claude-sonnet-4-20250514", answering.Parameters{}, false, nil, `"max_tokens":32000`, ""},
		{"output tokens and stop", "claude-opus-5", answering.Parameters{MaxOutputTokens: 500, Stop: []string{"END"}}, false, nil,
			`"max_tokens":500,"stop_sequences":["END"]`, ""},
		{"the body", "claude-opus-5", answering.Parameters{Body: map[string]any{"service_tier": "auto", "max_tokens": 1, "model": "x"}}, false, nil,
			`"max_tokens":32000,"service_tier":"auto"`, ""},
		{"both", "claude-sonnet-4-20250514", sampled, false, nil, `"max_tokens":32000,"temperature":1,"top_p":0.98`, "seed"},
		{"only one of both", "claude-sonnet-4-5-20250929", sampled, false, nil, `"max_tokens":32000,"temperature":1`, "top_p"},
		{"none", "anthropic/claude-opus-4.7", sampled, false, nil, `"max_tokens":32000`, "temperature"},
		{"none", "claude-mythos-preview", sampled, false, nil, `"max_tokens":32000`, "temperature"},
		{"no thoughts", "claude-3-5-haiku-20241022", thinks("high"), false, nil, `"max_tokens":8192,"temperature":1`, "reasoning_effort"},
		{"a budget", "claude-3-7-sonnet-20250219", thinks("low"), true, nil, `"max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":2048}`, "temperature"},
		{"a budget in tokens", "us.anthropic.claude-opus-4-5-20251101-v1:0", thinks("5000"), false, nil,
			`"max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":5000}`, "temperature"},
		{"a budget beyond the answer", "claude-haiku-4-5", answering.Parameters{ReasoningEffort: "max", MaxOutputTokens: 4000}, false, nil,
			`"max_tokens":4000,"thinking":{"type":"enabled","budget_tokens":2976}`, ""},
		{"no room for a budget", "claude-haiku-4-5", answering.Parameters{ReasoningEffort: "max", MaxOutputTokens: 1500}, false, nil,
			`"max_tokens":1500`, "reasoning_effort"},
		{"a budget and a round with thoughts", "claude-haiku-4-5", answering.Parameters{ReasoningEffort: "low"}, false, returned,
			`"max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":2048}`, ""},
		{"a budget and a round of another model", "claude-haiku-4-5", answering.Parameters{ReasoningEffort: "low"}, false, wire.JSON(`null`),
			`"max_tokens":32000`, "reasoning_effort"},
		{"an effort", "claude-opus-4-6", thinks("max"), false, nil, `"max_tokens":32000,"thinking":{"type":"adaptive"},"output_config":{"effort":"max"}`,
			"temperature"},
		{"an effort of another provider", "claude-opus-4-6", answering.Parameters{ReasoningEffort: "minimal"}, false, nil,
			`"max_tokens":32000,"thinking":{"type":"adaptive"},"output_config":{"effort":"low"}`, ""},
		{"thoughts to show", "claude-opus-5", answering.Parameters{}, true, nil, `"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"}`, ""},
		{"thoughts to show, with a budget", "claude-sonnet-4-5", answering.Parameters{}, true, nil, `"max_tokens":32000`, ""},
		{"kept from thinking", "claude-opus-4-8", answering.Parameters{ReasoningEffort: "none"}, true, nil, `"max_tokens":32000`, ""},
		{"hardly thinking", "claude-fable-5-1", answering.Parameters{ReasoningEffort: "none"}, true, nil,
			`"max_tokens":32000,"output_config":{"effort":"low"}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name+", "+test.model, func(t *testing.T) {
			t.Parallel()
			prompt := chat(says(user, "Hello?"))
			prompt.Model, prompt.Parameters, prompt.Reasoning = test.model, test.parameters, test.reasoning
			if test.returned != nil {
				prompt.Rounds = []answering.Round{{Calls: []answering.RoundCall{called("c1", "{}", "1", wire.CallDone)}, Returned: test.returned}}
			}
			var log bytes.Buffer
			sent, _ := ask(t, prompt, upstream.Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
			var members map[string]json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(sent.Body), &members))
			delete(members, "messages")
			rest, err := json.Marshal(members)
			require.NoError(t, err)
			require.JSONEq(t, `{"model":"`+test.model+`","stream":true,`+test.want+`}`, string(rest))
			require.Contains(t, log.String(), test.log)
			require.Equal(t, test.log == "", log.Len() == 0, log.String())
		})
	}
}
