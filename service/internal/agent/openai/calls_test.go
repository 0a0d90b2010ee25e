package openai_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// toldBody is a request, as far as tests check it.
type toldBody struct {
	Messages []struct {
		Role, Name string
		ToolCalls  []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
}

func bodyOf(t *testing.T, call asked) (body toldBody) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(call.body), &body))
	return body
}

func called(id, name, arguments string) toolcall.ModelCall {
	return toolcall.ModelCall{ID: id, Name: name, Arguments: arguments}
}

// Streams as servers send them.
func TestCallsAreRead(t *testing.T) {
	t.Parallel()
	a, b := called("c1", "lookup", `{"key":"a"}`), called("c2", "order", `{"n":2}`)
	tests := []struct {
		name   string
		stream string
		text   string
		calls  []toolcall.ModelCall
	}{
		{"OpenAI: pieces of one call", first() + parts(head(0, "c1", "lookup", "")) + parts(more(0, `{"ke`)) + parts(more(0, `y":"a"}`)) + ends("tool_calls") + done,
			"", []toolcall.ModelCall{a}},
		{"OpenAI: two calls after text", piece(`"Let me see."`) + parts(head(0, "c1", "lookup", "")) + parts(more(0, `{"key":"a"}`)) +
			parts(head(1, "c2", "order", "")) + parts(more(1, `{"n":2}`)) + ends("tool_calls"), "Let me see.", []toolcall.ModelCall{a, b}},
		{"two interleaved calls", parts(head(0, "c1", "lookup", ""), head(1, "c2", "order", "")) + parts(more(1, `{"n":`)) +
			parts(more(0, `{"key":"a"`), more(1, `2}`)) + parts(more(0, `}`)) + ends("tool_calls"), "", []toolcall.ModelCall{a, b}},
		{"text after a call", parts(head(0, "c1", "lookup", a.Arguments)) + piece(`"There."`) + ends("tool_calls"), "There.", []toolcall.ModelCall{a}},
		{"Ollama: whole calls in one event, and stop", parts(head(0, "c1", "lookup", a.Arguments), head(1, "c2", "order", b.Arguments)) + ends("stop"),
			"", []toolcall.ModelCall{a, b}},
		{"Ollama: the same index for all", parts(head(0, "c1", "lookup", a.Arguments)) + parts(head(0, "c2", "order", b.Arguments)) + ends("stop"),
			"", []toolcall.ModelCall{a, b}},
		{"the same index for all, in pieces", parts(head(0, "c1", "lookup", "")) + parts(more(0, a.Arguments)) + parts(head(0, "c2", "order", "")) +
			parts(more(0, b.Arguments)) + ends("tool_calls"), "", []toolcall.ModelCall{a, b}},
		{"the same index and tool for all, no ids", parts(head(0, "", "lookup", `{"key":"a"}`)) + parts(head(0, "", "lookup", `{"key":"b"}`)) + ends("stop"),
			"", []toolcall.ModelCall{called("call00000", "lookup", `{"key":"a"}`), called("call00001", "lookup", `{"key":"b"}`)}},
		{"the same index and tool for all, no arguments", parts(head(0, "c1", "order", "")) + parts(head(0, "c2", "order", "")) + ends("stop"),
			"", []toolcall.ModelCall{called("c1", "order", "{}"), called("c2", "order", "{}")}},
		{"Gemini: no index, in pieces", parts(head(-1, "c1", "lookup", `{"key":`)) + parts(more(-1, `"a"}`)) + parts(head(-1, "c2", "order", b.Arguments)) + ends("stop"),
			"", []toolcall.ModelCall{a, b}},
		{"Gemini: no index, all in one event", parts(head(-1, "", "order", ""), head(-1, "", "order", ""), head(-1, "", "lookup", a.Arguments)) + ends("stop"),
			"", []toolcall.ModelCall{called("call00000", "order", "{}"), called("call00001", "order", "{}"), called("call00002", "lookup", a.Arguments)}},
		{"no index, pieces found by their ids", parts(head(-1, "c1", "lookup", ""), head(-1, "c2", "order", "")) +
			parts(`{"id":"c1","function":{"arguments":"{\"key\":\"a\"}"}}`,
				`{"id":"c2","function":{"arguments":"{\"n\":2}"}}`) + ends("stop"), "", []toolcall.ModelCall{a, b}},
		{"vLLM: an id for each piece", parts(head(0, "c1", "lookup", "")) + parts(`{"index":0,"id":"c9","function":{"arguments":"{\"key\":"}}`) +
			parts(`{"index":0,"id":"c8","function":{"arguments":"\"a\"}"}}`) + ends("tool_calls"), "", []toolcall.ModelCall{a}},
		{"empty and null names, ids and arguments", parts(head(0, "c1", "lookup", "")) +
			parts(`{"index":0,"id":"","type":"","function":{"name":"","arguments":"{\"key\":\"a\"}"}}`) +
			parts(`{"index":0,"id":null,"function":{"name":null,"arguments":null}}`) + parts(`{"index":0,"function":null}`) + parts() +
			choice(`"delta":{"tool_calls":null}`) + ends("tool_calls"), "", []toolcall.ModelCall{a}},
		{"the name again in each piece", parts(head(0, "c1", "lookup", "")) + parts(head(0, "c1", "lookup", `{"key":`)) + parts(head(0, "", "lookup", `"a"}`)) +
			parts(head(0, "", "lookup", "")) + ends("tool_calls"), "", []toolcall.ModelCall{a}},
		{"the name after the id", parts(head(0, "c1", "", "")) + parts(head(0, "", "lookup", a.Arguments)) + ends("tool_calls"), "", []toolcall.ModelCall{a}},
		{"llama.cpp: the same id for two", parts(head(0, "c1", "lookup", a.Arguments)) + parts(head(1, "c1", "order", b.Arguments)) + ends("tool_calls"),
			"", []toolcall.ModelCall{a, called("call00001", "order", b.Arguments)}},
		{"an index that begins at 1", parts(head(1, "c1", "lookup", "")) + parts(more(1, a.Arguments)) + ends("tool_calls"), "", []toolcall.ModelCall{a}},
		{"Mistral: whole, beside the finish reason", choice(`"delta":{"content":"","tool_calls":[{"id":"c1","function":{"name":"lookup","arguments":"{\"key\":\"a\"}"},"index":0}]},"finish_reason":"tool_calls"`),
			"", []toolcall.ModelCall{a}},
		{"arguments as an object", parts(`{"index":0,"id":"c1","function":{"name":"lookup","arguments":{"key":"a"}}}`) + ends("stop"), "", []toolcall.ModelCall{a}},
		{"function_call as the reason", parts(head(0, "c1", "lookup", a.Arguments)) + ends("function_call"), "", []toolcall.ModelCall{a}},
		{"the head under one index, the arguments under another",
			parts(head(0, "c1", "lookup", "")) + parts(more(0, a.Arguments)) + parts(head(0, "c2", "order", "")) +
				parts(more(1, `{"n"`)) + parts(more(1, `:2}`)) + ends("tool_calls"), "", []toolcall.ModelCall{a, b}},
		{"a name in pieces", parts(head(0, "c1", "lo", "")) + parts(head(0, "", "ok", "")) + parts(head(0, "", "up", "")) + parts(more(0,
			a.Arguments)) + ends("tool_calls"),
			"", []toolcall.ModelCall{a}},
		{"the whole call again at the end", parts(head(0, "c1", "lookup", "")) + parts(more(0, a.Arguments)) + parts(head(0, "c1", "lookup",
			a.Arguments)) + ends("tool_calls"),
			"", []toolcall.ModelCall{a}},
		{"the whole call again without its id", parts(head(0, "c1", "lookup", a.Arguments)) + parts(head(0, "", "lookup", a.Arguments)) + ends("tool_calls"),
			"", []toolcall.ModelCall{a}},
		{"the whole call again under another index", parts(head(0, "c1", "lookup", a.Arguments)) + parts(head(1, "c1", "lookup", a.Arguments)) + ends("tool_calls"),
			"", []toolcall.ModelCall{a}},
		{"the same call twice with ids of their own", parts(head(0, "c1", "order", b.Arguments)) + parts(head(0, "c2", "order", b.Arguments)) + ends("tool_calls"),
			"", []toolcall.ModelCall{called("c1", "order", b.Arguments), b}},
		{"two calls, each with a reason", parts(head(0, "c1", "lookup", a.Arguments)) + ends("tool_calls") + parts(head(1, "c2", "order",
			b.Arguments)) + ends("tool_calls"),
			"", []toolcall.ModelCall{a, b}},
		{"an index as text, an id as a number", parts(`{"index":"0","id":7,"function":{"name":"lookup","arguments":""}}`) +
			parts(`{"index":"0","function":{"arguments":"{}"}}`) + ends("tool_calls"),
			"", []toolcall.ModelCall{called("7", "lookup", "{}")}},
		{"whole JSON in place of a stream", `{"choices":[{"message":{"content":null,` +
			`"tool_calls":[{"id":"c1","function":{"name":"lookup","arguments":"{\"key\":\"a\"}"}},` +
			`{"id":"c2","function":{"name":"order","arguments":{"n":2}}}]},"finish_reason":"tool_calls"}]}`, "", []toolcall.ModelCall{a, b}},
		{"no call at all", piece(`"Fine."`) + parts("{}") + ends("stop"), "Fine.", nil},
		{"a call of no tool is the caller's to refuse", parts(head(0, "c1", "", `{}`)) + ends("tool_calls"), "", []toolcall.ModelCall{called("c1", "", "{}")}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, streams(test.stream, closed))
			got := read(t, m.provider(t).Answer(t.Context(), withTools()))
			require.NoError(t, got.err)
			require.Equal(t, wire.FinishStop, got.finish)
			require.Equal(t, test.text, got.text())
			require.Equal(t, test.calls, got.calls)
			require.Len(t, m.asked(), 1)
		})
	}
}

