package wire

// Who carries a tool out.
const (
	ToolHTTP = "http" // an address that the operator names
	ToolMCP  = "mcp"  // an MCP server
	ToolPage = "page" // the page, where the SDK is
)

// Who must say yes before a tool is carried out: the values of Approval.
const (
	ApprovalNever = "never"
	ApprovalUser  = "user" // the user of the chat
	ApprovalAdmin = "admin"
)

// States of a call.
const (
	CallAwaiting = "awaiting" // it waits for a decision
	CallApproved = "approved" // it may be carried out
	CallRunning  = "running"
	CallDone     = "done"
	CallFailed   = "failed"  // it was refused, or its tool says so
	CallUnknown  = "unknown" // nobody knows whether it was carried out
	CallDenied   = "denied"
	CallExpired  = "expired"
)

// Reasons of calls that no person decided.
const (
	ReasonStopped = "stopped" // the answer was stopped
	ReasonClient  = "client"  // who asked knows no calls
)

// ErrorToolChanged is the error of a call whose tool is defined differently by now.
const ErrorToolChanged = "tool_changed"

// What a decision does with a call that waits.
const (
	DecisionApprove = "approve"
	DecisionDeny    = "deny"
)

// ToolCall is a call of a tool that an agent makes in an answer. Times are seconds since the
// Unix epoch.
type ToolCall struct {
	ID        string `json:"id"`
	AgentID   string `json:"agent_id"`
	ChatID    string `json:"chat_id"`
	MessageID string `json:"message_id"`
	StreamID  string `json:"stream_id"`
	// At is the UTF-16 offset in the answer's text where the call stands.
	At int `json:"at"`
	// Name is the tool's.
	Name string `json:"name"`
	// Kind is ToolHTTP, ToolMCP or ToolPage.
	Kind string `json:"kind"`
	// Tool is the SHA-256 of the tool's definition, in hex.
	Tool string `json:"tool"`
	// Approval is ApprovalNever, ApprovalUser or ApprovalAdmin.
	Approval string `json:"approval"`
	// Description is the tool's.
	Description string `json:"description,omitempty"`
	// Arguments are a JSON object, as text: what is shown and approved is what is carried out.
	Arguments string `json:"arguments"`
	// Status is one of the Call constants.
	Status      string  `json:"status"`
	RequestedAt float64 `json:"requested_at"`
	// ExpiresAt is when the call expires unless it is decided or claimed before.
	ExpiresAt float64 `json:"expires_at,omitempty"`
	DecidedAt float64 `json:"decided_at,omitempty"`
	// DecidedBy is the user who decided; empty means an API key that acts for nobody, or nobody.
	DecidedBy string `json:"decided_by,omitempty"`
	// Reason is what the decision was told with.
	Reason string `json:"reason,omitempty"`
	// Edited tells that the arguments are those of who approved.
	Edited     bool    `json:"edited,omitempty"`
	FinishedAt float64 `json:"finished_at,omitempty"`
	// Result is what the tool gave. Its first 4 KiB stand in streams and histories.
	Result string `json:"result,omitempty"`
	// ResultSize is the length of the stored result in bytes of UTF-8.
	ResultSize int `json:"result_size,omitempty"`
	// Truncated tells that Result is not all that the tool gave.
	Truncated bool `json:"truncated,omitempty"`
	// Error says what failed.
	Error string `json:"error,omitempty"`

	// Raw is the object as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// PageTool is a tool that the page offers with a message.
type PageTool struct {
	Description string `json:"description"`
	// Parameters is a JSON Schema of draft 2020-12, with the type object.
	Parameters JSON `json:"parameters"`
	// Approval is ApprovalNever, ApprovalUser or ApprovalAdmin; empty means ApprovalUser.
	Approval string `json:"approval,omitempty"`
	// Idempotent tells that carrying it out twice does no harm.
	Idempotent bool `json:"idempotent,omitempty"`
	// Timeout is how long a claim holds without renewal, in seconds; 0 means 180.
	Timeout float64 `json:"timeout,omitempty"`
}

// ListToolCallsResponse answers listToolCalls: calls, newest first.
type ListToolCallsResponse struct {
	ToolCalls []ToolCall `json:"tool_calls"`
	// NextCursor is the cursor of the next page, empty on the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	// HasMore tells whether there is a next page.
	HasMore bool `json:"has_more"`

	// Raw is the answer as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// DecisionRequest is the body of POST /tool-calls/{id}/decision.
type DecisionRequest struct {
	// Action is DecisionApprove or DecisionDeny.
	Action string `json:"action"`
	// Arguments take the place of the model's: a JSON object, as text. Nil leaves those.
	Arguments *string `json:"arguments,omitempty"`
	// Reason is told to the model, 1,000 characters at most.
	Reason string `json:"reason,omitempty"`
}

// ClaimRequest is the body of POST /tool-calls/{id}/claim.
type ClaimRequest struct {
	// Claim is 128 random bits, which the page makes and shows to nobody.
	Claim string `json:"claim"`
	// Definition is the page's present one of the tool, a PageTool.
	Definition JSON `json:"definition,omitempty"`
}

// ResultRequest is the body of POST /tool-calls/{id}/result. One of Result and Error is set.
type ResultRequest struct {
	Claim  string  `json:"claim"`
	Result *string `json:"result,omitempty"`
	// Truncated tells that Result is the beginning of what the tool gave.
	Truncated bool    `json:"truncated,omitempty"`
	Error     *string `json:"error,omitempty"`
}

// ClaimResponse answers a claim.
type ClaimResponse struct {
	Call ToolCall `json:"call"`
	// Timeout is for how many seconds the claim holds if it is not renewed: the operator's
	// definition of the tool counts before the page's.
	Timeout float64 `json:"timeout"`
}

// ToolCallResponse answers a decision and a result.
type ToolCallResponse struct {
	Call ToolCall `json:"call"`
}
