package httpapi

import (
	"net/http"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// addCalls adds the routes for tool calls.
func (a *api) addCalls() {
	a.add(http.MethodGet, "/tool-calls", a.withCaller(a.listToolCalls))
	a.add(http.MethodGet, "/tool-calls/{call_id}", a.withCaller(a.getToolCall))
	a.add(http.MethodPost, "/tool-calls/{call_id}/decision", a.writesOnce(a.decideToolCall))
	a.add(http.MethodPost, "/tool-calls/{call_id}/claim", a.writes(a.claimToolCall))
	a.add(http.MethodPost, "/tool-calls/{call_id}/result", a.writes(a.setToolResult))
}

// listToolCalls serves GET /tool-calls.
func (a *api) listToolCalls(c *exchange) error {
	query, err := c.query("status", "chat_id", "message_id")
	if err != nil {
		return err
	}
	of := c.list(listedCalls, query)
	page, err := c.page(of)
	if err != nil {
		return err
	}
	calls, next, err := a.config.Chat.Calls().List(c.r.Context(), c.caller, toolcall.Filter{
		Status: query["status"], ChatID: query["chat_id"], MessageID: query["message_id"], Before: page.Before, Limit: page.Limit,
	})
	if err != nil {
		return err
	}
	c.hasMore(page.asked, next > 0)
	c.writeJSON(http.StatusOK, wire.ListToolCallsResponse{ToolCalls: calls, NextCursor: of.cursor(next), HasMore: next > 0})
	return nil
}

// getToolCall serves GET /tool-calls/{call_id}.
func (a *api) getToolCall(c *exchange) error {
	found, err := a.config.Chat.Calls().Call(c.r.Context(), c.caller, c.path["call_id"])
	if err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, found)
	return nil
}

// decideToolCall serves POST /tool-calls/{call_id}/decision.
func (a *api) decideToolCall(c *exchange) error {
	var request wire.DecisionRequest
	key, err := c.readKeyed(&request, "action")
	if err != nil {
		return err
	}
	decided, replayed, err := a.config.Chat.Calls().Decide(c.r.Context(), c.caller, c.path["call_id"], request, key)
	if err != nil {
		return err
	}
	c.replayed(replayed)
	c.writeJSON(http.StatusOK, wire.ToolCallResponse{Call: decided})
	return nil
}

// claimToolCall serves POST /tool-calls/{call_id}/claim.
func (a *api) claimToolCall(c *exchange) error {
	var request wire.ClaimRequest
	if err := c.readJSON(&request, "claim"); err != nil {
		return err
	}
	claimed, err := a.config.Chat.Calls().Claim(c.r.Context(), c.caller, c.path["call_id"], request)
	if err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, claimed)
	return nil
}

// resultBytes is the largest body of a result. JSON may need up to six bytes for one byte.
const resultBytes = 6*toolcall.MaxResult + 64<<10

// setToolResult serves POST /tool-calls/{call_id}/result.
func (a *api) setToolResult(c *exchange) error {
	object, err := c.readObjectUpTo(max(resultBytes, a.config.Limits.JSONBytes))
	if err != nil {
		return err
	}
	var request wire.ResultRequest
	if err := object.fill(&request, []string{"claim"}); err != nil {
		return err
	}
	finished, err := a.config.Chat.Calls().Result(c.r.Context(), c.caller, c.path["call_id"], request)
	if err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, wire.ToolCallResponse{Call: finished})
	return nil
}
