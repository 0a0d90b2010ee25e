package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// wild are streams as real providers, gateways and local servers send them, each with what is right.
// Those with fails end as an error, with the text that came.
var wild = []struct {
	name, stream, text, finish string
	fails                      bool
}{
	{"Together: eos", piece(`"Good answer"`) + ends("eos") + done, "Good answer", wire.FinishStop, false},
	{"Bedrock: end_turn", piece(`"Good answer"`) + ends("end_turn") + done, "Good answer", wire.FinishStop, false},
	{"end", piece(`"Good answer"`) + ends("end") + done, "Good answer", wire.FinishStop, false},
	{"Gemini: STOP", piece(`"Good answer"`) + ends("STOP") + done, "Good answer", wire.FinishStop, false},
	{"Anthropic: stop_sequence", piece(`"Good answer"`) + ends("stop_sequence") + done, "Good answer", wire.FinishStop, false},
	{"Cohere: COMPLETE", piece(`"Good answer"`) + ends("COMPLETE") + done, "Good answer", wire.FinishStop, false},
	{"Anthropic: max_tokens", piece(`"Good answer"`) + ends("max_tokens") + done, "Good answer", wire.FinishLength, false},
	{"Gemini: MAX_TOKENS", piece(`"Good answer"`) + ends("MAX_TOKENS") + done, "Good answer", wire.FinishLength, false},
	{"Mistral: model_length", piece(`"Good answer"`) + ends("model_length") + done, "Good answer", wire.FinishLength, false},
	{"camel case", piece(`"Good answer"`) + choice(`"delta":{},"finishReason":"stop"`) + done, "Good answer", wire.FinishStop, false},
	{"Gemini: SAFETY", piece(`"Good"`) + ends("SAFETY") + done, "Good", "", true},
	{"Gemini: RECITATION", piece(`"Good"`) + ends("RECITATION") + done, "Good", "", true},
	{"[DONE] alone", piece(`"Good"`) + done, "Good", "", true},
	{"a closed connection", piece(`"Good"`), "Good", "", true},

	{"a reason in each chunk", choice(`"delta":{"content":"Good "},"finish_reason":"stop"`) + choice(`"delta":{"content":"answer"},"finish_reason":"stop"`) + done,
		"Good answer", wire.FinishStop, false},
	{"Open WebUI: a reason after the reasoning",
		choice(`"delta":{"reasoning_content":"hm"},"finish_reason":"stop"`) + piece(`"Good answer"`) + ends("stop") + done,
		"Good answer", wire.FinishStop, false},
	{"text after a reason, and [DONE]", ends("stop") + piece(`"Good answer"`) + done, "Good answer", wire.FinishStop, false},
	{"text after a reason, and nothing", piece(`"Good "`) + ends("stop") + piece(`"ans"`), "Good ans", "", true},
	{"a reason twice", piece(`"Good answer"`) + ends("stop") + choice(`"delta":{"content":""},"finish_reason":"stop"`) + done, "Good answer",
		wire.FinishStop, false},

	{"Mistral: content as a list", piece(`[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]`) + piece(`[{"type":"text","text":"Good "}]`) +
		piece(`"answer"`) + ends("stop") + done, "Good answer", wire.FinishStop, false},
	{"content as an object", piece(`{"type":"text","text":"Good answer"}`) + ends("stop") + done, "Good answer", wire.FinishStop, false},
	{"content as a list of texts", piece(`["Good ","answer"]`) + ends("stop") + done, "Good answer", wire.FinishStop, false},
	{"event: ping with a word", "event: ping\ndata: ping\n\n" + piece(`"Good answer"`) + ends("stop") + done, "Good answer", wire.FinishStop, false},
	{"empty and odd data", "data:\n\ndata: \n\ndata: null\n\ndata: 1\n\ndata: \"x\"\n\n" + piece(`"Good answer"`) + ends("stop") + done, "Good answer",
		wire.FinishStop, false},
	{"data twice", "data: " + piece(`"Good answer"`) + ends("stop") + done, "Good answer", wire.FinishStop, false},
	{"<think>", piece(`"<th"`) + piece(`"ink>hm</think>\n\nGood answer"`) + ends("stop") + done, "Good answer", wire.FinishStop, false},
	{"reasoning", choice(`"delta":{"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}]}`) + piece(`"Good answer"`) + ends("stop") + done,
		"Good answer", wire.FinishStop, false},
	{"whole JSON", `{"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":"Good answer"},"finish_reason":"stop"}]}`, "Good answer",
		wire.FinishStop, false},
	{"whole JSON in lines", "{\n \"choices\": [\n  {\"message\": {\"content\": \"Good answer\"},\n \"finish_reason\": \"stop\"}\n ]\n}\n", "Good answer",
		wire.FinishStop, false},
	{"a JSON object in each line", `{"choices":[{"delta":{"content":"Good "}}]}` + "\n" +
		`{"choices":[{"delta":{"content":"answer"},"finish_reason":"stop"}]}` + "\n",
		"Good answer", wire.FinishStop, false},
	{"a list of objects", `[{"choices":[{"delta":{"content":"Good "}}]},{"choices":[{"delta":{"content":"answer"},"finish_reason":"stop"}]}]`,
		"Good answer", wire.FinishStop, false},
	{"whole JSON, cut", `{"choices":[{"message":{"content":"Good answer"},"finish_re`, "", "", true},
	{"error: null", `data: {"error":null,"choices":[{"index":0,"delta":{"content":"Good answer"}}]}` + "\n\n" + ends("stop") + done, "Good answer",
		wire.FinishStop, false},
	{"error: false, empty", `data: {"error":false,"choices":[]}` + "\n\n" + `data: {"error":""}` + "\n\n" + `data: {"error":{}}` + "\n\n" +
		`data: {"error":{"message":"","code":null}}` + "\n\n" + piece(`"Good answer"`) + ends("stop") + done, "Good answer", wire.FinishStop, false},
	{"indices as text", `data: {"choices":[{"index":"0","delta":{"content":"Good answer"},"finish_reason":"stop"}]}` + "\n\n" + done, "Good answer",
		wire.FinishStop, false},
	{"two choices of one index", `data: {"choices":[{"index":0,"delta":{"content":"Good "}},` +
		`{"index":0,"delta":{"content":"answer"},"finish_reason":"stop"}]}` + "\n\n" + done,
		"Good answer", wire.FinishStop, false},
	{"a message in place of deltas", `data: {"choices":[{"index":0,"message":{"content":"Good answer"},"finish_reason":"stop"}]}` + "\n\n" + done,
		"Good answer", wire.FinishStop, false},
	{"the message beside each delta", `data: {"choices":[{"index":0,"delta":{"content":"Good answer"},` +
		`"message":{"content":"Good answer"},"finish_reason":"stop"}]}` + "\n\n" + done,
		"Good answer", wire.FinishStop, false},
	{"a text that is continued", `data: {"choices":[{"index":0,"text":"Good "}]}` + "\n\n" +
		`data: {"choices":[{"index":0,"text":"answer","finish_reason":"stop"}]}` + "\n\n" + done,
		"Good answer", wire.FinishStop, false},
	{"no text at all", first() + ends("stop") + done, "", "", true},
}