// A new id differs from all ids of earlier rounds.
func TestGeneratedIDsCountEarlierRounds(t *testing.T) {
	t.Parallel()
	m := newModel(t, says(parts(head(0, "", "lookup", "{}")), ends("stop")))
	earlier := round("", outcome("call00000", "lookup", "{}", "1"), outcome("c2", "order", "{}", "2"))
	got := read(t, m.provider(t).Answer(t.Context(), withTools(earlier, round("", outcome("c3", "order", "{}", "3")))))
	require.Equal(t, []toolcall.ModelCall{called("call00003", "lookup", "{}")}, got.calls)
}

// If a call was cut off, its beginning is passed on, so that the model is told that it is
// invalid.
func TestACutCallIsPassedOnAsItArrived(t *testing.T) {
	t.Parallel()
	got := read(t, newModel(t, says(parts(head(0, "c1", "lookup", `{"key":"a"}`), head(1, "c2", "order", "{\"n\xc3")), parts(head(2, "c3", "order", "")),
		ends("length"))).provider(t).Answer(t.Context(), withTools()))
	require.NoError(t, got.err)
	require.Equal(t, wire.FinishLength, got.finish)
	require.Equal(t, []toolcall.ModelCall{called("c1", "lookup", `{"key":"a"}`), called("c2", "order", "{\"n\ufffd"), called("c3", "order", "")}, got.calls)
}

