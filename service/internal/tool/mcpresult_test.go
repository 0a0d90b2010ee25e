package tool_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

func TestWhatAModelGetsOfAResult(t *testing.T) {
	t.Parallel()
	size := int64(12)
	link := &mcp.ResourceLink{URI: "shop://orders/7", Name: "order", Title: "Order 7", Description: "What was bought.", MIMEType: "text/csv", Size: &size}
	embedded := func(one mcp.ResourceContents) *mcp.EmbeddedResource { return &mcp.EmbeddedResource{Resource: &one} }
	for _, test := range []struct {
		name       string
		content    []mcp.Content
		structured any
		want       string
	}{
		{"a file", []mcp.Content{&mcp.TextContent{Text: "successfully downloaded"}, embedded(mcp.ResourceContents{URI: "repo://a/b.go", MIMEType: "text/x-go",
			Text: "package b\n"})}, nil,
			"successfully downloaded\n[repo://a/b.go]\npackage b\n"},
		{"a file that is text in base64", []mcp.Content{embedded(mcp.ResourceContents{URI: "repo://a/b.go", Blob: []byte("package é")})}, nil,
			"[repo://a/b.go]\npackage é"},
		{"a file of bytes", []mcp.Content{embedded(mcp.ResourceContents{URI: "repo://a.zip", MIMEType: "application/zip", Blob: []byte{0xff, 0, 1}})}, nil,
			"[a resource (repo://a.zip, application/zip, 3 bytes), which cannot be shown]"},
		{"a link", []mcp.Content{link}, nil, `[a link to a resource (order "Order 7", text/csv, 12 bytes), shop://orders/7: What was bought.]`},
		{"a resource of nothing", []mcp.Content{&mcp.TextContent{Text: "see"}, &mcp.EmbeddedResource{}}, nil,
			"see\n[a block of an unknown type, which cannot be shown]"},
		{"structured only", nil, map[string]any{"a": "<1>"}, `{"a":"<1>"}`},
		{"structured, and the same as text", []mcp.Content{&mcp.TextContent{Text: "{\n \"b\": [2.0], \"a\": 1 }"}}, map[string]any{"a": 1, "b": []any{2}},
			"{\n \"b\": [2.0], \"a\": 1 }"},
		{"structured, and other text", []mcp.Content{&mcp.TextContent{Text: "2 orders"}}, map[string]any{"orders": []any{7, 8}}, "2 orders\n" + `{"orders":[7,8]}`},
		{"a text that is wrapped", []mcp.Content{&mcp.TextContent{Text: "sunny"}}, map[string]any{"result": "sunny"}, "sunny"},
		{"a list that is wrapped", []mcp.Content{&mcp.TextContent{Text: `{"id":7}`}, &mcp.TextContent{Text: "x"}},
			map[string]any{"result": []any{map[string]any{"id": 7}, "x"}}, "{\"id\":7}\nx"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			s.start(tools{"look": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: test.content, StructuredContent: test.structured}, nil
			}})
			set, _ := open(t, tool.ServerConfig{URL: s.url()})
			require.Equal(t, tool.Outcome{Status: wire.CallDone, Result: test.want}, current(t, set, "shop_look").Carry(t.Context(), aCall))
		})
	}
}

func TestImagesOfAResult(t *testing.T) {
	t.Parallel()
	picture := imagetest.PNG(64, 48)
	for name, isError := range map[string]bool{"of a success": false, "of a failure": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			s.start(tools{"look": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{IsError: isError, Content: []mcp.Content{
					&mcp.TextContent{Text: "see"}, &mcp.ImageContent{Data: picture, MIMEType: "image/jpeg"},
					&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "a:b", MIMEType: "image/png", Blob: picture}},
				}}, nil
			}})
			set, _ := open(t, tool.ServerConfig{URL: s.url()})
			out := current(t, set, "shop_look").Carry(t.Context(), aCall)
			if isError {
				require.Equal(t, tool.Outcome{Status: wire.CallFailed,
					Error: fmt.Sprintf("see\n[an image (image/jpeg), which cannot be shown]\n[a resource (a:b, image/png, %d bytes), which cannot be shown]",
						len(picture))}, out)
				return
			}
			require.Equal(t, "see\n[image 1: PNG, 64 × 48 pixels]\n[image 2: PNG, 64 × 48 pixels]", out.Result)
			require.Len(t, out.Images, 2)
			require.Equal(t, picture, out.Images[0].Content)
			require.Equal(t, "image/png", out.Images[0].MediaType, "its content says so")
		})
	}
}

