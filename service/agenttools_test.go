package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/app"
	"github.com/chatsdk/chatsdk/service/internal/config"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// badTools are entries of an agent's tools, each with the error line that it must give.
// The entries begin in line 4.
var badTools = []struct{ name, yaml, want string }{
	{"an unknown kind", "- {kind: ftp, name: a}", `[4:14] agent 1: tool 1: kind is "ftp", want http, mcp or page`},
	{"no kind", "- {name: a}", `[4:8] agent 1: tool 1: kind is ""`},
	{"an unknown field", "- {kind: page, name: a, run: b}", `[4:29] unknown field "run"`},
	{"a field of another kind", "- kind: page\n      name: a\n      url: http://a", `[6:12] agent 1: tool 1: url does not go with kind page`},
	{"an invalid name", "- {kind: page, name: a b, description: x, parameters: {type: object}}", `[4:26] agent 1: tool 1: tool "a b": name: want 1 to 64`},
	{"no name", "- {kind: page, description: x, parameters: {type: object}}", `[4:8] agent 1: tool 1: tool "": name: want 1 to 64`},
	{"no description", "- {kind: page, name: a, parameters: {type: object}}", `[4:8] agent 1: tool 1: tool "a": description: missing`},
	{"no schema", "- {kind: page, name: a, description: x}", `tool "a": parameters: missing; want a JSON Schema`},
	{"a bad schema", "- kind: page\n      name: a\n      description: x\n      parameters:\n        type: object\n        properties: {b: {type: text}}",
		`[8:9] agent 1: tool 1: tool "a": parameters: not a JSON Schema: at /properties/b/type`},
	{"a remote schema", "- {kind: page, name: a, description: x, parameters: {type: object, $ref: 'http://b'}}", `a $ref leads outside of the schema`},
	{"a name in the schema twice", "- {kind: page, name: a, description: x, parameters: {type: object, type: object}}", `"type"`},
	{"a number that JSON doesn't have", "- {kind: page, name: a, description: x, parameters: {type: object, maximum: .inf}}", "cannot be written as JSON"},
	{"an unknown approval", "- {kind: page, name: a, description: x, parameters: {type: object}, approval: nobody}", `[4:83] agent 1: tool 1: tool "a": approval: want never, user or admin`},
	{"idempotent in words", "- {kind: page, name: a, description: x, parameters: {type: object}, idempotent: maybe}", "[4:85] "},
	{"a timeout without a unit", "- {kind: page, name: a, description: x, parameters: {type: object}, timeout: 60}", `timeout is "60", want a duration such as 60s`},
	{"a timeout of a day", "- {kind: page, name: a, description: x, parameters: {type: object}, timeout: 24h}", `timeout: 24h0m0s, want more than 0 and at most 1h0m0s`},
	{"two of one name", "- {kind: page, name: a, description: x, parameters: {type: object}}\n    - {kind: page, name: a, description: x, parameters: {type: object}}",
		`[5:26] agent 1: tool 2: name "a" occurs twice`},
	{"no address", "- {kind: http, name: a, secret_env: SECRET, description: x, parameters: {type: object}}", "tool 1: url is not valid, want an address"},
	{"an invalid address", "- kind: http\n      name: a\n      secret_env: SECRET\n      url: example.com", "[7:12] agent 1: tool 1: url is not valid, want an address such as"},
	{"a password in the address", "- {kind: http, name: a, secret_env: SECRET, url: 'https://me:hunter2@a/'}", "url holds a name or a password"},
	{"no secret", "- {kind: http, name: a, url: http://a, description: x, parameters: {type: object}}", "secret_env: want the name of an environment variable"},
	{"a secret in the file", "- {kind: http, name: a, url: http://a, secret_env: 'hunter2 is it'}", "[4:56] agent 1: tool 1: secret_env: want the name of an environment variable that holds the secret"},
	{"a variable that is not set", "- {kind: http, name: a, url: http://a, secret_env: NOT_SET}", "[4:56] agent 1: tool 1: secret_env: the environment variable NOT_SET is not set"},
	{"a variable that is empty", "- {kind: http, name: a, url: http://a, secret_env: EMPTY}", "the environment variable EMPTY is not set"},
	{"a token that is not set", "- {kind: mcp, url: http://a, prefix: b, token_env: NOT_SET}", "[4:56] agent 1: tool 1: token_env: the environment variable NOT_SET is not set"},
	{"a server with a name", "- {kind: mcp, url: http://a, prefix: b, name: c}", "[4:51] agent 1: tool 1: name does not go with kind mcp"},
	{"a review of a page's tool", "- {kind: page, name: a, reviewed: 2026-11-26}", "[4:39] agent 1: tool 1: reviewed does not go with kind page"},
	{"a server without a prefix", "- {kind: mcp, url: http://a}", "prefix: want 1 to 32"},
	{"a server without an address", "- {kind: mcp, prefix: b}", "url is not valid, want an address"},
	{"a prefix twice", "- {kind: mcp, url: http://a, prefix: b}\n    - {kind: mcp, url: http://c, prefix: b}", `[5:42] agent 1: tool 2: prefix "b" occurs twice`},
	{"a server with an unknown approval", "- {kind: mcp, url: http://a, prefix: b, approval: maybe}", "[4:55] agent 1: tool 1: approval: want never, user or admin"},
	{"a tool of a server with an unknown approval", "- {kind: mcp, url: http://a, prefix: b, each: {c: {approval: maybe}}}", "each: c: approval: want never, user or admin"},
	{"a tool of a server with an unknown field", "- {kind: mcp, url: http://a, prefix: b, each: {c: {approve: user}}}", `unknown field "approve"`},
	{"a tool of a server with an invalid timeout", "- {kind: mcp, url: http://a, prefix: b, each: {c: {timeout: soon}}}", `each: c: timeout is "soon"`},
	{"a tool of a server that only leaves out", "- {kind: mcp, url: http://a, prefix: b, only: [d], each: {c: {approval: user}}}", `each names "c", which is not listed in only`},
	{"an invalid rule for the page", "[]\n    page_tools: some", "[5:17] agent 1: page_tools: want true, declared, false"},
}

