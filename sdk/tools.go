package sdk

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Tool is a tool that this program offers with each message. The program carries out the tool's
// calls in the answers that it follows with Stream, SendMessageStream, Regenerate and Resume.
type Tool struct {
	// Name has 1 to 64 of the characters a-z A-Z 0-9 _ -. No two tools have the same name.
	Name string
	// Description says what the tool does, for the model and for the people who approve its calls.
	Description string
	// Parameters describes the arguments: a JSON Schema (draft 2020-12) with the type object.
	Parameters wire.JSON
	// Approval is who must approve a call before it is carried out: wire.ApprovalNever,
	// wire.ApprovalUser or wire.ApprovalAdmin. Empty means wire.ApprovalUser.
	Approval string
	// Idempotent means that it is harmless to run a call twice: a call that was lost is then tried
	// again, three times in all.
	Idempotent bool
	// Timeout is how long the service waits to hear from this program before it considers a running
	// call lost: 1 s to MaxToolTimeout; 0 means DefaultToolTimeout. The program reports to it three
	// times in that time. If the operator declares the tool too, the operator's value counts.
	Timeout time.Duration
	// Run carries out a call. It gets the approved arguments, a JSON object that fits Parameters,
	// and the call's id, which is the same in each attempt. It returns the result, of which the
	// first MaxResult bytes are sent, or an error for the model. ctx ends when the service no longer
	// waits for the result, at the latest 10 minutes after Run was called. It does not end when the
	// answer ends or is no longer read. Run is called in its own goroutine, concurrently with other
	// calls. If the error is ErrDetached, nothing is reported, and the service considers the call
	// lost after Timeout.
	Run func(ctx context.Context, arguments wire.JSON, callID string) (result string, err error)
}

// Limits and defaults of Tool.
const (
	MaxTools           = 64
	MaxToolTimeout     = time.Hour
	DefaultToolTimeout = 3 * time.Minute
	// MaxResult is how much of a result is sent, in bytes of UTF-8.
	MaxResult = 256 << 10
)

// timeout is the Timeout with its default.
func (t *Tool) timeout() time.Duration {
	if t.Timeout == 0 {
		return DefaultToolTimeout
	}
	return t.Timeout
}

// definition is the tool as JSON, as the service gets it.
func (t *Tool) definition() wire.JSON {
	return encodePageTool(wire.PageTool{
		Description: t.Description, Parameters: t.Parameters, Approval: t.Approval, Idempotent: t.Idempotent, Timeout: t.Timeout.Seconds(),
	})
}

// tool returns the tool with that name, or nil.
func (c *Client) tool(name string) *Tool {
	for i := range c.config.Tools {
		if c.config.Tools[i].Name == name {
			return &c.config.Tools[i]
		}
	}
	return nil
}

// pageTools are the definitions of all tools by name, nil if there are none.
func (c *Client) pageTools() wire.JSON {
	var o body
	for i := range c.config.Tools {
		tool := &c.config.Tools[i]
		o.raw(tool.Name, tool.definition())
	}
	if o.text == nil {
		return nil
	}
	return o.bytes()
}

// checkTools finds the first tool that is wrong.
func (c *Config) checkTools() error {
	if len(c.Tools) > MaxTools {
		return wrong(newClient, "tools", "has "+strconv.Itoa(len(c.Tools))+" tools, want at most "+strconv.Itoa(MaxTools))
	}
	for i := range c.Tools {
		tool := &c.Tools[i]
		if field, problem := tool.check(); problem != "" {
			return wrong(newClient, "tools."+tool.Name+field, problem)
		}
		if slices.ContainsFunc(c.Tools[:i], func(other Tool) bool { return other.Name == tool.Name }) {
			return wrong(newClient, "tools."+tool.Name, "is defined twice")
		}
	}
	return nil
}

