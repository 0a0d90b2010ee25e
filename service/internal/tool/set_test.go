package tool_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

const plain = `{"description":"Does it.","parameters":{"type":"object"}}`

// newSet has an http tool, refund, and declares a tool of the page, open_map.
func newSet(t testing.TB, pageTools string) *tool.Set {
	t.Helper()
	refund, err := tool.New(define(wire.ToolHTTP, `{"type":"object"}`), panics{})
	require.NoError(t, err)
	openMap, err := tool.New(tool.Definition{Kind: wire.ToolPage, Name: "open_map", Description: "Opens the map.",
		Parameters: wire.JSON(`{"type":"object","required":["place"]}`), Approval: wire.ApprovalNever}, nil)
	require.NoError(t, err)
	set, err := tool.NewSet([]*tool.Tool{refund, openMap}, nil, pageTools)
	require.NoError(t, err)
	return set
}

func TestToolsThatThePageNames(t *testing.T) {
	t.Parallel()
	many := func(n int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(`"t%d":%s`, i, plain)
		}
		return "{" + strings.Join(all, ",") + "}"
	}
	wide := `{"description":"x","parameters":{"type":"object","title":"` + strings.Repeat("x", 33<<10) + `"}}`
	for _, test := range []struct {
		name, pageTools, rule, want string
	}{
		{"none", ``, tool.PageToolsAny, "refund"},
		{"null", `null`, tool.PageToolsAny, "refund"},
		{"none where none are allowed", ``, tool.PageToolsNone, "refund"},
		{"an empty object", `{}`, tool.PageToolsAny, "refund"},
		{"one of its own", `{"greet":` + plain + `}`, tool.PageToolsAny, "refund greet"},
		{"in its order", `{"z":` + plain + `,"open_map":` + plain + `,"a":` + plain + `}`, tool.PageToolsAny, "refund z open_map a"},
		{"a declared one", `{"open_map":` + plain + `}`, tool.PageToolsDeclared, "refund open_map"},
		{"a declared one whose definition is ignored", `{"open_map":7}`, tool.PageToolsAny, "refund open_map"},
		{"one that is not declared", `{"open_map":{},"greet":` + plain + `}`, tool.PageToolsDeclared, `400: tool "greet" is not declared`},
		{"one where none are allowed", `{"open_map":` + plain + `}`, tool.PageToolsNone, "400: this agent accepts no tools of the page"},
		{"an empty object where none are allowed", `{}`, tool.PageToolsNone, "400: this agent accepts no tools of the page"},
		{"the name of an http tool", `{"refund":` + plain + `}`, tool.PageToolsAny, `400: tool "refund" occurs twice, as http and page`},
		{"a name twice", `{"a":` + plain + `,"a":` + plain + `}`, tool.PageToolsAny, `400: page_tools: at /a: the name occurs twice`},
		{"a declared name twice", `{"open_map":{},"open_m\u0061p":{}}`, tool.PageToolsDeclared, `the name occurs twice`},
		{"a bad name", `{"a b":` + plain + `}`, tool.PageToolsAny, `400: tool "a b": name: want 1 to 64`},
		{"an empty name", `{"":` + plain + `}`, tool.PageToolsAny, `400: tool "": name: want 1 to 64`},
		{"a bad schema", `{"a":{"description":"x","parameters":{"type":"array"}}}`, tool.PageToolsAny, `400: tool "a": parameters: want a JSON Schema with "type": "object"`},
		{"a list", `[]`, tool.PageToolsAny, "400: page_tools: want an object"},
		{"not JSON", `{"a":`, tool.PageToolsAny, "400: page_tools: not JSON"},
		{"two values", `{}{}`, tool.PageToolsAny, "400: page_tools: not JSON"},
		{"64 with the agent's", many(63), tool.PageToolsAny, "refund t0 t1 "},
		{"65 with the agent's", many(64), tool.PageToolsAny, "400: there are 65 tools with the agent's, want at most 64"},
		{"65 alone", many(65), tool.PageToolsAny, "400: there are 65 tools, want at most 64"},
		{"64 KiB of schemas", `{"a":` + wide + `}`, tool.PageToolsAny, "refund a"},
		{"more", `{"a":` + wide + `,"b":` + wide + `}`, tool.PageToolsAny, "bytes with the agent's, want at most 65536"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			all, err := newSet(t, test.rule).Offer(nil, wire.JSON(test.pageTools))
			want, isRefused := strings.CutPrefix(test.want, "400: ")
			if isRefused || err != nil {
				require.Contains(t, refusal(t, err, "page_tools"), want)
				return
			}
			list := []string{}
			for _, one := range all {
				list = append(list, one.Name)
			}
			require.Contains(t, strings.Join(list, " ")+" ", want)
		})
	}
}

