package wire

// Types of a memory.
const (
	MemoryPreference = "preference" // what the user prefers
	MemoryFact       = "fact"       // a fact about the user
	MemoryContext    = "context"    // what the user is doing at the moment
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

// Who made the statement of a memory.
const (
	OriginUser          = "user"          // detected in what the user said
	OriginAdministrator = "administrator" // written by hand
)

// Why a memory was not approved automatically.
const (
	WaitsReview      = "review"      // the agent approves nothing automatically, or the statement says more than the user's words
	WaitsForeign     = "foreign"     // the words may be somebody else's
	WaitsInstruction = "instruction" // it tells the assistant what to do, and not only how to answer
	WaitsAddress     = "address"     // it has an address in it
	WaitsClose       = "close"       // it is close to another memory: see Memory.CloseTo
	WaitsDeleted     = "deleted"     // a similar memory was deleted
)

// Who decided or deleted, if it was not a user.
const (
	ByAPIKey      = "api_key"      // an API key without a user
	ByAutoApprove = "auto_approve" // the setting AutoApprove
)

// What detects memories in messages.
const (
	DetectorEmbedded = "embedded" // the service's own rules, which understand only English
	DetectorModel    = "model"    // a language model
)

// Kinds of an Erasure.
const (
	ErasedMemory = "memory" // one memory was deleted
	ErasedUser   = "user"   // all memories of a user were deleted
	ErasedChat   = "chat"   // a chat was deleted that memories came from
)

// What a reviewer does with a pending memory.
const (
	ActionApprove = "approve"
	ActionReject  = "reject"
)

// Memory is something that an agent remembers about a user. Times are seconds since the Unix epoch.
type Memory struct {
	ID      string `json:"id"`
	AgentID string `json:"agent_id"`
	UserID  string `json:"user_id"`
	// MemoryContent is a short statement, 300 characters at most.
	MemoryContent string `json:"memory_content"`
	// MemoryType is MemoryPreference, MemoryFact or MemoryContext.
	MemoryType string `json:"memory_type"`
	// ConfidenceScore is how sure the detection is, from 0 to 1.
	ConfidenceScore float64 `json:"confidence_score"`
	// Status is MemoryPending, MemoryApproved or MemoryRejected.
	Status     string  `json:"status"`
	CreatedAt  float64 `json:"created_at"`
	UpdatedAt  float64 `json:"updated_at"`
	ApprovedAt float64 `json:"approved_at,omitempty"`
	RejectedAt float64 `json:"rejected_at,omitempty"`
	// RejectReason is RejectedByReviewer, RejectedExpired or RejectedSuperseded.
	RejectReason string `json:"reject_reason,omitempty"`
	// DecidedBy is the id of the user who approved or rejected the memory, ByAPIKey or ByAutoApprove.
	// For a superseded memory it is whoever had approved it. Empty if nobody decided, and for
	// decisions from before the service stored this.
	DecidedBy string `json:"decided_by,omitempty"`
	// OriginalContent is the MemoryContent before the first edit. EditedBy is who last edited content
	// or type, as in DecidedBy, and EditedAt is when.
	OriginalContent string  `json:"original_content,omitempty"`
	EditedBy        string  `json:"edited_by,omitempty"`
	EditedAt        float64 `json:"edited_at,omitempty"`
	// Edits are all edits, the oldest first; of more than 100, or 16 KiB of text, the first and the
	// newest. Only administrators of the agent get them.
	Edits []MemoryEdit `json:"edits,omitempty"`
	// Origin is OriginUser or OriginAdministrator.
	Origin string `json:"origin,omitempty"`
	// WaitsFor is why the memory was not approved automatically: one of the Waits constants.
	WaitsFor string `json:"waits_for,omitempty"`
	// CloseTo are the memories that said nearly the same when it was detected.
	CloseTo []string `json:"close_to,omitempty"`
	// SupersededBy is the id of the memory that replaced this one. When that one is no longer in
	// use, this one may be approved again.
	SupersededBy string `json:"superseded_by,omitempty"`
	// ExpiresAt is when a pending memory is rejected automatically.
	ExpiresAt float64 `json:"expires_at,omitempty"`
	// SourceChatID, SourceMessageID, TriggeringMessage and Span say where the memory was detected.
	// They are empty if that chat was deleted. Secrets in the message are replaced by "•".
	SourceChatID      string `json:"source_chat_id,omitempty"`
	SourceMessageID   string `json:"source_message_id,omitempty"`
	TriggeringMessage string `json:"triggering_message,omitempty"`
	Span              *Span  `json:"span,omitempty"`
	// ConflictsWith are the approved memories that this one contradicts.
	ConflictsWith []string `json:"conflicts_with,omitempty"`
	// ConflictsWithPending are pending memories, 20 at most, that this pending one contradicts. Only
	// lists have it.
	ConflictsWithPending []string `json:"conflicts_with_pending,omitempty"`

	// Raw is the object as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// MemoryEdit is one edit of a memory.
type MemoryEdit struct {
	// Text is the MemoryContent that the edit replaced.
	Text string `json:"text"`
	// By is who edited, as in DecidedBy, and At is when.
	By string  `json:"by"`
	At float64 `json:"at"`
}

// Span is a part of a text, in UTF-16 offsets.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// MemorySettings are the settings of an agent. In an update, a setting that is nil stays as it is.
type MemorySettings struct {
	// MemoryEnabled turns detection on.
	MemoryEnabled *bool `json:"memory_enabled,omitempty"`
	// MaxMemories is how many memories a user may have, 1 to 1000.
	MaxMemories *int `json:"max_memories,omitempty"`
	// AutoApprove approves at once what is plainly the user's own statement. What may be somebody
	// else's words still waits: see Memory.WaitsFor.
	AutoApprove *bool `json:"auto_approve,omitempty"`
	// MemoryTypes are the types to detect. Nil means unset; empty means none.
	MemoryTypes []string `json:"memory_types,omitzero"`

	// Raw is the object as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// MemorySettingsResponse is the response to updateMemorySettings.
type MemorySettingsResponse struct {
	Success  bool           `json:"success"`
	Message  string         `json:"message"`
	Settings MemorySettings `json:"settings"`
}

// ListMemoriesResponse is the response to listMemories: the memories of an agent, grouped by user.
type ListMemoriesResponse struct {
	MemoriesByUser map[string][]Memory `json:"memories_by_user"`
	TotalUsers     int                 `json:"total_users"`
	TotalMemories  int                 `json:"total_memories"`
	// NextCursor is the cursor of the next page, empty on the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	// HasMore reports whether there is a next page.
	HasMore bool `json:"has_more"`

	// Raw is the response as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// ListUserMemoriesResponse is the response to listUserMemories if the request asks for a page with
// cursor or limit. Otherwise the response is only the array Memories.
type ListUserMemoriesResponse struct {
	Memories []Memory `json:"memories"`
	// NextCursor is the cursor of the next page, empty on the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	// HasMore reports whether there is a next page.
	HasMore bool `json:"has_more"`
}

// ListPendingMemoriesResponse is the response to listPendingMemories.
type ListPendingMemoriesResponse struct {
	Approvals []Memory `json:"approvals"`
	Total     int      `json:"total"`
	// NextCursor is the cursor of the next page, empty on the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	// HasMore reports whether there is a next page.
	HasMore bool `json:"has_more"`

	// Raw is the response as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// MemoryActionRequest is the body of POST /memory-approvals/{memory_id}/action.
type MemoryActionRequest struct {
	// Action is ActionApprove or ActionReject.
	Action string `json:"action"`
	// MemoryContent is the statement to approve instead of the detected one; nil means the detected
	// one.
	MemoryContent *string `json:"memory_content,omitempty"`
}

// MaxDecisions is how many memories one DecideMemoriesRequest names at most.
const MaxDecisions = 500

// DecideMemoriesRequest is the body of POST /memory-approvals/actions.
type DecideMemoriesRequest struct {
	// Action is ActionApprove or ActionReject.
	Action string `json:"action"`
	// MemoryIDs are 1 to MaxDecisions ids, decided one by one in this order.
	MemoryIDs []string `json:"memory_ids"`
}

// DecideMemoriesResponse is the response to decideMemories. Results are in the order of the request.
type DecideMemoriesResponse struct {
	Results []MemoryDecision `json:"results"`

	// Raw is the response as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// Statuses of a MemoryDecision. They are statuses of HTTP (RFC 9110).
const (
	DecisionDone     = 200
	DecisionUnknown  = 404 // there is no such memory that the caller may review
	DecisionConflict = 409 // it was decided before, or cannot be approved
)

// MemoryDecision is the result for one of several memories.
type MemoryDecision struct {
	MemoryID string `json:"memory_id"`
	// Status is the status that a single decision would get: DecisionDone, DecisionUnknown or
	// DecisionConflict.
	Status int `json:"status"`
	// Superseded are the ids of the memories that the approved one replaces.
	Superseded []string `json:"superseded,omitempty"`
}

// WriteMemoryRequest is the body of createMemory and updateMemory.
type WriteMemoryRequest struct {
	// MemoryContent is a short statement: one line, 1 to 300 characters, without secrets.
	MemoryContent string `json:"memory_content"`
	// MemoryType is MemoryPreference, MemoryFact or MemoryContext.
	MemoryType string `json:"memory_type"`
}

// AnswersOfMemoryResponse is the response to answersOfMemory, newest first.
type AnswersOfMemoryResponse struct {
	Answers []MemoryAnswer `json:"answers"`
	// NextCursor is the cursor of the next page, empty on the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	// HasMore reports whether there is a next page.
	HasMore bool `json:"has_more"`

	// Raw is the response as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// MemoryAnswer is an answer that had a memory in its prompt.
type MemoryAnswer struct {
	ChatID    string `json:"chat_id"`
	MessageID string `json:"message_id"`
}

// ListErasuresResponse is the response to listErasures, newest first.
type ListErasuresResponse struct {
	Erasures []Erasure `json:"erasures"`
	// NextCursor is the cursor of the next page, empty on the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	// HasMore reports whether there is a next page.
	HasMore bool `json:"has_more"`

	// Raw is the response as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// Erasure is the receipt of a deletion. It has no text of what was deleted.
type Erasure struct {
	// Kind is ErasedMemory, ErasedUser or ErasedChat.
	Kind string `json:"kind"`
	// At is when it was deleted, in seconds since the Unix epoch.
	At float64 `json:"at"`
	// By is the id of the user who deleted, or ByAPIKey.
	By     string        `json:"by"`
	Counts ErasureCounts `json:"counts"`
}

// ErasureCounts is how much an Erasure removed.
type ErasureCounts struct {
	// Memories is how many memories were deleted.
	Memories int `json:"memories"`
	// Sources is how many memories stay, but lost the message that they came from because its chat
	// was deleted.
	Sources int `json:"sources"`
}

// MemoryActionResponse is the response to approveMemory and rejectMemory.
type MemoryActionResponse struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
	Memory  Memory `json:"memory"`
	// Superseded are the ids of the memories that the approved one replaces.
	Superseded []string `json:"superseded"`

	// Raw is the response as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// MemoryDoneResponse is the response to deleteMemory and deleteUserMemories.
type MemoryDoneResponse struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
	// Deleted is how many memories were deleted; only in the response to deleteUserMemories.
	Deleted *int `json:"deleted,omitempty"`
}

// MemoryStats counts the memories of an agent, or only the caller's if the caller is a user.
type MemoryStats struct {
	Total    int `json:"total"`
	Approved int `json:"approved"`
	Pending  int `json:"pending"`
	Rejected int `json:"rejected"`
	// Superseded is how many of the rejected ones another memory has replaced.
	Superseded int `json:"superseded"`
	// Users is how many users have at least one memory.
	Users int `json:"users"`
	// Room is how much of the prompt the memories take; only in the counts of one user.
	Room *MemoryRoom `json:"room,omitempty"`
	// Detection is how detection works and whether it fails; only in the counts of a whole agent,
	// which only its administrators get.
	Detection *MemoryDetection `json:"detection,omitempty"`

	// Raw is the response as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// MemoryRoom says how much of the prompt the approved memories of a user take.
type MemoryRoom struct {
	// UsedBytes is the size that the prompt's section would have with all of them, in bytes of UTF-8.
	UsedBytes int `json:"used_bytes"`
	// RoomBytes is the largest size of the section: a quarter of the context window of the agent's
	// model. A long question leaves less.
	RoomBytes int `json:"room_bytes"`
	// LeftOut is how many memories do not fit. The oldest approved ones are left out first.
	LeftOut int `json:"left_out"`
}

// MemoryDetection says how memories are detected in the messages to an agent.
type MemoryDetection struct {
	// Detector is DetectorEmbedded or DetectorModel.
	Detector string `json:"detector"`
	// Waiting is how many messages still have to be examined, including those to try again.
	Waiting int `json:"waiting"`
	// Failure has the failures since the last message that was examined. It is nil if there are none.
	Failure *DetectionFailure `json:"failure,omitempty"`
}

// DetectionFailure has the failures since the last message that was examined.
type DetectionFailure struct {
	// Since is the time of the first failure, in seconds since the Unix epoch.
	Since float64 `json:"since"`
	// Failures is how many times a message could not be examined. The service tries each message five times.
	Failures int `json:"failures"`
	// GivenUp is how many messages failed five times. With a model, the service then examines them
	// without it.
	GivenUp int `json:"given_up"`
	// Code is the code of the last failure, one of the Code constants.
	Code string `json:"code"`
	// Status is the last HTTP status with which the model's provider refused, 0 if it gave none.
	Status int `json:"status,omitempty"`
}