func TestBadTools(t *testing.T) {
	t.Parallel()
	for _, test := range badTools {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			folder := writeAgents(t, "agents:\n  - id: a\n    tools:\n    "+test.yaml)
			line := fails(t, folder, env{"SECRET": "hunter2", "EMPTY": ""}, "-addr", "127.0.0.1:0", "-agents", "agents.yaml")
			require.Contains(t, line, "AGENTS: agents.yaml: ")
			require.Contains(t, line, test.want)
			require.NotContains(t, line, "hunter2")
			require.NoDirExists(t, filepath.Join(folder, "data"))
		})
	}
	many := "agents:\n  - id: a\n    tools:\n"
	for i := range 65 {
		many += fmt.Sprintf("      - {kind: page, name: t%d, description: x, parameters: {type: object}}\n", i)
	}
	line := fails(t, writeAgents(t, many), nil, "-addr", "127.0.0.1:0", "-agents", "agents.yaml")
	require.Contains(t, line, "[4:7] agent 1: there are 65 tools with the agent's, want at most 64")
}

func TestToolsOfAgents(t *testing.T) {
	t.Parallel()
	called := make(chan string, 1)
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		called <- r.Header.Get("x-chatsdk-signature")
		_, _ = io.WriteString(w, "paid")
	}))
	t.Cleanup(endpoint.Close)
	tokens := make(chan string, 100)
	shop := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	for _, name := range []string{"lookup", "cancel", "secret"} {
		shop.AddTool(&mcp.Tool{Name: name, Description: "Does " + name + ".", InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{}, nil
			})
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return shop }, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case tokens <- r.Header.Get("Authorization"):
		default:
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	folder := writeAgents(t, `
agents:
  - id: helper
    page_tools: declared
    tools:
      - kind: http
        name: refund
        url: `+endpoint.URL+`/refund
        secret_env: REFUND_SECRET
        description: Pays money back.
        approval: admin
        idempotent: true
        timeout: 90s
        parameters:
          type: object
          required: [order]
          properties:
            order: {type: string, pattern: "^[A-Z]+$"}
            amount: {type: number, maximum: 12.5, default: null}
      - kind: mcp
        url: `+server.URL+`
        token_env: SHOP_TOKEN
        prefix: shop
        only: [lookup, cancel]
        reviewed: 2026-11-26
        timeout: 5s
        each:
          lookup: {approval: never, idempotent: true}
      - {kind: page, name: open_map, description: Opens the map., approval: never, parameters: {type: object}}
  - id: plain
  - {id: quiet, page_tools: false}
`)
	sets, end, err := runTools(folder, env{"REFUND_SECRET": "secret-1", "SHOP_TOKEN": "token-1"})
	require.NoError(t, err)
	t.Cleanup(end)
	require.Nil(t, sets["plain"])
	_, err = sets["quiet"].Offer(nil, []byte(`{}`))
	require.ErrorContains(t, err, "accepts no tools of the page")
	_, err = sets["helper"].Offer(nil, []byte(`{"greet":{}}`))
	require.ErrorContains(t, err, "not declared")
	all, err := sets["helper"].Offer(nil, []byte(`{"open_map":{}}`))
	require.NoError(t, err)
	told := []string{}
	for _, one := range all {
		told = append(told, fmt.Sprint(one.Kind, " ", one.Name, " ", one.Approval, " ", one.Idempotent, " ", one.Timeout))
		require.True(t, one.Declared())
	}
	require.Equal(t, []string{
		"http refund admin true 1m30s", "mcp shop_cancel user false 5s", "mcp shop_lookup never true 5s", "page open_map never false 3m0s",
	}, told)
	require.Equal(t, `{"type":"object","required":["order"],"properties":{"order":{"type":"string","pattern":"^[A-Z]+$"},"amount":{"type":"number","maximum":12.5,"default":null}}}`,
		string(all[0].Parameters))
	require.Equal(t, "paid", all[0].Carry(t.Context(), tool.Call{ID: "call_1", Arguments: "{}"}).Result)
	require.NotEmpty(t, <-called)
	require.Equal(t, "Bearer token-1", <-tokens)
}

// runTools connects to the tool servers of the agents in a folder's file and returns their tools.
// They work until end is called.
func runTools(folder string, e env) (sets map[string]*tool.Set, end func(), err error) {
	s := &config.Settings{AgentsFile: filepath.Join(folder, "agents.yaml")}
	agents, err := config.ReadAgents(s, config.Providers{}, e.lookup, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	sets = map[string]*tool.Set{}
	for _, agent := range agents.All {
		sets[agent.ID] = agent.Tools
	}
	return sets, app.RunTools(context.Background(), agents.All, nil), nil
}
