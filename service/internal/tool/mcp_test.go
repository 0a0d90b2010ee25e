package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// shop is an MCP server that can be stopped and started again at its address.
type shop struct {
	t       testing.TB
	address string
	options *mcp.StreamableHTTPOptions
	// before sees each request, and returns true if it has answered it.
	before func(w http.ResponseWriter, r *http.Request, method string) bool

	mu     sync.Mutex
	tokens []string
	calls  []*mcp.CallToolRequest
	mcp    *mcp.Server
	http   *http.Server
	done   chan struct{}
}

func newShop(t testing.TB) *shop {
	t.Helper()
	s := &shop{t: t, address: "127.0.0.1:0"}
	t.Cleanup(s.stop)
	return s
}

// tools are the tools that a server lists, by name.
type tools map[string]mcp.ToolHandler

// start starts it, with tools that take an order.
func (s *shop) start(all tools) {
	s.t.Helper()
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	for name, handler := range all {
		s.add(name, "Does "+name+".", `{"type":"object","properties":{"order":{"type":"string"}}}`, handler)
	}
	listener, err := net.Listen("tcp", s.address)
	require.NoError(s.t, err)
	s.address = listener.Addr().String()
	server := s.mcp
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, s.options)
	s.http = &http.Server{ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.tokens = append(s.tokens, r.Header.Get("Authorization"))
		s.mu.Unlock()
		if s.before == nil || !s.before(w, r, methodOf(r)) {
			handler.ServeHTTP(w, r)
		}
	})}
	s.done = make(chan struct{})
	running, done := s.http, s.done
	go func() {
		defer close(done)
		_ = running.Serve(listener)
	}()
}

// methodOf returns the method of a JSON-RPC request, whose body can still be read.
func methodOf(r *http.Request) string {
	var text bytes.Buffer
	_, _ = text.ReadFrom(r.Body)
	r.Body = http.NoBody
	if text.Len() > 0 {
		r.Body = readAgain{bytes.NewReader(text.Bytes())}
	}
	var request struct{ Method string }
	_ = json.Unmarshal(text.Bytes(), &request)
	return request.Method
}

type readAgain struct{ *bytes.Reader }

func (readAgain) Close() error { return nil }

// add adds a tool, or defines it again.
func (s *shop) add(name, description, schema string, handler mcp.ToolHandler) {
	yes := true
	s.mcp.AddTool(&mcp.Tool{
		Name: name, Description: description, InputSchema: json.RawMessage(schema),
		Annotations: &mcp.ToolAnnotations{IdempotentHint: true, ReadOnlyHint: true, OpenWorldHint: &yes},
	}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.mu.Lock()
		s.calls = append(s.calls, r)
		s.mu.Unlock()
		return handler(ctx, r)
	})
}

func (s *shop) stop() {
	if s.http == nil {
		return
	}
	_ = s.http.Close()
	<-s.done
	for session := range s.mcp.Sessions() {
		_ = session.Close()
	}
	s.http = nil
}

func (s *shop) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

func (s *shop) url() string { return "http://" + s.address + "/mcp?key=hunter2" }

// logs keeps the logged lines.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// open runs a Set of one server, which has been tried.
func open(t testing.TB, config tool.ServerConfig, beside ...*tool.Tool) (*tool.Set, *logs) {
	t.Helper()
	return openAgain(t, nil, config, beside...)
}

// openAgain is open with what was first read before.
func openAgain(t testing.TB, readings tool.FirstReadings, config tool.ServerConfig, beside ...*tool.Tool) (*tool.Set, *logs) {
	t.Helper()
	log := &logs{}
	config.Log = slog.New(slog.NewTextHandler(log, nil))
	config.Retry = time.Millisecond
	if config.Prefix == "" {
		config.Prefix = "shop"
	}
	server, err := tool.NewServer(config)
	require.NoError(t, err)
	set, err := tool.NewSet(beside, []*tool.Server{server}, tool.PageToolsAny)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { set.Run(ctx, "agent", readings) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
		set.Close()
		require.NotContains(t, log.String(), "hunter2", "no secrets in the log")
	})
	set.Tried(t.Context())
	return set, log
}

