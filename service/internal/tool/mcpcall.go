package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// metaCallID is the key of the call's id in _meta.
const metaCallID = "chatsdk/call_id"

// remoteTool carries out calls of a server's tool.
type remoteTool struct {
	server *Server
	name   string
	// hasHeaders reports whether some arguments are also sent as headers (x-mcp-header, MCP of
	// 2026). The library only knows this in a session that has listed the tool.
	hasHeaders bool
}

var _ Carrier = (*remoteTool)(nil)

// Carry implements Carrier, in its own session. If the server forgets the session before the call begins, as a server
// that was started again does, there is another one.
func (r *remoteTool) Carry(ctx context.Context, call Call) Outcome {
	out, isLost := r.carry(ctx, call)
	if isLost && ctx.Err() == nil {
		out, _ = r.carry(ctx, call)
	}
	return out
}

// carry makes one attempt. isLost reports whether the server has forgotten the session before the call began.
func (r *remoteTool) carry(ctx context.Context, call Call) (out Outcome, isLost bool) {
	s := r.server
	var sent attempt
	transport := &roundTripper{base: s.transport, token: s.config.Token, attempt: &sent}
	session, err := s.connect(ctx, s.caller, transport, true)
	if err == nil {
		// Ending a session may take as long as the server likes.
		defer s.closing.Go(func() { _ = session.Close() })
		if r.hasHeaders {
			_, err = listAll(ctx, transport, session)
		}
	}
	if err != nil {
		s.config.Log.Warn("an MCP server could not be reached", "call", call.ID, "error", fault.Shorten(withoutAddress(err).Error(), 300))
		return Outcome{Status: wire.CallFailed, Error: unreached(ctx)}, transport.forgotten.Load()
	}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{
		Name: r.name, Arguments: json.RawMessage(call.Arguments), Meta: mcp.Meta{metaCallID: call.ID},
	})
	if err != nil {
		result = sent.result()
	}
	if result != nil {
		return told(result), false
	}
	out = sent.outcome(ctx, err)
	if out.Status == wire.CallUnknown {
		s.config.Log.Warn("an MCP server gave no complete answer", "call", call.ID, "error", fault.Shorten(withoutAddress(err).Error(), 300))
	}
	return out, out.Status == wire.CallFailed && transport.forgotten.Load()
}

// outcome returns the outcome of a call that has no result.
func (a *attempt) outcome(ctx context.Context, err error) Outcome {
	var refused *jsonrpc.Error
	status, isWhole := a.answer()
	switch {
	case !a.isSent():
		return Outcome{Status: wire.CallFailed, Error: unreached(ctx)}
	case a.isOver() != "":
		return Outcome{Status: wire.CallUnknown, Error: "the tool's answer is " + a.isOver() + "; it may have done what was asked"}
	case isWhole && (status < 200 || status >= 300):
		return Outcome{Status: wire.CallFailed, Error: fmt.Sprintf("the tool's server answered with status %d %s", status, http.StatusText(status)) + because(err)}
	case errors.As(err, &refused) && !isOwn(refused):
		return Outcome{Status: wire.CallFailed, Error: "the tool's server refused: " + refused.Message}
	}
	return Outcome{Status: wire.CallUnknown, Error: broken(ctx)}
}

// because returns what a server says together with a status.
func because(err error) string {
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && !isOwn(refused) {
		return ": " + refused.Message
	}
	return ""
}

// isOwn reports whether the library itself made an error, for a closing session or a request that
// didn't get through: it has the form of an error of the server.
func isOwn(err *jsonrpc.Error) bool { return err.Code <= -32003 && err.Code >= -32005 }
