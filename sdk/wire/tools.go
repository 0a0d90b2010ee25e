package wire

// Who carries out the calls of a tool.
const (
	ToolHTTP = "http" // the operator's HTTP server
	ToolMCP  = "mcp"  // an MCP server
	ToolPage = "page" // the page that the SDK runs in
)

// Who must approve a call before it is carried out: the values of Approval.
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
	CallFailed   = "failed"  // it was refused, or the tool failed
	CallUnknown  = "unknown" // nobody knows whether it was carried out
	CallDenied   = "denied"
	CallExpired  = "expired"
)

// Reasons for calls that nobody decided.
const (
	ReasonStopped = "stopped" // the answer was stopped
	ReasonClient  = "client"  // the client cannot handle calls
)

// ErrorToolChanged is the error of a call whose tool has been changed since the call was made.
const ErrorToolChanged = "tool_changed"

// What a decision does with a call that waits for one.
const (
	DecisionApprove = "approve"
	DecisionDeny    = "deny"
)

// ToolCall is a tool call that an agent makes in an answer. Times are seconds since the Unix epoch.
type ToolCall struct {
	ID        string `json:"id"`
	AgentID   string `json:"agent_id"`
	ChatID    string `json:"chat_id"`
	MessageID string `json:"message_id"`
	StreamID  string `json:"stream_id"`
	// At is where the call is in the answer's text, in UTF-16 units.
	At int `json:"at"`
	// Name is the tool's name.
	Name string `json:"name"`
	// Kind is ToolHTTP, ToolMCP or ToolPage.
	Kind string `json:"kind"`
	// Tool is the SHA-256 of the tool's definition, in hex.
	Tool string `json:"tool"`
	// Approval is ApprovalNever, ApprovalUser or ApprovalAdmin.
	Approval string `json:"approval"`
	// Description is the tool's description.
	Description string `json:"description,omitempty"`
	// Arguments is a JSON object, as text. The call runs with exactly the text that was shown and
	// approved.
	Arguments string `json:"arguments"`
	// ModelArguments is what the model wrote, if the service mended it: Arguments is then what it means. It need not be JSON.
	ModelArguments string `json:"model_arguments,omitempty"`
	// Status is one of the Call constants.
	Status      string  `json:"status"`
	RequestedAt float64 `json:"requested_at"`
	// ExpiresAt is when the call expires if it is not decided or claimed before.
	ExpiresAt float64 `json:"expires_at,omitempty"`
	DecidedAt float64 `json:"decided_at,omitempty"`
	// DecidedBy is the id of the user who decided. Empty if an API key without a user decided, or if
	// nobody did.
	DecidedBy string `json:"decided_by,omitempty"`
	// Reason is the reason that was given with the decision.
	Reason string `json:"reason,omitempty"`
	// Edited means that whoever approved the call changed its arguments.
	Edited     bool    `json:"edited,omitempty"`
	FinishedAt float64 `json:"finished_at,omitempty"`
	// Result is the tool's result. Streams and histories have only its first 4 KiB.
	Result string `json:"result,omitempty"`
	// ResultSize is the length of the stored result in bytes of UTF-8.
	ResultSize int `json:"result_size,omitempty"`
	// Truncated means that Result is only a part of the tool's result.
	Truncated bool `json:"truncated,omitempty"`
	// Error says what failed.
	Error string `json:"error,omitempty"`
	// Hidden means that its answer was not on the path that the chat shows: somebody has edited the
	// question, regenerated the answer or chosen another branch. Events of streams don't say so.
	Hidden bool `json:"hidden,omitempty"`

	// Raw is the object as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// PageTool is a tool that the page offers with a message.
type PageTool struct {
	Description string `json:"description"`
	// Parameters is a JSON Schema of draft 2020-12, with the type object.
	Parameters JSON `json:"parameters"`
	// Approval is ApprovalNever, ApprovalUser or ApprovalAdmin; empty means ApprovalUser.
	Approval string `json:"approval,omitempty"`
	// Idempotent means that it is harmless to run a call twice.
	Idempotent bool `json:"idempotent,omitempty"`
	// Timeout is how long a claim is valid if it is not renewed, in seconds; 0 means 180.
	Timeout float64 `json:"timeout,omitempty"`
}

// ListToolCallsResponse is the response to listToolCalls: calls, newest first.
type ListToolCallsResponse struct {
	ToolCalls []ToolCall `json:"tool_calls"`
	// NextCursor is the cursor of the next page, empty on the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	// HasMore reports whether there is a next page.
	HasMore bool `json:"has_more"`

	// Raw is the response as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// DecisionRequest is the body of POST /tool-calls/{id}/decision.
type DecisionRequest struct {
	// Action is DecisionApprove or DecisionDeny.
	Action string `json:"action"`
	// Arguments is a JSON object, as text, that replaces the model's arguments. Nil keeps the model's.
	Arguments *string `json:"arguments,omitempty"`
	// Reason is sent to the model, 1,000 characters at most.
	Reason string `json:"reason,omitempty"`
}

// ClaimRequest is the body of POST /tool-calls/{id}/claim.
type ClaimRequest struct {
	// Claim is 128 random bits, which the page creates and keeps secret.
	Claim string `json:"claim"`
	// Definition is the page's current definition of the tool, a PageTool.
	Definition JSON `json:"definition,omitempty"`
}

// ResultRequest is the body of POST /tool-calls/{id}/result. Either Result or Error is set.
type ResultRequest struct {
	Claim  string  `json:"claim"`
	Result *string `json:"result,omitempty"`
	// Truncated means that Result is only the beginning of the tool's result.
	Truncated bool    `json:"truncated,omitempty"`
	Error     *string `json:"error,omitempty"`
}

// ClaimResponse is the response to a ClaimRequest.
type ClaimResponse struct {
	Call ToolCall `json:"call"`
	// Timeout is how many seconds the claim is valid if it is not renewed. If the operator declares
	// the tool too, it is the operator's value.
	Timeout float64 `json:"timeout"`
}

// ToolCallResponse is the response to a DecisionRequest and to a ResultRequest.
type ToolCallResponse struct {
	Call ToolCall `json:"call"`
}