// The library refuses a whole result for one block that it does not know.
func TestABlockThatNobodyKnowsCostsNothingElse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, result, want string }{
		{"a new type", `{"content":[{"type":"text","text":"see"},{"type":"video","data":"eA=="},{"type":"text","text":"paid"}]}`,
			"see\n[a block (type \"video\"), which cannot be shown]\npaid"},
		{"an image that is not base64", `{"content":[{"type":"text","text":"see"},{"type":"image","data":"%%%","mimeType":"image/png"}]}`,
			"see\n[a block (type \"image\"), which cannot be shown]"},
		{"no block", `{"content":[null,7,{"text":"x"},{"type":"text","text":"see"}]}`, strings.Repeat("[a block of an unknown type, which cannot be shown]\n",
			3) + "see"},
		{"no list", `{"content":{"type":"text","text":"see"}}`, "see"},
		{"beside structured content", `{"content":[{"type":"video"}],"structuredContent":{"a":1}}`, "[a block (type \"video\"), which cannot be shown]\n{\"a\":1}"},
	} {
		for form, write := range map[string]string{"json": "%s",
			"event-stream": ": hello\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\nevent: message\ndata: %s\n\n"} {
			t.Run(test.name+" "+form, func(t *testing.T) {
				t.Parallel()
				s := newShop(t)
				s.before, _ = atCalls(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					w.Header().Set("Content-Type", map[string]string{"json": "application/json", "event-stream": "text/event-stream"}[form])
					_, _ = fmt.Fprintf(w, write, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, idOf(body), test.result))
				})
				s.start(tools{"look": text("")})
				set, _ := open(t, tool.ServerConfig{URL: s.url()})
				require.Equal(t, tool.Outcome{Status: wire.CallDone, Result: test.want}, current(t, set, "shop_look").Carry(t.Context(), aCall))
			})
		}
	}
}

// A server that is started again, or another one behind the same address, does not know the session.
func TestALostSessionIsBegunAnewUnlessTheCallHasBegun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		method string // that meets the lost session
		again  bool   // each time
		want   tool.Outcome
		calls  int
	}{
		{"before the call", "notifications/initialized", false, tool.Outcome{Status: wire.CallDone, Result: "paid"}, 1},
		{"at the call", "tools/call", false, tool.Outcome{Status: wire.CallDone, Result: "paid"}, 1},
		{"at each call", "tools/call", true, tool.Outcome{Status: wire.CallFailed, Error: "the tool's server answered with status 404 Not Found"}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			s.start(tools{"refund": text("paid")})
			set, _ := open(t, tool.ServerConfig{URL: s.url()})
			refund := current(t, set, "shop_refund")
			isLost := true
			s.mu.Lock()
			s.before = func(w http.ResponseWriter, _ *http.Request, method string) bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				if method != test.method || !isLost {
					return false
				}
				isLost = test.again
				http.Error(w, "session not found", http.StatusNotFound)
				return true
			}
			s.mu.Unlock()
			require.Equal(t, test.want, refund.Carry(t.Context(), aCall))
			require.Equal(t, test.calls, s.count())
		})
	}
}

// Two servers of an agent may have tools of one name, and a server tools whose names differ only for itself.
func TestToolsOfOneNameAreToldApart(t *testing.T) {
	t.Parallel()
	servers := []*tool.Server{}
	for prefix, names := range map[string][]string{"shop": {"refund", "eu_refund"}, "shop_eu": {"refund"}} {
		s := newShop(t)
		all := tools{}
		for _, name := range names {
			all[name] = text(prefix + "'s " + name)
		}
		s.start(all)
		one, err := tool.NewServer(tool.ServerConfig{URL: s.url(), Prefix: prefix, Log: quiet()})
		require.NoError(t, err)
		servers = append(servers, one)
	}
	set, err := tool.NewSet(nil, servers, tool.PageToolsAny)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); set.Run(ctx, "agent", nil) }()
	t.Cleanup(func() { cancel(); <-ended; set.Close() })
	set.Tried(t.Context())
	require.ElementsMatch(t, []string{"shop_refund", "shop_eu_refund_382e23", "shop_eu_refund"}, offered(t, set))
	for name, want := range map[string]string{"shop_refund": "shop's refund", "shop_eu_refund_382e23": "shop's eu_refund", "shop_eu_refund": "shop_eu's refund"} {
		require.Equal(t, want, current(t, set, name).Carry(t.Context(), aCall).Result)
	}
}
