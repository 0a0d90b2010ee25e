package tool_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// atCalls lets serve answer the calls, and counts them.
func atCalls(serve http.HandlerFunc) (func(http.ResponseWriter, *http.Request, string) bool, *atomic.Int64) {
	calls := new(atomic.Int64)
	return func(w http.ResponseWriter, r *http.Request, method string) bool {
		if method != "tools/call" {
			return false
		}
		calls.Add(1)
		serve(w, r)
		return true
	}, calls
}

func TestACallOfAServerIsSentOnce(t *testing.T) {
	t.Parallel()
	const broken = "the connection broke before the answer was complete; the tool may have done what was asked"
	says := func(contentType, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("Content-Type", contentType)
			_, _ = io.WriteString(w, strings.ReplaceAll(text, "ID", idOf(body)))
		}
	}
	breaks := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}
	}
	status := func(code int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, text)
		}
	}
	for _, test := range []struct {
		name  string
		serve http.HandlerFunc
		want  tool.Outcome
	}{
		{"it answers", says("application/json", `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"paid \ud83d."}]}}`),
			tool.Outcome{Status: wire.CallDone, Result: "paid \uFFFD."}},
		{"it refuses", says("application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"no such order"}}`),
			tool.Outcome{Status: wire.CallFailed, Error: "the tool's server refused: no such order"}},
		{"it lost the session", status(404, ""), tool.Outcome{Status: wire.CallFailed, Error: "the tool's server answered with status 404 Not Found"}},
		{"it is busy", status(503, "<html>"), tool.Outcome{Status: wire.CallFailed, Error: "the tool's server answered with status 503 Service Unavailable"}},
		{"it wants credentials", status(401, ""), tool.Outcome{Status: wire.CallFailed, Error: "the tool's server answered with status 401 Unauthorized"}},
		{"it redirects", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusPermanentRedirect)
		}, tool.Outcome{Status: wire.CallFailed, Error: "the tool's server answered with status 308 Permanent Redirect"}},
		{"it says why with a status", says("application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32600,"message":"no"}}`),
			tool.Outcome{Status: wire.CallFailed, Error: "the tool's server refused: no"}},
		{"it breaks off", breaks(""), tool.Outcome{Status: wire.CallUnknown, Error: broken}},
		{"it breaks off in the body", breaks("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"), tool.Outcome{Status: wire.CallUnknown, Error: broken}},
		{"it breaks off in a refusal", breaks("HTTP/1.1 500 No\r\nContent-Length: 900\r\n\r\nno"), tool.Outcome{Status: wire.CallUnknown, Error: broken}},
		{"it ends its events without an answer", says("text/event-stream", "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n"),
			tool.Outcome{Status: wire.CallUnknown, Error: broken}},
		{"it answers with invalid JSON", says("application/json", "<html>"), tool.Outcome{Status: wire.CallUnknown, Error: broken}},
		{"it answers something else", says("text/html", "paid"), tool.Outcome{Status: wire.CallUnknown, Error: broken}},
		{"it answers without a result", says("application/json", `{"jsonrpc":"2.0","id":ID,"result":7}`), tool.Outcome{Status: wire.CallUnknown, Error: broken}},
		{"it asks for input as in MCP of 2026", says("application/json", `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"?"}}}}}`),
			tool.Outcome{Status: wire.CallFailed, Error: "the tool asks for input besides its arguments, which this service does not support"}},
		{"its answer is endless", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			endless(w, strings.Repeat(" ", 1<<20))
		}, tool.Outcome{Status: wire.CallUnknown, Error: "the tool's answer is longer than 8388608 bytes; it may have done what was asked"}},
		{"its events are endless", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			endless(w, ": "+strings.Repeat("x", 1000)+"\n\n")
		}, tool.Outcome{Status: wire.CallUnknown, Error: "the tool's answer is longer than 8388608 bytes; it may have done what was asked"}},
	} {
		for name, options := range protocols {
			t.Run(test.name+" "+name, func(t *testing.T) {
				t.Parallel()
				s := newShop(t)
				s.options = options
				var calls *atomic.Int64
				s.before, calls = atCalls(test.serve)
				s.start(tools{"refund": text("paid")})
				set, _ := open(t, tool.ServerConfig{URL: s.url()})
				refund := current(t, set, "shop_refund")
				require.Equal(t, test.want, refund.Carry(t.Context(), aCall))
				times := int64(1)
				if test.name == "it lost the session" && options == nil {
					times = 2
				}
				require.Equal(t, times, calls.Load())
			})
		}
	}
}

