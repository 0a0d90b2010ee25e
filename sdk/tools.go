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

// Tool is a tool that this program offers with each message, and carries out itself in the
// answers that it follows: those of Stream, SendMessageStream, Regenerate and Resume.
type Tool struct {
	// Name is 1 to 64 of the characters a-z A-Z 0-9 _ -, and no other tool's.
	Name string
	// Description says what it does, to the model and to who approves.
	Description string
	// Parameters are what it takes: a JSON Schema (draft 2020-12) with the type object.
	Parameters wire.JSON
	// Approval is who must agree before it is carried out: wire.ApprovalNever,
	// wire.ApprovalUser or wire.ApprovalAdmin. Empty means wire.ApprovalUser.
	Approval string
	// Idempotent tells that carrying it out twice does no harm: a call whose attempt is lost
	// is then tried again, three times in all.
	Idempotent bool
	// Timeout is how long the service takes a call as carried out without hearing of this
	// program, which tells it so three times in that time: 1 s to MaxToolTimeout, 0 is
	// DefaultToolTimeout. Of a tool that the operator declares, the operator's counts.
	Timeout time.Duration
	// Run carries a call out. It gets the arguments that were approved, a JSON object that
	// fits Parameters, and the call's id, which is the same in each attempt. What it
	// returns is the result, of which the first MaxResult bytes count, or why there is none.
	// ctx ends when the service no longer waits for the result, which is 10 minutes after Run
	// was called at the latest; the end of the answer, or of its reading, does not end it. It
	// runs in a goroutine of its own, beside other calls. An error that is ErrDetached
	// reports nothing: the service finds the call lost in time.
	Run func(ctx context.Context, arguments wire.JSON, callID string) (result string, err error)
}

// Bounds of Tool.
const (
	MaxTools           = 64
	MaxToolTimeout     = time.Hour
	DefaultToolTimeout = 3 * time.Minute
	// MaxResult is how much of a result is sent, in bytes of UTF-8.
	MaxResult = 256 << 10
)

// timeout is the Timeout that holds.
func (t *Tool) timeout() time.Duration {
	if t.Timeout == 0 {
		return DefaultToolTimeout
	}
	return t.Timeout
}

// definition is the tool as the service is told of it.
func (t *Tool) definition() wire.JSON {
	return encodePageTool(wire.PageTool{
		Description: t.Description, Parameters: t.Parameters, Approval: t.Approval, Idempotent: t.Idempotent, Timeout: t.Timeout.Seconds(),
	})
}

// tool gives the tool of that name, nil for none.
func (c *Client) tool(name string) *Tool {
	for i := range c.config.Tools {
		if c.config.Tools[i].Name == name {
			return &c.config.Tools[i]
		}
	}
	return nil
}

// pageTools are the definitions of all tools by name; nil if there is none.
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
			return wrong(newClient, "tools."+tool.Name, "is there twice")
		}
	}
	return nil
}

// check tells what is wrong with a tool, and with which of its fields.
func (t *Tool) check() (field, problem string) {
	parameters, err := parse(t.Parameters)
	switch {
	case !toolName(t.Name):
		return "", "is no name of a tool, want 1 to 64 of the characters a-z A-Z 0-9 _ -"
	case strings.TrimSpace(t.Description) == "":
		return ".description", "is blank, want what the tool does"
	case err != nil || text(parameters, "type") != "object":
		return ".parameters", `is no JSON Schema with the type "object"`
	case t.Approval != "" && !slices.Contains(approvals, t.Approval):
		return ".approval", "is " + strconv.Quote(t.Approval) + ", want one of " + strings.Join(approvals, ", ")
	case t.Timeout != 0 && (t.Timeout < time.Second || t.Timeout > MaxToolTimeout):
		return ".timeout", "is " + t.Timeout.String() + ", want 1s to " + MaxToolTimeout.String()
	case t.Run == nil:
		return ".run", "is missing, want what carries the tool out"
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

// ListToolCallsOptions narrow ListToolCalls; all may be left out.
type ListToolCallsOptions struct {
	// Status is one of the Call constants of package wire; empty means every status.
	Status string
	// ChatID and MessageID are the chat and the answer; empty means every one.
	ChatID, MessageID string
	Page
}

// ListToolCalls gives the calls that the caller may see, newest first. Their results are
// the first 4 KiB; GetToolCall has all.
func (c *Client) ListToolCalls(ctx context.Context, options ListToolCallsOptions) (*ListToolCallsResponse, error) {
	text, err := c.CallJSON(ctx, listToolCalls, options.Status, options.ChatID, options.MessageID, options.Cursor, digits(options.Limit))
	return decoded(text, err, decodeToolCalls)
}

// GetToolCall gives a call with its whole result.
func (c *Client) GetToolCall(ctx context.Context, callID string) (*ToolCall, error) {
	text, err := c.CallJSON(ctx, getToolCall, callID)
	return decoded(text, err, decodeToolCall)
}

// ApproveToolCallOptions are the options of ApproveToolCall; all may be left out.
type ApproveToolCallOptions struct {
	// Arguments take the place of the model's: a JSON object, such as json.Marshal makes
	// of a map. Nil leaves those.
	Arguments wire.JSON
	// Reason is told to the model, 1,000 characters at most.
	Reason string
	// IdempotencyKey makes one decision of all that are sent with it in 24 hours; empty means a
	// new one for each call, which the tries of the call share.
	IdempotencyKey string
}

// ApproveToolCall lets a call that waits be carried out, once. One that somebody has
// decided meanwhile, or that expired, is a wire.CodeConflict.
func (c *Client) ApproveToolCall(ctx context.Context, callID string, options ApproveToolCallOptions) (*ToolCallResponse, error) {
	text, err := c.CallJSON(ctx, approveToolCall, callID, string(options.Arguments), options.Reason, options.IdempotencyKey)
	return decoded(text, err, decodeToolCallResponse)
}

// DenyToolCallOptions are the options of DenyToolCall; all may be left out.
type DenyToolCallOptions struct {
	// IdempotencyKey works as in ApproveToolCallOptions.
	IdempotencyKey string
}

// DenyToolCall refuses a call that waits, for good. The reason, which may be empty, is told to
// the model. One that somebody has decided meanwhile, or that expired, is a wire.CodeConflict.
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