func offered(t testing.TB, set *tool.Set) []string {
	t.Helper()
	all, err := set.Offer(nil, nil)
	require.NoError(t, err)
	list := []string{}
	for _, one := range all {
		list = append(list, one.Name)
	}
	return list
}

// current returns the tool with this name, which must exist.
func current(t testing.TB, set *tool.Set, name string) *tool.Tool {
	t.Helper()
	one, err := set.Current(name)
	require.NoError(t, err)
	require.NotNil(t, one)
	return one
}

// eventually waits for the effect of another goroutine.
func eventually(t testing.TB, what func() bool, words ...any) {
	t.Helper()
	require.Eventually(t, what, time.Minute, 2*time.Millisecond, words...)
}

func text(parts ...string) mcp.ToolHandler {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result := &mcp.CallToolResult{}
		for _, part := range parts {
			result.Content = append(result.Content, &mcp.TextContent{Text: part})
		}
		return result, nil
	}
}

func TestToolsOfAServer(t *testing.T) {
	t.Parallel()
	for _, stateless := range []bool{false, true} {
		s := newShop(t)
		s.options = &mcp.StreamableHTTPOptions{Stateless: stateless}
		s.start(tools{"lookup.order": text("sent", "on Monday"), "refund": text("paid")})
		set, log := open(t, tool.ServerConfig{
			URL: s.url(), Token: "token-1", Traits: tool.Traits{Approval: wire.ApprovalAdmin},
			Each: map[string]tool.Traits{"lookup.order": {Approval: wire.ApprovalNever, Idempotent: true, Timeout: time.Second}},
		})
		require.Equal(t, []string{"shop_lookup_order", "shop_refund"}, offered(t, set))
		lookup, refund := current(t, set, "shop_lookup_order"), current(t, set, "shop_refund")
		require.True(t, lookup.Declared())
		require.Equal(t, tool.Definition{
			Kind: wire.ToolMCP, Name: "shop_lookup_order", Description: "Does lookup.order.", Address: "shop", Approval: wire.ApprovalNever, Idempotent: true,
			Parameters: wire.JSON(`{"properties":{"order":{"type":"string"}},"type":"object"}`), Timeout: time.Second,
		}, lookup.Definition)
		require.Equal(t, wire.ApprovalAdmin, refund.Approval)
		require.False(t, refund.Idempotent, "a hint has no effect")
		require.Equal(t, tool.DefaultTimeout, refund.Timeout)

		out := lookup.Carry(t.Context(), tool.Call{ID: "call_1", Arguments: `{"order":"<AB> é","n":1.50}`})
		require.Equal(t, tool.Outcome{Status: wire.CallDone, Result: "sent\non Monday"}, out)
		require.Equal(t, "call_1", s.calls[0].Params.Meta["chatsdk/call_id"])
		require.Equal(t, "lookup.order", s.calls[0].Params.Name)
		require.JSONEq(t, `{"order":"<AB> é","n":1.50}`, string(s.calls[0].Params.Arguments))
		require.Contains(t, string(s.calls[0].Params.Arguments), "1.50", "numbers are not rewritten")
		s.mu.Lock()
		for _, token := range s.tokens {
			require.Equal(t, "Bearer token-1", token)
		}
		s.mu.Unlock()
		require.Empty(t, log.String())
	}
}