func TestCallsAreIgnoredIfNoneIsAllowed(t *testing.T) {
	t.Parallel()
	stream := piece(`"Fine."`) + parts(head(0, "c1", "lookup", "{}"))
	barred := withTools()
	barred.NoCalls = true
	tests := []struct {
		name   string
		prompt answering.Prompt
		reason string
		fails  bool
	}{
		{"no tools, stop", question("Which?"), "stop", false},
		{"no tools, tool_calls", question("Which?"), "tool_calls", true},
		{"barred, stop", barred, "stop", false},
		{"barred, tool_calls", barred, "tool_calls", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := read(t, newModel(t, says(stream, ends(test.reason))).provider(t).Answer(t.Context(), test.prompt))
			require.Equal(t, "Fine.", got.text())
			require.Empty(t, got.calls)
			require.Equal(t, test.fails, got.err != nil)
		})
	}
}

func TestCallsAreBounded(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 129 {
		many = append(many, head(i, fmt.Sprint("c", i), "lookup", "{}"))
	}
	p := newModel(t, says(parts(many[:128]...), ends("tool_calls")), says(piece(`"So far"`), parts(many...), ends("tool_calls"))).provider(t)
	require.Len(t, read(t, p.Answer(t.Context(), withTools())).calls, 128)
	got := read(t, p.Answer(t.Context(), withTools()))
	require.Equal(t, "The model made too many calls at once", requireCode(t, wire.CodeProviderFailed, got.err).Message)
	require.ErrorContains(t, got.err, "more than 128 calls")
	require.Equal(t, "So far", got.text())
	require.Empty(t, got.calls)

	long := `{"key":"` + strings.Repeat("🙂", 1<<20) + `"}`
	stream := parts(head(0, strings.Repeat("i", 40<<10), strings.Repeat("ü", 1000), long[:100])) + parts(more(0, long[100:1<<20])) + parts(more(0, long[1<<20:])) + ends("stop")
	got = read(t, newModel(t, says(stream)).provider(t).Answer(t.Context(), withTools()))
	require.NoError(t, got.err)
	call := got.calls[0]
	require.Equal(t, "call00000", call.ID)
	require.Equal(t, strings.Repeat("ü", 128), call.Name)
	require.True(t, strings.HasPrefix(long, call.Arguments) && utf8.ValidString(call.Arguments))
	require.Greater(t, len(call.Arguments), 64<<10, "so that it is reported as too long")
	require.Less(t, len(call.Arguments), 65<<10)
}

