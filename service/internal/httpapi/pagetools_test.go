package httpapi_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// offers regenerates an answer with these page_tools, a JSON text.
func (s *service) offers(h headers, chatID, messageID, pageTools string) *httptest.ResponseRecorder {
	body := fmt.Sprintf(`{"project_id":"demo","chat_id":%q,"message_id":%q,"tool_calls":true,"page_tools":%s}`, chatID, messageID, pageTools)
	return s.do("POST", "/v3/chat/message/regenerate", h.json(), body)
}

// defined is an object of one tool, with its name and definition as JSON.
func defined(name, definition string) string { return `{` + quoted(name) + `:` + definition + `}` }

// withSchema is the definition of a tool with these parameters.
func withSchema(parameters string) string {
	return `{"description":"Paints","parameters":` + parameters + `}`
}

// manyTools are this many tools with different names.
func manyTools(count int, definition string) string {
	var all []string
	for i := range count {
		all = append(all, fmt.Sprintf(`"t%d":%s`, i, definition))
	}
	return `{` + strings.Join(all, ",") + `}`
}

// wrongPageTools are page_tools that every agent refuses; says is a part of the reason.
var wrongPageTools = []struct{ name, tools, says string }{
	{"a list", `[]`, ""},
	{"a list of tools", `[` + paint + `]`, ""},
	{"a string", `"paint"`, ""},
	{"a number", `1`, ""},
	{"true", `true`, ""},
	{"not JSON", `{"paint":`, ""},
	{"two objects", `{} {}`, ""},
	{"an empty name", defined("", paint), "1 to 64"},
	{"a name with a blank", defined("a b", paint), "1 to 64"},
	{"a name with a dot", defined("a.b", paint), "1 to 64"},
	{"a name in Greek", defined("α", paint), "1 to 64"},
	{"a name of 65 characters", defined(strings.Repeat("a", 65), paint), "1 to 64"},
	{"a name twice", `{"paint":` + paint + `,"paint":` + paint + `}`, "occurs twice"},
	{"a name twice, escaped", `{"paint":` + paint + `,"p\u0061int":` + paint + `}`, "occurs twice"},
	{"the name of an http tool", defined("act", paint), "occurs twice, as http and page"},
	{"a definition null", defined("paint", `null`), "want an object"},
	{"a definition that is a string", defined("paint", `"x"`), "want an object"},
	{"a definition that is a list", defined("paint", `[]`), "want an object"},
	{"an unknown field", defined("paint", `{"description":"x","parameters":{"type":"object"},"url":"http://127.0.0.1/"}`), `"url" is unknown`},
	{"a kind", defined("paint", `{"description":"x","parameters":{"type":"object"},"kind":"http"}`), `"kind" is unknown`},
	{"a field twice", defined("paint", `{"description":"x","description":"y","parameters":{"type":"object"}}`), "occurs twice"},
	{"no description", defined("paint", `{"parameters":{"type":"object"}}`), "description"},
	{"an empty description", defined("paint", `{"description":"","parameters":{"type":"object"}}`), "description"},
	{"a description of one byte more than 8 KiB", defined("paint", `{"description":"`+strings.Repeat("x", 8193)+`","parameters":{"type":"object"}}`), "at most 8192"},
	{"a description that is not a string", defined("paint", `{"description":1,"parameters":{"type":"object"}}`), "want a string"},
	{"no parameters", defined("paint", `{"description":"x"}`), "parameters"},
	{"parameters true", defined("paint", withSchema(`true`)), "parameters"},
	{"parameters of no type", defined("paint", withSchema(`{}`)), "parameters"},
	{"parameters of a list", defined("paint", withSchema(`{"type":"array"}`)), "parameters"},
	{"parameters of two types", defined("paint", withSchema(`{"type":["object","null"]}`)), "parameters"},
	{"an invalid schema", defined("paint", withSchema(`{"type":"object","properties":1}`)), "parameters"},
	{"another draft", defined("paint", withSchema(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`)), "parameters"},
	{"a remote $ref", defined("paint", withSchema(`{"type":"object","properties":{"n":{"$ref":"https://example.com/n.json"}}}`)), "parameters"},
	{"a $ref to a file", defined("paint", withSchema(`{"type":"object","properties":{"n":{"$ref":"file:///etc/passwd"}}}`)), "parameters"},
	{"a $ref to nothing", defined("paint", withSchema(`{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}}`)), "parameters"},
	{"a key twice in a schema", defined("paint", withSchema(`{"type":"object","type":"object"}`)), "occurs twice"},
	{"a lone surrogate", defined("paint", withSchema(`{"type":"object","title":"\ud800"}`)), "surrogate"},
	{"U+0000", defined("paint", withSchema(`{"type":"object","title":"\u0000"}`)), ""},
	{"a schema nested deeply", defined("paint", withSchema(`{"type":"object","x":`+strings.Repeat(`[`, 90)+strings.Repeat(`]`, 90)+`}`)), "deeper"},
	{"another approval", defined("paint", painted("maybe")), "approval"},
	{"an approval that is not a string", defined("paint", strings.Replace(paint, `"timeout"`, `"approval":true,"timeout"`, 1)), "approval"},
	{"idempotent as a string", defined("paint", strings.Replace(paint, `"timeout"`, `"idempotent":"true","timeout"`, 1)), "idempotent"},
	{"a timeout below 0", defined("paint", strings.Replace(paint, `60`, `-1`, 1)), "timeout"},
	{"a timeout beyond an hour", defined("paint", strings.Replace(paint, `60`, `3601`, 1)), "timeout"},
	{"a timeout as a string", defined("paint", strings.Replace(paint, `60`, `"60"`, 1)), "timeout"},
	{"64 tools in addition to the agent's", manyTools(64, paint), "at most 64"},
	{"65 tools", manyTools(65, paint), "at most 64"},
	{"64 KiB of schemas", manyTools(33, withSchema(`{"type":"object","title":"`+strings.Repeat("x", 2000)+`"}`)), "at most 65536"},
}

// A page's developer did not write the pattern: zod does, for an e-mail address.
func TestAPatternThatRE2DoesNotKnowRefusesNoMessage(t *testing.T) {
	t.Parallel()
	s := start(t, roomy(withTools(t, calling("act"), wire.ApprovalNever, does, tool.PageToolsAny)))
	w := s.send(as("ann"), offering(defined("paint", withSchema(`{"type":"object","properties":{"n":{"type":"string","pattern":"(?=a)"}}}`)))...)
	require.Equal(t, 200, w.Code, w.Body)
}

// Each is 400 and names the field, both in a form and in the body of a regeneration, and nothing is
// stored.
func TestPageToolsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, roomy(withTools(t, calling("act"), wire.ApprovalNever, does, tool.PageToolsAny)))
	sent := s.newChat("ann")
	before := s.everything()
	for _, row := range wrongPageTools {
		ways := map[string]*httptest.ResponseRecorder{"form": s.send(as("ann"), offering(row.tools)...)}
		if row.name != "not JSON" && row.name != "two objects" { // then there is no valid body
			ways["regenerate"] = s.offers(as("ann"), sent.ChatID, sent.MessageID, row.tools)
		}
		for way, w := range ways {
			require.Equal(t, 400, w.Code, "%s, %s: %s", row.name, way, w.Body)
			refusal(t, w, 400, wire.CodeValidation, "page_tools")
			require.Contains(t, decode[wire.ErrorBody](t, w).Error.Message, row.says, "%s, %s", row.name, way)
			require.Equal(t, before, s.everything(), "%s, %s", row.name, way)
		}
	}
	refusal(t, s.send(as("ann"), offering("")...), 400, wire.CodeValidation, "page_tools")
	refusal(t, s.send(as("ann"), append(offering(`{}`), field{name: "page_tools", value: `{}`})...), 400, wire.CodeValidation, "page_tools")
	refusal(t, s.send(as("ann"), field{name: "page_tools", value: `{}`, file: "tools.json"}), 400, wire.CodeValidation, "page_tools")
	refusal(t, s.send(as("ann"), field{name: "tool_calls", value: "yes"}), 400, wire.CodeValidation, "tool_calls")
	regenerate := fmt.Sprintf(`{"project_id":"demo","chat_id":%q,"message_id":%q,"tool_calls":"true"}`, sent.ChatID, sent.MessageID)
	refusal(t, s.do("POST", "/v3/chat/message/regenerate", as("ann").json(), regenerate), 400, wire.CodeValidation, "tool_calls")
	require.Equal(t, before, s.everything())
}

// Schemas count in the window of the agent.
func TestPageToolsTakeRoom(t *testing.T) {
	t.Parallel()
	s := start(t, roomy(withTools(t, calling("act"), wire.ApprovalNever, does, tool.PageToolsAny)))
	before := s.everything()
	large := manyTools(20, withSchema(`{"type":"object","title":"`+strings.Repeat("x", 2000)+`"}`))
	w := s.send(as("ann"), offering(large)...)
	refusal(t, w, 413, wire.CodePayloadTooLarge, "message")
	require.Contains(t, w.Body.String(), "instructions and tools")
	require.Equal(t, before, s.everything())
}

// AGENTS says which tools of a page an agent accepts.
func TestPageToolsOfAnAgent(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		takes, tools string
		says         string   // why it is refused, empty if it is not
		offered      []string // what the model is offered
	}{
		{tool.PageToolsAny, defined("paint", paint), "", []string{"act", "paint"}},
		{tool.PageToolsAny, `{}`, "", []string{"act"}},
		{tool.PageToolsAny, `null`, "", []string{"act"}},
		{tool.PageToolsDeclared, defined("show", paint), "", []string{"act", "show"}},
		{tool.PageToolsDeclared, defined("paint", paint), `tool "paint" is not declared`, nil},
		{tool.PageToolsNone, defined("show", paint), "accepts no tools of the page", nil},
		{tool.PageToolsNone, `{}`, "accepts no tools of the page", nil},
	} {
		model := calling("nothing")
		s := start(t, withTools(t, model, wire.ApprovalNever, does, row.takes))
		w := s.send(as("ann"), offering(row.tools)...)
		if row.says != "" {
			refusal(t, w, 400, wire.CodeValidation, "page_tools")
			require.Contains(t, decode[wire.ErrorBody](t, w).Error.Message, row.says)
			continue
		}
		require.Equal(t, 200, w.Code, w.Body)
		var names []string
		for _, one := range model.asked()[0].Tools {
			names = append(names, one.Name)
		}
		require.Equal(t, row.offered, names)
		if names[len(names)-1] == "show" {
			require.Equal(t, "Shows", model.asked()[0].Tools[1].Description, "what AGENTS declares is the operator's")
		}
	}
}

// If a client doesn't say that it handles calls, the model is offered no page tools and the answer doesn't wait.
func TestPageToolsWithoutToolCalls(t *testing.T) {
	t.Parallel()
	for _, fields := range [][]field{
		{{name: "page_tools", value: defined("paint", paint)}},
		{{name: "page_tools", value: defined("paint", paint)}, {name: "tool_calls", value: "false"}},
		{{name: "page_tools", value: `[]`}},
		{},
	} {
		model := calling("act", red)
		s := start(t, withTools(t, model, wire.ApprovalUser, does, tool.PageToolsAny)).carried()
		w := s.send(as("ann"), fields...)
		require.Equal(t, 200, w.Code, w.Body)
		answer := decode[wire.SendMessageResponse](t, w).Message
		require.Equal(t, "I ask.\n\nDone.", answer.Content)
		require.Equal(t, []string{wire.CallDenied, wire.ReasonClient}, []string{answer.ToolCalls[0].Status, answer.ToolCalls[0].Reason})
		require.Len(t, model.asked()[0].Tools, 1, "only act")
	}
}
