package openai_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// deltas are chunks with these members of their delta.
func deltas(members ...string) (stream string) {
	for _, one := range members {
		stream += choice(`"delta":{` + one + `},"finish_reason":null`)
	}
	return stream
}

// detail is a delta with a piece of reasoning as OpenRouter sends it.
func detail(members string) string { return `"reasoning_details":[{` + members + `}]` }

var wantedBack = []struct {
	name, stream string
	// returned is what goes back with the message, and extra with each call.
	returned string
	extra    []string
}{
	{"nothing", parts(head(0, "c1", "lookup", "{}")), "", []string{""}},
	{"DeepSeek", deltas(`"reasoning_content":"Hm, \ud83d"`, `"reasoning_content":"\ude42"`, `"reasoning_content":null`) +
		parts(head(0, "c1", "lookup", "{}"), head(1, "c2", "lookup", "{}")), `{"reasoning_content":"Hm, 🙂"}`, []string{"", ""}},
	{"reasoning that is empty", deltas(`"reasoning_content":""`) + parts(head(0, "c1", "lookup", "{}")), `{"reasoning_content":""}`, []string{""}},
	{"vLLM", deltas(`"reasoning":"ha"`, `"reasoning":" "`, `"reasoning":"ha"`) + parts(head(0, "c1", "lookup", "{}")), `{"reasoning":"ha ha"}`, []string{""}},
	{"OpenRouter, Anthropic", deltas(
		`"reasoning":"H",`+detail(`"type":"reasoning.text","text":"H","format":"anthropic-claude-v1","index":0,"signature":null`),
		`"reasoning":"m",`+detail(`"type":"reasoning.text","text":"m","format":"anthropic-claude-v1","index":0`),
		detail(`"type":"reasoning.text","signature":"c2ln","format":"anthropic-claude-v1","index":0`),
	) + parts(head(0, "c1", "lookup", "{}")),
		`{"reasoning":"Hm","reasoning_details":[{"type":"reasoning.text","text":"Hm","signature":"c2ln","format":"anthropic-claude-v1","index":0}]}`, []string{""}},
	{"OpenRouter, two thoughts under one index", deltas(
		detail(`"type":"reasoning.text","text":"a","index":0`), detail(`"type":"reasoning.text","signature":"s1","index":0`),
		detail(`"type":"reasoning.text","text":"b","index":0`), detail(`"type":"reasoning.text","signature":"s2","index":0`),
	) + parts(head(0, "c1", "lookup", "{}")),
		`{"reasoning_details":[{"type":"reasoning.text","text":"a","signature":"s1","index":0},{"type":"reasoning.text","text":"b","signature":"s2","index":0}]}`,
		[]string{""}},
	{"OpenRouter, OpenAI", deltas(
		detail(`"type":"reasoning.summary","summary":"H","format":null,"index":0`),
		detail(`"type":"reasoning.summary","summary":"m","format":"openai-responses-v1","index":0`),
		detail(`"type":"reasoning.encrypted","data":"eA==","id":"rs_1","format":"openai-responses-v1","index":0`),
	) + parts(head(0, "c1", "lookup", "{}")),
		`{"reasoning_details":[{"type":"reasoning.summary","summary":"Hm","format":"openai-responses-v1","index":0},
			{"type":"reasoning.encrypted","data":"eA==","id":"rs_1","format":"openai-responses-v1","index":0}]}`, []string{""}},
	{"OpenRouter, Gemini: a signature for each call", deltas(
		detail(`"type":"reasoning.encrypted","data":"czE=","id":"c1","index":0`), detail(`"type":"reasoning.encrypted","data":"czI=","id":"c2","index":0`),
	) + parts(head(0, "c1", "lookup", "{}"), head(1, "c2", "lookup", "{}")),
		`{"reasoning_details":[{"type":"reasoning.encrypted","data":"czE=","id":"c1","index":0},{"type":"reasoning.encrypted","data":"czI=","id":"c2","index":0}]}`,
		[]string{"", ""}},
	{"a whole list without an index", deltas(`"reasoning_details":[{"type":"reasoning.summary","summary":"a"},{"type":"reasoning.summary","summary":"b"}]`) +
		parts(head(0, "c1", "lookup", "{}")), `{"reasoning_details":[{"type":"reasoning.summary","summary":"a"},{"type":"reasoning.summary","summary":"b"}]}`,
		[]string{""}},
	{"LiteLLM", deltas(`"thinking_blocks":[{"type":"thinking","thinking":"H"}]`, `"thinking_blocks":[{"type":"thinking","thinking":"m","signature":"c2ln"}]`,
		`"provider_specific_fields":{"thought_signatures":["czE="]}`) +
		parts(`{"id":"c1","function":{"name":"lookup","arguments":"{}"},"provider_specific_fields":{"thought_signature":"czI="}}`),
		`{"thinking_blocks":[{"type":"thinking","thinking":"Hm","signature":"c2ln"}],"provider_specific_fields":{"thought_signatures":["czE="]}}`,
		[]string{`{"provider_specific_fields":{"thought_signature":"czI="}}`}},
	{"Mistral", deltas(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"H"}]}]`,
		`"content":[{"type":"thinking","thinking":[{"type":"text","text":"m"}],"closed":true}]`, `"content":[{"type":"text","text":"Let me see."}]`) +
		parts(head(0, "c1", "lookup", "{}")), `{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}],"closed":true}]}`, []string{""}},
	{"MiniMax: tags", piece(`"<think>H"`) + piece(`"m</think>Let me see."`) + parts(head(0, "c1", "lookup", "{}")),
		`{"content":"<think>Hm</think>Let me see."}`, []string{""}},
	{"Gemini: a signature", parts(`{"id":"c1","function":{"name":"lookup","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln"}}}`),
		"", []string{`{"extra_content":{"google":{"thought_signature":"c2ln"}}}`}},
	{"a signature in a separate event", parts(head(-1, "c1", "lookup", "{}")) + parts(`{"extra_content":{"google":{"thought_signature":"c2ln"}}}`) +
		parts(head(-1, "c2", "lookup", "{}")), "", []string{`{"extra_content":{"google":{"thought_signature":"c2ln"}}}`, ""}},
	{"a signature in each piece", parts(`{"index":0,"id":"c1","function":{"name":"lookup","arguments":"{","thought_signature":"c2ln"}}`) +
		parts(`{"index":0,"function":{"arguments":"}","thought_signature":"c2ln"}}`), "", []string{`{"function":{"thought_signature":"c2ln"}}`}},
	{"what nobody knows", deltas(`"zorbex":"a"`, `"zorbex":"b"`, `"count":1`, `"count":2`, `"none":null`, `"deep":{"a":[1,"x"]}`) +
		parts(`{"id":"c1","function":{"name":"lookup","arguments":"{}"},"zorbex":"a"}`) + parts(`{"id":"c1","zorbex":"b"}`),
		`{"zorbex":"ab","count":2,"deep":{"a":[1,"x"]}}`, []string{`{"zorbex":"ab"}`}},
	{"bytes that are no characters", deltas(`"reasoning_content":"H`+"\xc3"+`"`, `"reasoning_content":"\ud83d"`) + parts(head(0, "c1", "lookup", "{}")),
		`{"reasoning_content":"H` + "\ufffd\ufffd" + `"}`, []string{""}},
	{"more than is kept", deltas(`"reasoning_content":"`+strings.Repeat("x", 600<<10)+`"`) + parts(head(0, "c1", "lookup", "{}")), "", []string{""}},
	{"more than is kept of a call", parts(`{"id":"c1","function":{"name":"lookup","arguments":"{}"},"extra_content":"` + strings.Repeat("x", 70<<10) + `"}`),
		"", []string{""}},
}

func TestWhatAProviderWantsBackIsKept(t *testing.T) {
	t.Parallel()
	for _, test := range wantedBack {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := read(t, newModel(t, says(test.stream, ends("tool_calls"))).provider(t).Answer(t.Context(), withTools()))
			require.NoError(t, got.err)
			if test.returned == "" {
				require.Empty(t, got.last.Returned)
			} else {
				require.JSONEq(t, test.returned, string(got.last.Returned))
			}
			var extra []string
			for _, call := range got.calls {
				extra = append(extra, string(call.Extra))
			}
			require.Equal(t, test.extra, extra)
		})
	}
}

// What was kept of a round stands in its message as it came, beside what the service says itself.
func TestWhatAProviderWantsBackGoesBack(t *testing.T) {
	t.Parallel()
	for _, test := range wantedBack {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, says(test.stream, ends("tool_calls")), says(piece(`"x"`), ends("stop")))
			p := m.provider(t)
			first := read(t, p.Answer(t.Context(), withTools()))
			said := answering.Round{Text: first.text(), Returned: first.last.Returned}
			for _, call := range first.calls {
				said.Calls = append(said.Calls, answering.RoundCall{ModelCall: call, Outcome: "1"})
			}
			require.NoError(t, read(t, p.Answer(t.Context(), withTools(said))).err)
			var body struct{ Messages []map[string]json.RawMessage }
			require.NoError(t, json.Unmarshal([]byte(m.asked()[1].body), &body))
			message := body.Messages[1]
			var want map[string]json.RawMessage
			_ = json.Unmarshal([]byte(test.returned), &want)
			for name, value := range want {
				if name != "content" {
					require.JSONEq(t, string(value), string(message[name]), name)
				}
			}
			var calls []map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(message["tool_calls"], &calls))
			for i, call := range calls {
				var extra map[string]json.RawMessage
				_ = json.Unmarshal([]byte(test.extra[i]), &extra)
				for name, value := range extra {
					if name == "function" {
						require.Contains(t, string(call[name]), strings.Trim(string(value), "{}"))
						require.Contains(t, string(call[name]), `"name":"lookup"`)
						continue
					}
					require.JSONEq(t, string(value), string(call[name]), name)
				}
			}
		})
	}
}

func TestTheContentOfARoundGoesBackWithItsReasoning(t *testing.T) {
	t.Parallel()
	const thinking = `{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]}`
	for returned, want := range map[string]string{
		`{"content":[` + thinking + `]}`:   `[` + thinking + `,{"type":"text","text":"See."}]`,
		`{"content":"<think>Hm</think>S"}`: `"<think>Hm</think>S"`,
		`{"content":7}`:                    `"See."`,
		`[1]`:                              `"See."`,
		`{"role":"user","tool_calls":[]}`:  `"See."`,
	} {
		m := newModel(t, says(piece(`"x"`), ends("stop")))
		said := round("See.", outcome("c1", "lookup", "{}", "1"))
		said.Returned = wire.JSON(returned)
		require.NoError(t, read(t, m.provider(t).Answer(t.Context(), withTools(said))).err)
		var body struct{ Messages []map[string]json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(m.asked()[0].body), &body))
		require.JSONEq(t, want, string(body.Messages[1]["content"]))
		require.JSONEq(t, `"assistant"`, string(body.Messages[1]["role"]))
		require.Contains(t, string(body.Messages[1]["tool_calls"]), `"c1"`)
	}
}

// A server that takes back nothing of what its model sent is asked without it from then on. One that misses something
// is not.
func TestAServerThatRefusesWhatItsModelSentIsAskedWithout(t *testing.T) {
	t.Parallel()
	for says, asked := range map[string]int{
		`property 'reasoning' is unsupported`:                        2,
		`messages.1.reasoning: Extra inputs are not permitted`:       2,
		`the reasoning must be passed back to the API`:               1,
		`Function call is missing a thought_signature and reasoning`: 1,
		`the prompt and its reasoning exceed the context length`:     1,
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, refuses(400, fmt.Sprintf(`{"error":{"message":%q}}`, says)), streams(piece(`"x"`)+ends("stop"), closed))
			said := round("", outcome("c1", "lookup", "{}", "1"))
			said.Returned = wire.JSON(`{"reasoning":"Hm"}`)
			got := read(t, m.provider(t).Answer(t.Context(), withTools(said)))
			require.Len(t, m.asked(), asked)
			require.Equal(t, asked == 2, got.err == nil)
			require.Contains(t, m.asked()[0].body, `"reasoning"`)
			if asked == 2 {
				require.NotContains(t, m.asked()[1].body, `"reasoning"`)
			}
		})
	}
}

// However pieces of a value are cut, what is kept is the same, and nothing panics.
func FuzzKept(f *testing.F) {
	f.Add(`{"reasoning_details":[{"type":"reasoning.text","text":"Grüße 🙂","index":0,"signature":"s"}],"a":{"b":[1,null,"x"]}}`, uint16(3))
	f.Add(`{"content":[{"type":"thinking","thinking":[{"text":""}]}]}`, uint16(1))
	f.Add(`{"a":[[[[]]]],"b":"\ud83d"}`, uint16(0))
	f.Add(`" "`, uint16(2))
	f.Fuzz(func(t *testing.T, value string, at uint16) {
		if !json.Valid([]byte(value)) {
			t.Skip("not JSON")
		}
		once := openai.Kept(value)
		require.True(t, once == "" || json.Valid([]byte(once)))
		openai.Kept(value, value)
		text := strings.ToValidUTF8(value, "?")
		cut := int(at) % (len(text) + 1)
		whole, _ := json.Marshal(map[string]string{"text": text})
		require.JSONEq(t, string(whole), openai.Kept(`{"text":`+literal(text[:cut])+`}`, `{"text":`+literal(text[cut:])+`}`))
	})
}