func TestACallWithoutAnEndFails(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, stream, message string }{
		{"a finish reason for calls, without calls", piece(`"Let me see."`) + ends("tool_calls"), "The model asked for a tool, but named none that exists"},
		{"a stream that closes", parts(head(0, "c1", "lookup", "{}")) + done, "The model's answer broke off"},
		{"a content filter", parts(head(0, "c1", "lookup", "{}")) + ends("content_filter"), "The model's provider withheld the answer because of its content filter"},
		{"calls that are not a list", choice(`"delta":{"tool_calls":{"id":"c1"}}`) + ends("tool_calls"), "The model sent something that is not an answer"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, says(test.stream))
			got := read(t, m.provider(t).Answer(t.Context(), withTools()))
			require.Equal(t, test.message, requireCode(t, wire.CodeProviderFailed, got.err).Message)
			require.Empty(t, got.calls)
			require.Len(t, m.asked(), 1, "it is not retried")
		})
	}
}

func TestAQuestionWithToolsIsRetriedBeforeItsResponse(t *testing.T) {
	t.Parallel()
	m := newModel(t, refuses(503, ""), says(parts(head(0, "c1", "lookup", "{}")), ends("tool_calls")))
	got := read(t, m.provider(t).Answer(t.Context(), withTools(round("", outcome("c0", "order", "{}", "0")))))
	require.Equal(t, []toolcall.ModelCall{called("c1", "lookup", "{}")}, got.calls)
	require.Len(t, m.asked(), 2)
	require.Equal(t, m.asked()[0].body, m.asked()[1].body)
}
