package openai_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// lookup and order are tools.
var (
	lookup = answering.PromptTool{Name: "lookup", Description: "Looks <things> up.",
		Parameters: wire.JSON(`{"type":"object","properties":{"key":{"type":"string"}}}`)}
	order = answering.PromptTool{Name: "order", Parameters: wire.JSON(`{"type": "object"}`)}
)

const (
	offered = `"tools":[{"type":"function","function":{"name":"lookup","description":"Looks <things> up.",
		"parameters":{"type":"object","properties":{"key":{"type":"string"}}}}},
		{"type":"function","function":{"name":"order","parameters":{"type":"object","properties":{}}}}]`
	asks = `{"role":"user","content":"Which?"}`
)

// withTools is a question with both tools.
func withTools(rounds ...answering.Round) answering.Prompt {
	prompt := question("Which?")
	prompt.Tools, prompt.Rounds = []answering.PromptTool{lookup, order}, rounds
	return prompt
}

// round is a text of the model, and calls with their outcomes.
func round(text string, calls ...answering.RoundCall) answering.Round {
	return answering.Round{Text: text, Calls: calls}
}

func outcome(id, name, arguments, outcome string) answering.RoundCall {
	return answering.RoundCall{ModelCall: toolcall.ModelCall{ID: id, Name: name, Arguments: arguments}, Outcome: outcome}
}

func TestARefusalNamesTheToolThatTheProviderNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, tool string }{
		{"OpenAI, a name", `{"error":{"message":"Invalid schema for function 'order': In context=(), object schema missing properties.",` +
			`"type":"invalid_request_error","param":"tools[1].function.parameters","code":"invalid_function_parameters"}}`, "order"},
		{"OpenAI, a place", `{"error":{"message":"Invalid schema.","type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}`, "lookup"},
		{"a gateway to Anthropic", `{"error":{"message":"tools.1.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"}}`, "order"},
		{"Gemini", `[{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties: should be non-empty for OBJECT type\n"}}]`, "order"},
		{"nobody knows which", `{"error":{"message":"Invalid tool schema."}}`, ""},
		{"another name", `{"error":{"message":"Invalid schema for function 'password'"}}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, refuses(400, test.body))
			got := read(t, m.provider(t).Answer(t.Context(), withTools()))
			var refusal answering.Refusal
			require.ErrorAs(t, got.err, &refusal)
			require.Equal(t, answering.RefusedTool, refusal.What)
			require.Equal(t, test.tool, refusal.Tool)
		})
	}
}

func TestImagesOfAResultComeBehindIt(t *testing.T) {
	t.Parallel()
	m := newModel(t, says(piece(`"Ok"`), ends("stop")))
	shot := outcome("c1", "look", `{}`, `{"status":"done"}`)
	shot.Images = []images.Image{{ID: "img_1", MediaType: "image/png", Size: 3}}
	prompt := withTools(round("", shot, outcome("c2", "order", `{}`, `{}`)))
	prompt.Files = oneFile{}
	require.NoError(t, read(t, m.provider(t).Answer(t.Context(), prompt)).err)
	body := m.asked()[0].body
	require.Contains(t, body, `{"role":"user","content":[{"type":"text","text":"[Images of the result of look: 1]"},`+
		`{"type":"image_url","image_url":{"url":"data:image/png;base64,YWJj"}}]}`)
	require.Less(t, strings.Index(body, `"tool_call_id":"c2"`), strings.Index(body, "[Images of"), "behind all outcomes")
}

type oneFile struct{}

func (oneFile) WriteImage(_ context.Context, w io.Writer, _ images.Image) error {
	_, err := io.WriteString(w, "abc")
	return err
}

func TestImagesOfAModel(t *testing.T) {
	t.Parallel()
	address := func(content []byte) string {
		return "data:image/png;base64," + base64.StdEncoding.EncodeToString(content)
	}
	one, other := imagetest.PNG(2, 3), imagetest.PNG(4, 5)
	list := func(addresses ...string) string {
		var all []string
		for _, one := range addresses {
			all = append(all, fmt.Sprintf(`{"type":"image_url","index":0,"image_url":{"url":%q}}`, one))
		}
		return choice(`"delta":{"content":"","images":[` + strings.Join(all, ",") + `]}`)
	}
	m := newModel(t, says(piece(`"Here."`), list(address(one)), list("https://elsewhere.example/x.png", address([]byte("no image"))), list(address(one),
		address(other)), ends("stop")))
	var got []images.File
	for piece, err := range m.provider(t).Answer(t.Context(), question("A cat")) {
		require.NoError(t, err)
		if piece.Image != nil {
			got = append(got, *piece.Image)
		}
	}
	require.Len(t, got, 2, "each once, and nothing is fetched")
	require.Equal(t, [][]byte{one, other}, [][]byte{got[0].Content, got[1].Content})
	require.Equal(t, []any{"image/png", 2, 3}, []any{got[0].MediaType, got[0].Width, got[0].Height})

	m = newModel(t, says(list(address(one)), ends("stop")))
	require.NoError(t, m.ask(t).err, "an image alone is an answer")
	require.Len(t, m.asked(), 1)
}

func TestToolsAndRoundsArrive(t *testing.T) {
	t.Parallel()
	barred := withTools()
	barred.NoCalls = true
	toolless := question("Which?")
	toolless.NoCalls = true
	signed := outcome("c1", "lookup", `{"key":"a"}`, "1")
	signed.Extra = wire.JSON(`{"extra_content":{"google":{"thought_signature":"c2ln"}},"reasoning_content":"Hm."}`)
	silent := outcome("c1", "lookup", `{}`, "1")
	silent.Extra = wire.JSON(`{"reasoning_content":""}`)
	tests := []struct {
		name   string
		prompt answering.Prompt
		body   string // without the model and the stream
	}{
		{"tools", withTools(), `{` + offered + `,"messages":[` + asks + `]}`},
		{"tools that may not be called", barred, `{` + offered + `,"tool_choice":"none","messages":[` + asks + `]}`},
		{"no tools that may not be called", toolless, `{"messages":[` + asks + `]}`},
		{
			"two rounds, one with text and two calls", withTools(
				round("Let me see.", outcome("c1", "lookup", `{"key": "a"}`, "one\n\"two\""), outcome("c2", "order", `{}`, "denied: no")),
				round("", outcome("c3", "lookup", `{"key":"b"}`, "")),
			),
			`{` + offered + `,"messages":[` + asks + `,
				{"role":"assistant","content":"Let me see.","tool_calls":[
					{"id":"c1","type":"function","function":{"name":"lookup","arguments":"{\"key\": \"a\"}"}},
					{"id":"c2","type":"function","function":{"name":"order","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"c1","name":"lookup","content":"one\n\"two\""},
				{"role":"tool","tool_call_id":"c2","name":"order","content":"denied: no"},
				{"role":"assistant","content":null,"tool_calls":[
					{"id":"c3","type":"function","function":{"name":"lookup","arguments":"{\"key\":\"b\"}"}}]},
				{"role":"tool","tool_call_id":"c3","name":"lookup","content":""}]}`,
		},
		{
			"a round of only text, and an empty one", withTools(round("Wait."), round("")),
			`{` + offered + `,"messages":[` + asks + `,{"role":"assistant","content":"Wait."}]}`,
		},
		{
			"what the provider wants back", withTools(round("", signed, outcome("c2", "order", `{}`, "2"))),
			`{` + offered + `,"messages":[` + asks + `,
				{"role":"assistant","content":null,"reasoning_content":"Hm.","tool_calls":[
					{"id":"c1","type":"function","function":{"name":"lookup","arguments":"{\"key\":\"a\"}"},"extra_content":{"google":{"thought_signature":"c2ln"}}},
					{"id":"c2","type":"function","function":{"name":"order","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"c1","name":"lookup","content":"1"},
				{"role":"tool","tool_call_id":"c2","name":"order","content":"2"}]}`,
		},
		{
			"reasoning that was empty is wanted back too", withTools(round("", silent)),
			`{` + offered + `,"messages":[` + asks + `,
				{"role":"assistant","content":null,"reasoning_content":"","tool_calls":[
					{"id":"c1","type":"function","function":{"name":"lookup","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"c1","name":"lookup","content":"1"}]}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, says(piece(`"Me."`), ends("stop")))
			got := read(t, m.provider(t).Answer(t.Context(), test.prompt))
			require.NoError(t, got.err)
			require.Len(t, m.asked(), 1)
			require.JSONEq(t, strings.Replace(test.body, "{", `{"model":"test-1","stream":true,"stream_options":{"include_usage":true},`, 1), m.asked()[0].body)
		})
	}
}

// Invalid names and arguments of a model are sent back in a form that providers accept, because
// they check them and refuse the whole request.
func TestInvalidCallsAreSentBackInAValidForm(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, tool, arguments, wantTool, wantArguments string }{
		{"as it is", "lookup", `{"key":"a"}`, "lookup", `{"key":"a"}`},
		{"with space around it", "lookup", " {\n}\n", "lookup", " {\n}\n"},
		{"no arguments", "lookup", "", "lookup", "{}"},
		{"cut arguments", "lookup", `{"key":"a`, "lookup", "{}"},
		{"a list", "lookup", `["a"]`, "lookup", "{}"},
		{"null", "lookup", "null", "lookup", "{}"},
		{"two objects", "lookup", "{}{}", "lookup", "{}"},
		{"a name with other characters", "functions.look up\n✓", "{}", "functions_look_up__", "{}"},
		{"a long name", strings.Repeat("n", 200), "{}", strings.Repeat("n", 64), "{}"},
		{"no name", "", "{}", "_", "{}"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, says(piece(`"x"`), ends("stop")))
			prompt := withTools(round("", outcome("c1", test.tool, test.arguments, "misfit")))
			require.NoError(t, read(t, m.provider(t).Answer(t.Context(), prompt)).err)
			said := bodyOf(t, m.asked()[0]).Messages
			require.Len(t, said, 3)
			require.Len(t, said[1].ToolCalls, 1)
			require.Equal(t, test.wantTool, said[1].ToolCalls[0].Function.Name)
			require.Equal(t, test.wantTool, said[2].Name)
			require.Equal(t, test.wantArguments, said[1].ToolCalls[0].Function.Arguments)
		})
	}
}

// Tools, calls and outcomes are sent among images that are read while they are sent.
func TestImagesAndRoundsArrive(t *testing.T) {
	t.Parallel()
	m := newModel(t, says(piece(`"x"`), ends("stop")))
	prompt := withTools(round("", outcome("c1", "lookup", `{}`, "one")))
	prompt.Messages[0].Images = []images.Image{{ID: "i1", MediaType: "image/png", Size: 5}}
	prompt.Files = imageFiles{"i1": []byte("\x89PNG\xff")}
	require.NoError(t, read(t, m.provider(t).Answer(t.Context(), prompt)).err)
	require.JSONEq(t, `{"model":"test-1","stream":true,"stream_options":{"include_usage":true},`+offered+`,"messages":[
		{"role":"user","content":[{"type":"text","text":"Which?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBOR/8="}}]},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"lookup","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c1","name":"lookup","content":"one"}]}`, m.asked()[0].body)
}

// The log advises to do without tools only if the provider says that it cannot use them. A refusal for
// another reason has nothing to do with them.
func TestARefusalOfToolsIsClear(t *testing.T) {
	t.Parallel()
	const hint = "it was offered 2 tools: if the model or its server does not support tools, choose another one or remove the tools from its agent"
	tests := []struct {
		says   string
		status int
		prompt answering.Prompt
		told   bool
	}{
		{"registry.ollama.ai/library/gemma:latest does not support tools", 400, withTools(), true},
		{"'auto' tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set", 400, withTools(), true},
		{"tools param requires --jinja flag", 500, withTools(), true},
		{"No endpoints found that support tool use. Try disabling it.", 404, withTools(), true},
		{"Function calling is not enabled for models/gemma-3", 400, withTools(), true},
		{"Tool calling is not supported with this model", 422, withTools(), true},
		{"This model doesn't support tool calling", 501, withTools(), true},
		{"Unsupported parameter: 'tools' is not supported with this model.", 400, withTools(), true},
		{"Unrecognized request argument supplied: tools", 400, withTools(), true},
		{"gemma does not support tools", 400, question("Which?"), false},
		{"model 'missing' not found, try pulling it first", 404, withTools(), false},
		{"Invalid schema for function 'lookup': 'oneOf' is not supported.", 400, withTools(), false},
		{"Invalid 'tools[0].function.name': string does not match pattern.", 400, withTools(), false},
		{"This model does not support image input", 400, withTools(), false},
		{"Conversation roles must alternate", 400, withTools(), false},
		{"Incorrect API key", 401, withTools(), false},
		{"", 400, withTools(), false},
		{"", 404, withTools(), false},
		{"", 501, withTools(), false},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.status, " ", test.says), func(t *testing.T) {
			t.Parallel()
			m := newModel(t, refuses(test.status, fmt.Sprintf(`{"error":{"message":%q,"type":"invalid_request_error"}}`, test.says)))
			got := read(t, m.provider(t).Answer(t.Context(), test.prompt))
			failure := requireCode(t, wire.CodeProviderFailed, got.err)
			require.ErrorContains(t, failure.Cause, "type invalid_request_error")
			require.Equal(t, test.told, strings.Contains(failure.Cause.Error(), hint), "%v", failure.Cause)
			require.NotContains(t, failure.Message, "tools")
			require.Len(t, m.asked(), 1)
		})
	}
}