// check returns what is wrong with a tool, and in which field.
func (t *Tool) check() (field, problem string) {
	parameters, err := parse(t.Parameters)
	switch {
	case !toolName(t.Name):
		return "", "is not a tool name, want 1 to 64 of the characters a-z A-Z 0-9 _ -"
	case strings.TrimSpace(t.Description) == "":
		return ".description", "is blank, want what the tool does"
	case err != nil || text(parameters, "type") != "object":
		return ".parameters", `is not a JSON Schema with the type "object"`
	case t.Approval != "" && !slices.Contains(approvals, t.Approval):
		return ".approval", "is " + quoted(t.Approval) + ", want one of " + strings.Join(approvals, ", ")
	case t.Timeout != 0 && (t.Timeout < time.Second || t.Timeout > MaxToolTimeout):
		return ".timeout", "is " + t.Timeout.String() + ", want 1s to " + MaxToolTimeout.String()
	case t.Run == nil:
		return ".run", "is missing, want a function"
	}
	return "", ""
}

var approvals = []string{wire.ApprovalNever, wire.ApprovalUser, wire.ApprovalAdmin}

func toolName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !unreserved(c) || c == '.' || c == '~' {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

// ListToolCallsOptions are the options of ListToolCalls. All are optional.
type ListToolCallsOptions struct {
	// Status is one of the Call constants of package wire. Empty means every status.
	Status string
	// ChatID and MessageID are the ids of the chat and of the answer. Empty means all.
	ChatID, MessageID string
	Page
}

// ListToolCalls returns the tool calls that the caller may see, newest first, with the first 4 KiB of
// their results. GetToolCall returns the whole result.
func (c *Client) ListToolCalls(ctx context.Context, options ListToolCallsOptions) (*ListToolCallsResponse, error) {
	text, err := c.CallJSON(ctx, listToolCalls, options.Status, options.ChatID, options.MessageID, options.Cursor, digits(options.Limit))
	return decoded(text, err, decodeToolCalls)
}

// GetToolCall returns a tool call with its whole result.
func (c *Client) GetToolCall(ctx context.Context, callID string) (*ToolCall, error) {
	text, err := c.CallJSON(ctx, getToolCall, callID)
	return decoded(text, err, decodeToolCall)
}

// ApproveToolCallOptions are the options of ApproveToolCall. All are optional.
type ApproveToolCallOptions struct {
	// Arguments is a JSON object that replaces the model's arguments, such as json.Marshal makes from
	// a map. Nil keeps the model's.
	Arguments wire.JSON
	// Reason is sent to the model, 1,000 characters at most.
	Reason string
	// IdempotencyKey: all decisions with the same key within 24 hours count as one. Empty means a
	// new key for each call; all tries of a call use the same key.
	IdempotencyKey string
}

// ApproveToolCall approves a tool call that waits for a decision. The call is then carried out once.
// If it is already decided or has expired, the error's code is wire.CodeConflict.
func (c *Client) ApproveToolCall(ctx context.Context, callID string, options ApproveToolCallOptions) (*ToolCallResponse, error) {
	text, err := c.CallJSON(ctx, approveToolCall, callID, string(options.Arguments), options.Reason, options.IdempotencyKey)
	return decoded(text, err, decodeToolCallResponse)
}

// DenyToolCallOptions are the options of DenyToolCall. All are optional.
type DenyToolCallOptions struct {
	// IdempotencyKey works as in ApproveToolCallOptions.
	IdempotencyKey string
}

// DenyToolCall denies a tool call that waits for a decision, for good. The model gets the reason,
// which may be empty. If the call is already decided or has expired, the error's code is
// wire.CodeConflict.
func (c *Client) DenyToolCall(ctx context.Context, callID, reason string, options DenyToolCallOptions) (*ToolCallResponse, error) {
	text, err := c.CallJSON(ctx, denyToolCall, callID, reason, options.IdempotencyKey)
	return decoded(text, err, decodeToolCallResponse)
}

func decodeToolCalls(v jsontext.Value) wire.ListToolCallsResponse {
	list := wire.ListToolCallsResponse{NextCursor: text(v, "next_cursor"), HasMore: v.Get("has_more").True(), Raw: wire.JSON(v)}
	v.Get("tool_calls").Elements(func(item jsontext.Value) { list.ToolCalls = append(list.ToolCalls, decodeToolCall(item)) })
	return list
}

func decodeToolCallResponse(v jsontext.Value) wire.ToolCallResponse {
	return wire.ToolCallResponse{Call: decodeToolCall(v.Get("call"))}
}