func TestADeclaredToolOfThePageIsTheOperators(t *testing.T) {
	t.Parallel()
	set := newSet(t, tool.PageToolsAny)
	all, err := set.Offer(nil, wire.JSON(`{"open_map":{"description":"Sends money.","parameters":{"type":"object"},"approval":"user","idempotent":true,"timeout":1}}`))
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.True(t, all[1].Declared())
	require.Equal(t, "Opens the map.", all[1].Description)
	require.Equal(t, wire.ApprovalNever, all[1].Approval)
	require.Equal(t, tool.PageTimeout, all[1].Timeout)
	require.Same(t, all[1], current(t, set, "open_map"))
	require.Same(t, all[0], current(t, set, "refund"))
	gone, err := set.Current("greet")
	require.NoError(t, err)
	require.Nil(t, gone)
}

func TestAnAgentWithoutToolsAcceptsThePages(t *testing.T) {
	t.Parallel()
	var set *tool.Set
	all, err := set.Offer(nil, wire.JSON(`{"greet":`+plain+`}`))
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.False(t, all[0].Declared())
	all, err = set.Offer(nil, nil)
	require.NoError(t, err)
	require.Empty(t, all)
	one, err := set.Current("greet")
	require.NoError(t, err)
	require.Nil(t, one)
	set.Run(t.Context(), "agent", nil)
	set.Tried(t.Context())
	set.Close()
}

func TestToolsThatDoNotGoTogether(t *testing.T) {
	t.Parallel()
	one, err := tool.New(define(wire.ToolHTTP, `{"type":"object"}`), panics{})
	require.NoError(t, err)
	two, err := tool.New(define(wire.ToolPage, `{"type":"object"}`), nil)
	require.NoError(t, err)
	_, err = tool.NewSet([]*tool.Tool{one, two}, nil, tool.PageToolsAny)
	require.ErrorContains(t, err, `tool "refund" occurs twice, as http and page`)
}

// pageTool is the tool greet of a page.
func pageTool(t testing.TB, shelf *tool.Shelf, definition string) *tool.Tool {
	t.Helper()
	var set *tool.Set
	all, err := set.Offer(shelf, wire.JSON(`{"greet":`+definition+`}`))
	require.NoError(t, err)
	require.Len(t, all, 1)
	digest, err := tool.PageDigest("greet", wire.JSON(definition))
	require.NoError(t, err)
	require.Equal(t, all[0].Digest(), digest, "a claim is compared without a schema")
	return all[0]
}

