package wire

// Types of a memory.
const (
	MemoryPreference = "preference" // how the user likes things
	MemoryFact       = "fact"       // who and what the user is and has
	MemoryContext    = "context"    // what is going on
)

// States of a memory.
const (
	MemoryPending  = "pending"
	MemoryApproved = "approved"
	MemoryRejected = "rejected"
)

// Why a memory was rejected.
const (
	RejectedByReviewer = "reviewer"
	RejectedExpired    = "expired"
	RejectedSuperseded = "superseded"
)

// What a reviewer does with a pending memory.
const (
	ActionApprove = "approve"
	ActionReject  = "reject"
)

// Memory is something that an agent remembers of a user. Times are seconds
// since the Unix epoch.
type Memory struct {
	ID      string `json:"id"`
	AgentID string `json:"agent_id"`
	UserID  string `json:"user_id"`
	// MemoryContent is a short statement, 300 characters at most.
	MemoryContent string `json:"memory_content"`
	// MemoryType is MemoryPreference, MemoryFact or MemoryContext.
	MemoryType string `json:"memory_type"`
	// ConfidenceScore is from 0 to 1.
	ConfidenceScore float64 `json:"confidence_score"`
	// Status is MemoryPending, MemoryApproved or MemoryRejected, as of now.
	Status     string  `json:"status"`
	CreatedAt  float64 `json:"created_at"`
	UpdatedAt  float64 `json:"updated_at"`
	ApprovedAt float64 `json:"approved_at,omitempty"`
	RejectedAt float64 `json:"rejected_at,omitempty"`
	// RejectReason is RejectedByReviewer, RejectedExpired or RejectedSuperseded.
	RejectReason string `json:"reject_reason,omitempty"`
	// ExpiresAt is when a pending memory is rejected by itself.
	ExpiresAt float64 `json:"expires_at,omitempty"`
	// SourceMessageID, TriggeringMessage and Span tell what the memory was
	// detected in; they are gone when that chat was deleted. Secrets in the
	// message stand as "•".
	SourceMessageID   string `json:"source_message_id,omitempty"`
	TriggeringMessage string `json:"triggering_message,omitempty"`
	Span              *Span  `json:"span,omitempty"`
	// ConflictsWith are the approved memories that this one contradicts, as of now.
	ConflictsWith []string `json:"conflicts_with,omitempty"`

	// Raw is the object as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// Span is a part of a text, in UTF-16 offsets.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// MemorySettings are the settings of an agent. In an update each may be nil,
// which leaves it as it is.
type MemorySettings struct {
	// MemoryEnabled turns detection on.
	MemoryEnabled *bool `json:"memory_enabled,omitempty"`
	// MaxMemories is how many memories a user may have, 1 to 1000.
	MaxMemories *int `json:"max_memories,omitempty"`
	// AutoApprove approves what is detected without a review.
	AutoApprove *bool `json:"auto_approve,omitempty"`
	// MemoryTypes are the types that are detected: nil is unset, empty is none.
	MemoryTypes []string `json:"memory_types,omitzero"`

	// Raw is the object as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// MemorySettingsResponse answers updateMemorySettings.
type MemorySettingsResponse struct {
	Success  bool           `json:"success"`
	Message  string         `json:"message"`
	Settings MemorySettings `json:"settings"`
}

// ListMemoriesResponse answers listMemories: the memories of an agent by user.
type ListMemoriesResponse struct {
	MemoriesByUser map[string][]Memory `json:"memories_by_user"`
	TotalUsers     int                 `json:"total_users"`
	TotalMemories  int                 `json:"total_memories"`
	// NextCursor is the cursor of the next page, empty on the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	// HasMore tells whether there is a next page.
	HasMore bool `json:"has_more"`

	// Raw is the answer as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// ListUserMemoriesResponse answers listUserMemories where a page was asked for,
// by cursor or limit; else the answer is its Memories alone.
type ListUserMemoriesResponse struct {
	Memories []Memory `json:"memories"`
	// NextCursor is the cursor of the next page, empty on the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	// HasMore tells whether there is a next page.
	HasMore bool `json:"has_more"`
}

// ListPendingMemoriesResponse answers listPendingMemories.
type ListPendingMemoriesResponse struct {
	Approvals []Memory `json:"approvals"`
	Total     int      `json:"total"`
	// NextCursor is the cursor of the next page, empty on the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	// HasMore tells whether there is a next page.
	HasMore bool `json:"has_more"`

	// Raw is the answer as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// MemoryActionRequest is the body of POST /memory-approvals/{memory_id}/action.
type MemoryActionRequest struct {
	// Action is ActionApprove or ActionReject.
	Action string `json:"action"`
}

// MemoryActionResponse answers approveMemory and rejectMemory.
type MemoryActionResponse struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
	Memory  Memory `json:"memory"`
	// Superseded are the memories that the approval took out of use.
	Superseded []string `json:"superseded"`

	// Raw is the answer as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// MemoryDoneResponse answers deleteMemory and deleteUserMemories.
type MemoryDoneResponse struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
	// Deleted is how many went; in the answer to deleteUserMemories alone.
	Deleted *int `json:"deleted,omitempty"`
}

// MemoryStats counts the memories of an agent, or of the caller where that is a
// user.
type MemoryStats struct {
	Total    int `json:"total"`
	Approved int `json:"approved"`
	Pending  int `json:"pending"`
	Rejected int `json:"rejected"`
	// Users have at least one memory.
	Users int `json:"users"`

	// Raw is the answer as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}