func TestACallOfAServerThatHangsTimesOut(t *testing.T) {
	t.Parallel()
	for name, options := range protocols {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			s.options = options
			var calls *atomic.Int64
			s.before, calls = atCalls(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
			s.start(tools{"refund": text("paid")})
			set, _ := open(t, tool.ServerConfig{URL: s.url(), Traits: tool.Traits{Timeout: 300 * time.Millisecond}})
			out := current(t, set, "shop_refund").Carry(t.Context(), aCall)
			require.Equal(t, tool.Outcome{Status: wire.CallUnknown, Error: "the tool gave no complete answer in time; it may have done what was asked"}, out)
			require.Equal(t, int64(1), calls.Load())
		})
	}
}

func TestAServerThatHangsBeforeTheCallWasNotAsked(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.start(tools{"refund": text("paid")})
	var hangs atomic.Bool
	s.before = func(_ http.ResponseWriter, r *http.Request, _ string) bool {
		if hangs.Load() {
			<-r.Context().Done()
		}
		return hangs.Load()
	}
	set, _ := open(t, tool.ServerConfig{URL: s.url(), Traits: tool.Traits{Timeout: 100 * time.Millisecond}})
	refund := current(t, set, "shop_refund")
	hangs.Store(true)
	require.Equal(t, tool.Outcome{Status: wire.CallFailed, Error: "the tool could not be reached in time; nothing was sent"}, refund.Carry(t.Context(), aCall))
	require.Zero(t, s.count())
	hangs.Store(false)
}

// MCP of 2026 lets servers ask for arguments as headers, and refuse calls without them.
func TestArgumentsAreSentAsHeadersToo(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.options = protocols["without"]
	var region atomic.Value
	s.before = func(_ http.ResponseWriter, r *http.Request, method string) bool {
		if method == "tools/call" {
			region.Store(r.Header.Get("Mcp-Param-Region"))
		}
		return false
	}
	s.start(nil)
	s.add("refund", "Pays money back.", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`, text("paid"))
	set, _ := open(t, tool.ServerConfig{URL: s.url()})
	out := current(t, set, "shop_refund").Carry(t.Context(), tool.Call{ID: "call_1", Arguments: `{"region":"north"}`})
	require.Equal(t, tool.Outcome{Status: wire.CallDone, Result: "paid"}, out)
	require.Equal(t, "north", region.Load())
}

// What one user's call leaves in a session is not visible to the next call.
func TestEachCallHasItsOwnSession(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	sessions := map[string]bool{}
	s.start(tools{"refund": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.mu.Lock()
		sessions[r.Session.ID()] = true
		s.mu.Unlock()
		return text("paid")(ctx, r)
	}})
	set, _ := open(t, tool.ServerConfig{URL: s.url()})
	refund := current(t, set, "shop_refund")
	for range 3 {
		require.Equal(t, "paid", refund.Carry(t.Context(), aCall).Result)
	}
	require.Len(t, sessions, 3)
}

func TestInvalidServers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		config tool.ServerConfig
		want   string
	}{
		{"not an address", tool.ServerConfig{URL: "shop", Prefix: "shop"}, "url "},
		{"a password in it", tool.ServerConfig{URL: "http://a:b@shop", Prefix: "shop"}, "url "},
		{"no prefix", tool.ServerConfig{URL: "http://shop"}, "prefix: want 1 to 32"},
		{"an invalid prefix", tool.ServerConfig{URL: "http://shop", Prefix: "a b"}, "prefix: want"},
		{"a long prefix", tool.ServerConfig{URL: "http://shop", Prefix: strings.Repeat("a", 33)}, "prefix: want"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.config.Log = quiet()
			_, err := tool.NewServer(test.config)
			require.ErrorContains(t, err, test.want)
		})
	}
}