func TestDefinitionsOfThePage(t *testing.T) {
	t.Parallel()
	made := pageTool(t, nil, `{"description":"Greets.","parameters":{ "type" : "object" },"approval":"admin","idempotent":true,"timeout":1.5}`)
	require.Equal(t, tool.Definition{Kind: wire.ToolPage, Name: "greet", Description: "Greets.", Parameters: wire.JSON(`{"type":"object"}`),
		Approval: wire.ApprovalAdmin, Idempotent: true, Timeout: 1500 * time.Millisecond}, made.Definition)
	made = pageTool(t, nil, `{"parameters":{"type":"object"},"description":"Greets.","timeout":0,"approval":null,"idempotent":null}`)
	require.Equal(t, wire.ApprovalUser, made.Approval)
	require.Equal(t, 3*time.Minute, made.Timeout)

	for _, test := range []struct{ name, definition, want string }{
		{"nothing", ``, "not JSON"},
		{"null", `null`, "want an object such as"},
		{"a list", `[]`, "want an object such as"},
		{"no description", `{"parameters":{"type":"object"}}`, "description: missing"},
		{"a long description", `{"description":"` + strings.Repeat("x", 9000) + `","parameters":{"type":"object"}}`, "9000 bytes"},
		{"no parameters", `{"description":"x"}`, "parameters: missing"},
		{"an unknown field", `{"description":"x","parameters":{"type":"object"},"run":1}`, `"run" is unknown, want approval, description, idempotent, parameters, timeout`},
		{"a field in another case", `{"Description":"x","parameters":{"type":"object"}}`, `"Description" is unknown`},
		{"a field twice", `{"description":"x","description":"y","parameters":{"type":"object"}}`, "at /description: the name occurs twice"},
		{"an unknown approval", `{"description":"x","parameters":{"type":"object"},"approval":"nobody"}`, "approval: want never, user or admin"},
		{"an approval of another type", `{"description":"x","parameters":{"type":"object"},"approval":false}`, "approval: want a string"},
		{"idempotent in words", `{"description":"x","parameters":{"type":"object"},"idempotent":"yes"}`, "idempotent: want true or false"},
		{"a timeout in words", `{"description":"x","parameters":{"type":"object"},"timeout":"3m"}`, "timeout: want a number of seconds"},
		{"a timeout below 0", `{"description":"x","parameters":{"type":"object"},"timeout":-1}`, "timeout: -1 seconds"},
		{"a timeout of a day", `{"description":"x","parameters":{"type":"object"},"timeout":86400}`, "timeout: 86400 seconds"},
		{"an infinite timeout", `{"description":"x","parameters":{"type":"object"},"timeout":1e999}`, "too large"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := tool.PageDigest("greet", wire.JSON(test.definition))
			told := refusal(t, err, "definition")
			require.Contains(t, told, test.want)
			require.Contains(t, told, `tool "greet": `)
		})
	}
}

// Each part of a definition counts, and none can be taken for a part of another.
func TestDigests(t *testing.T) {
	t.Parallel()
	base := tool.Definition{Kind: wire.ToolHTTP, Name: "a", Description: "b", Address: "c", Parameters: wire.JSON(`{"type":"object"}`), Approval: wire.ApprovalUser}
	require.Equal(t, "332d9c699a247c69969e24ac5edc181ad1c265f175611073ca839802f52f690c", base.Digest(), "stored calls have this digest")
	seen := map[string]bool{base.Digest(): true}
	for _, change := range []func(d *tool.Definition){
		func(d *tool.Definition) { d.Kind = wire.ToolMCP },
		func(d *tool.Definition) { d.Name = "aa" },
		func(d *tool.Definition) { d.Description = "B" },
		func(d *tool.Definition) { d.Address = "" },
		func(d *tool.Definition) { d.Parameters = wire.JSON(`{"type":"object","a":1}`) },
		func(d *tool.Definition) { d.Approval = wire.ApprovalAdmin },
		func(d *tool.Definition) { d.Idempotent = true },
		func(d *tool.Definition) { d.Name, d.Description = "ab", "" },
		func(d *tool.Definition) { d.Address, d.Name = "ca", "" },
		func(d *tool.Definition) { d.Name, d.Description = "", "ab" },
	} {
		other := base
		change(&other)
		require.Len(t, other.Digest(), 64)
		require.False(t, seen[other.Digest()], "%+v", other)
		seen[other.Digest()] = true
	}
	base.Timeout = time.Hour
	require.True(t, seen[base.Digest()], "the timeout does not count")
}