// wildCalls are streams with calls of look, each with the arguments to carry out, one call in a string.
var wildCalls = []struct {
	name, stream string
	want         []string
}{
	{"TOOL_CALLS", parts(head(0, "c1", "look", `{"q":"a"}`)) + ends("TOOL_CALLS") + done, []string{`{"q":"a"}`}},
	{"tool_use", parts(head(0, "c1", "look", `{"q":"a"}`)) + ends("tool_use") + done, []string{`{"q":"a"}`}},
	{"a reason behind each call", parts(head(0, "c1", "look", `{"q":"a"}`)) + ends("tool_calls") + parts(head(1, "c2", "look",
		`{"q":"b"}`)) + ends("tool_calls") + done,
		[]string{`{"q":"a"}`, `{"q":"b"}`}},
	{"null for an optional member", parts(head(0, "c1", "look", `{"q":"a","n":null}`)) + ends("tool_calls") + done, []string{`{"q":"a"}`}},
	{"a number as text", parts(head(0, "c1", "look", `{"q":"a","n":"5"}`)) + ends("tool_calls") + done, []string{`{"n":5,"q":"a"}`}},
	{"the object as text", parts(head(0, "c1", "look", `"{\"q\":\"a\"}"`)) + ends("tool_calls") + done, []string{`{"q":"a"}`}},
	{"a tag behind", parts(head(0, "c1", "look", `{"q":"a"}</tool_call>`)) + ends("tool_calls") + done, []string{`{"q":"a"}`}},
	{"a fence", parts(head(0, "c1", "look", "```json\n{\"q\":\"a\"}\n```")) + ends("tool_calls") + done, []string{`{"q":"a"}`}},
	{"{} first", parts(head(0, "c1", "look", `{}`)) + parts(more(0, `{"q":"a"}`)) + ends("tool_calls") + done, []string{`{"q":"a"}`}},
	{"the whole call again", parts(head(0, "c1", "look", "")) + parts(more(0, `{"q":"a"}`)) + parts(head(0, "c1", "look",
		`{"q":"a"}`)) + ends("tool_calls") + done,
		[]string{`{"q":"a"}`}},
	{"functions.look", parts(head(0, "c1", "functions.look", `{"q":"a"}`)) + ends("tool_calls") + done, []string{`{"q":"a"}`}},
	{"look<|channel|>commentary", parts(head(0, "c1", "look<|channel|>commentary", `{"q":"a"}`)) + ends("tool_calls") + done, []string{`{"q":"a"}`}},
	{"the head under another index", parts(head(0, "c1", "look", `{"q":"a"}`)) + parts(head(0, "c2", "look", "")) + parts(more(1,
		`{"q":"b"}`)) + ends("tool_calls") + done,
		[]string{`{"q":"a"}`, `{"q":"b"}`}},
	{"function_call", choice(`"delta":{"function_call":{"name":"look","arguments":""}}`) + choice(`"delta":{"function_call":{"arguments":"{\"q\":\"a\"}"}}`) +
		ends("function_call") + done, []string{`{"q":"a"}`}},
	{"a name in two pieces", parts(head(0, "c1", "lo", "")) + parts(head(0, "", "ok", "")) + parts(more(0, `{"q":"a"}`)) + ends("tool_calls") + done,
		[]string{`{"q":"a"}`}},
}