func TestOutcomesOfAServersTool(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.start(tools{
		"fails": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no such order"}}}, nil
		},
		"fails_without_a_word": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{IsError: true}, nil
		},
		"refuses": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, context.Canceled },
		"draws": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{
				&mcp.TextContent{Text: "see"}, &mcp.ImageContent{Data: []byte("x"), MIMEType: "image/png"}, &mcp.AudioContent{Data: []byte("x"), MIMEType: "audio/wav"},
				&mcp.ResourceLink{URI: "file:///etc/passwd", Name: "x"}, &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "a:b", Text: "x"}},
			}}, nil
		},
		"structured": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: map[string]any{"a": 1}}, nil
		},
		"long": text(strings.Repeat("é", 200<<10)),
		"deep": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(`{"a":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}`)}, nil
		},
		"brackets": text(strings.Repeat("[{", 100)),
		"huge":     text(strings.Repeat("x", 9<<20)),
		"samples": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			//lint:ignore SA1019 servers still ask for it
			_, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 10})
			return text("sampling: "+err.Error())(ctx, r)
		},
		"asks": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			_, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Your password?", RequestedSchema: map[string]any{"type": "object"}})
			return text("elicitation: "+err.Error())(ctx, r)
		},
		"asks_by_its_result": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"a": &mcp.ElicitParams{Message: "Your password?"}}}, nil
		},
	})
	set, _ := open(t, tool.ServerConfig{URL: s.url()})
	for _, test := range []struct {
		name string
		want tool.Outcome
	}{
		{"fails", tool.Outcome{Status: wire.CallFailed, Error: "no such order"}},
		{"fails_without_a_word", tool.Outcome{Status: wire.CallFailed, Error: "the tool failed and does not say why"}},
		{"refuses", tool.Outcome{Status: wire.CallFailed, Error: "the tool's server refused: context canceled"}},
		{"draws", tool.Outcome{Status: wire.CallDone, Result: "see\n[an image (image/png), which cannot be shown]\n" +
			"[a sound (audio/wav), which cannot be played]\n[a link to a resource (x), file:///etc/passwd]\n[a:b]\nx"}},
		{"structured", tool.Outcome{Status: wire.CallDone, Result: `{"a":1}`}},
		{"long", tool.Outcome{Status: wire.CallDone, Result: strings.Repeat("é", 128<<10), Truncated: true}},
		{"deep", tool.Outcome{Status: wire.CallUnknown, Error: "the tool's answer is nested deeper than 64 levels; it may have done what was asked"}},
		{"brackets", tool.Outcome{Status: wire.CallDone, Result: strings.Repeat("[{", 100)}},
		{"huge", tool.Outcome{Status: wire.CallUnknown, Error: "the tool's answer is longer than 8388608 bytes; it may have done what was asked"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, current(t, set, "shop_"+test.name).Carry(t.Context(), aCall))
		})
	}
	for _, name := range []string{"samples", "asks", "asks_by_its_result"} {
		t.Run(name, func(t *testing.T) {
			before := s.count()
			out := current(t, set, "shop_"+name).Carry(t.Context(), aCall)
			t.Log(out)
			require.Regexp(t, "not support|refused", out.Result+out.Error)
			require.Equal(t, before+1, s.count(), "it is sent once")
		})
	}
}

func TestAServerThatIsAway(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.start(tools{"refund": text("paid")})
	s.stop()
	set, log := open(t, tool.ServerConfig{URL: s.url()})
	require.Empty(t, offered(t, set), "the service continues without its tools")
	require.Equal(t, 1, strings.Count(log.String(), "level=WARN"), log)
	require.Contains(t, log.String(), "the MCP server cannot be reached")
	one, err := set.Current("shop_refund")
	require.Nil(t, one)
	require.True(t, fault.IsUnavailable(err))
	one, err = set.Current("other_refund")
	require.NoError(t, err)
	require.Nil(t, one)

	s.start(tools{"refund": text("paid")})
	eventually(t, func() bool { return len(offered(t, set)) == 1 }, "it is tried again")
	eventually(t, func() bool { return strings.Contains(log.String(), "the MCP server can be reached again") })
	refund := current(t, set, "shop_refund")
	require.Equal(t, "paid", refund.Carry(t.Context(), aCall).Result)

	s.stop()
	require.Equal(t, tool.Outcome{Status: wire.CallFailed, Error: "the tool could not be reached; nothing was sent"}, refund.Carry(t.Context(), aCall))
	require.Equal(t, []string{"shop_refund"}, offered(t, set), "it is still the agent's tool")
	s.start(tools{"refund": text("paid again")})
	require.Equal(t, "paid again", refund.Carry(t.Context(), aCall).Result, "the new server knows no session of the old one")
	require.Equal(t, 2, s.count(), "each call came once")
}
