package tooltest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcp makes the MCP server. A call names itself in _meta.
func (t *Tools) mcp(names []string) http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "tooltest", Version: "1"}, nil)
	for _, name := range names {
		server.AddTool(&mcp.Tool{Name: name, Description: "Does " + name + ".", InputSchema: json.RawMessage(Parameters)}, t.call)
	}
	t.server = server
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
}

var errRefused = errors.New("refused")

func (t *Tools) call(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	a := &Attempt{Tool: request.Params.Name, Arguments: string(request.Params.Arguments)}
	id, named := request.Params.Meta["chatsdk/call_id"].(string)
	if a.CallID = id; !named {
		a.Fault = "the call has no id in _meta"
	}
	t.begin(a)
	text := func(text string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	}
	what, pause := doing(a.Arguments)
	switch what {
	case DoSlowly:
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	case DoHang, DoCut:
		select {
		case <-ctx.Done():
		case <-t.closing: // who was killed cancels nothing
		}
		t.end(a, "", false)
		return nil, errRefused
	case DoRefuse, DoRedirect:
		refusal := text("refused")
		refusal.SetError(errRefused)
		t.end(a, "", true)
		return refusal, nil
	}
	result := ResultOf(a.CallID, a.Arguments)
	t.end(a, result, ctx.Err() == nil)
	return text(result), nil
}