// wildRefusals are refusals, with how often they are asked and what the caller is told.
var wildRefusals = []struct {
	name          string
	status        int
	body, message string
	asked         int
}{
	{"408", 408, "", "The model's provider failed", 3},
	{"500", 500, `{"error":"internal"}`, "The model's provider failed", 3},
	{"502", 502, "<html>", "The model's provider failed", 3},
	{"504", 504, "", "The model's provider failed", 3},
	{"529", 529, `{"error":{"type":"overloaded_error"}}`, "The model is busy", 3},
	{"429 that will not pass", 429, `{"error":{"code":"insufficient_quota"}}`, "This service's account", 1},
	{"402", 402, "", "This service's account", 1},
	{"401", 401, "", "The model's provider does not accept this service's key", 1},
}

func TestWhatRealProvidersSendIsRead(t *testing.T) {
	t.Parallel()
	rightly, all := 0, len(wild)+len(wildCalls)+len(wildRefusals)
	count := func(isRead bool) {
		if isRead {
			rightly++
		}
	}
	for _, test := range wild {
		count(t.Run(test.name, func(t *testing.T) {
			got, _ := logged(t, test.stream)
			require.Equal(t, test.text, got.text())
			require.Equal(t, test.finish, got.finish)
			require.Equal(t, test.fails, got.err != nil, "%v", got.err)
		}))
	}
	for _, test := range wildCalls {
		count(t.Run(test.name, func(t *testing.T) { require.Equal(t, test.want, looks(t, test.stream)) }))
	}
	for _, test := range wildRefusals {
		count(t.Run(test.name, func(t *testing.T) {
			m := newModel(t, refuses(test.status, test.body))
			var told *fault.Error
			require.ErrorAs(t, m.ask(t).err, &told)
			require.True(t, strings.HasPrefix(told.Message, test.message), told.Message)
			require.Len(t, m.asked(), test.asked)
		}))
	}
	t.Logf("%d of %d inputs are read rightly", rightly, all)
	require.Equal(t, all, rightly)
}

// looks returns the arguments of the calls of look that a stream makes.
func looks(t *testing.T, stream string) (all []string) {
	t.Helper()
	const schema = `{"type":"object","properties":{"q":{"type":"string"},"n":{"type":"integer"}},"required":["q"],"additionalProperties":false}`
	look, err := tool.New(tool.Definition{Kind: wire.ToolHTTP, Name: "look", Description: "Looks.", Parameters: wire.JSON(schema)}, nil)
	require.NoError(t, err)
	prompt := question("Hello?")
	prompt.Tools = []answering.PromptTool{{Name: look.Name, Parameters: look.Parameters}}
	got := read(t, newModel(t, streams(stream, closed)).provider(t).Answer(t.Context(), prompt))
	require.NoError(t, got.err)
	for _, call := range got.calls {
		require.Equal(t, look.Name, tool.PlainName(call.Name))
		arguments, err := look.Mend(call.Arguments)
		require.NoError(t, err)
		require.NoError(t, look.Check(arguments))
		all = append(all, arguments)
	}
	return all
}

// Only gzip is asked for, which net/http reads; an answer in another encoding is no answer.
func TestNoEncodingIsAskedForThatIsNotRead(t *testing.T) {
	t.Parallel()
	m := newModel(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		says(piece(`"x"`), ends("stop"))(w, r)
	})
	err := m.ask(t).err
	requireCode(t, wire.CodeProviderFailed, err)
	require.ErrorContains(t, err, "encoding that was not asked for")
	require.Equal(t, []string{"gzip"}, m.asked()[0].header["Accept-Encoding"])
}
