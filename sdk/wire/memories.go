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

// Whose statement a memory is.
const (
	OriginUser          = "user"          // detected in what the user said
	OriginAdministrator = "administrator" // written by hand
)

// Why a memory was not approved by itself.
const (
	WaitsReview      = "review"      // the agent approves nothing by itself, or the statement goes beyond the user's words
	WaitsForeign     = "foreign"     // it may be somebody else's words
	WaitsInstruction = "instruction" // it tells the assistant what to do, beyond the manner of its answers
	WaitsAddress     = "address"     // it holds an address
	WaitsClose       = "close"       // it is close to what is there: see Memory.CloseTo
	WaitsDeleted     = "deleted"     // something like it was deleted
)

// Who decided or deleted, where that was no user.
const (
	ByAPIKey      = "api_key"      // an API key that acted for nobody
	ByAutoApprove = "auto_approve" // the setting
)

// Who examines messages.
const (
	DetectorEmbedded = "embedded" // the service by itself, which reads English alone
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
	// DecidedBy is the id of the user who approved or rejected it, ByAPIKey or
	// ByAutoApprove; of one that was superseded, who had approved it. Empty where nobody
	// decided, and of decisions from before this was kept.
	DecidedBy string `json:"decided_by,omitempty"`
	// OriginalContent is what MemoryContent was before it was edited first, EditedBy
	// who edited content or type last, as in DecidedBy, and EditedAt when.
	OriginalContent string  `json:"original_content,omitempty"`
	EditedBy        string  `json:"edited_by,omitempty"`
	EditedAt        float64 `json:"edited_at,omitempty"`
	// Origin is OriginUser or OriginAdministrator.
	Origin string `json:"origin,omitempty"`
	// WaitsFor is why it was not approved by itself, a constant of this package.
	WaitsFor string `json:"waits_for,omitempty"`
	// CloseTo are the memories that say nearly the same, as of its detection.
	CloseTo []string `json:"close_to,omitempty"`
	// SupersededBy is the memory whose approval took this one out of use. When that
	// one is in use no more, this one may be approved again.
	SupersededBy string `json:"superseded_by,omitempty"`
	// ExpiresAt is when a pending memory is rejected by itself.
	ExpiresAt float64 `json:"expires_at,omitempty"`
	// SourceChatID, SourceMessageID, TriggeringMessage and Span tell what the memory
	// was detected in; they are gone when that chat was deleted. Secrets in the
	// message stand as "•".
	SourceChatID      string `json:"source_chat_id,omitempty"`
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
	// MemoryTypes are the types that are detected: nil is unset, empty means none.
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
	// MemoryContent is the statement to approve in place of the one that was
	// detected; nil means that one.
	MemoryContent *string `json:"memory_content,omitempty"`
}

// MaxDecisions is how many memories one DecideMemoriesRequest names at most.
const MaxDecisions = 500

// DecideMemoriesRequest is the body of POST /memory-approvals/actions.
type DecideMemoriesRequest struct {
	// Action is ActionApprove or ActionReject.
	Action string `json:"action"`
	// MemoryIDs are 1 to MaxDecisions ids, decided one by one in their order.
	MemoryIDs []string `json:"memory_ids"`
}

// DecideMemoriesResponse answers decideMemories, in the order of the request.
type DecideMemoriesResponse struct {
	Results []MemoryDecision `json:"results"`

	// Raw is the answer as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// Statuses of a MemoryDecision, which are those of HTTP (RFC 9110).
const (
	DecisionDone     = 200
	DecisionUnknown  = 404 // no memory that the caller may review
	DecisionConflict = 409 // it was decided before, or cannot be approved
)

// MemoryDecision is what became of one of several memories.
type MemoryDecision struct {
	MemoryID string `json:"memory_id"`
	// Status is what the same decision alone would have got: DecisionDone, DecisionUnknown or
	// DecisionConflict.
	Status int `json:"status"`
	// Superseded are the memories that the approval took out of use.
	Superseded []string `json:"superseded,omitempty"`
}

// WriteMemoryRequest is the body of createMemory and updateMemory.
type WriteMemoryRequest struct {
	// MemoryContent is a short statement on one line, 1 to 300 characters, without
	// secrets.
	MemoryContent string `json:"memory_content"`
	// MemoryType is MemoryPreference, MemoryFact or MemoryContext.
	MemoryType string `json:"memory_type"`
}

// AnswersOfMemoryResponse answers answersOfMemory, newest first.
type AnswersOfMemoryResponse struct {
	Answers []MemoryAnswer `json:"answers"`
	// NextCursor is the cursor of the next page, empty on the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	// HasMore tells whether there is a next page.
	HasMore bool `json:"has_more"`

	// Raw is the answer as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// MemoryAnswer is an answer that had a memory in its prompt.
type MemoryAnswer struct {
	ChatID    string `json:"chat_id"`
	MessageID string `json:"message_id"`
}

// ListErasuresResponse answers listErasures, newest first.
type ListErasuresResponse struct {
	Erasures []Erasure `json:"erasures"`
	// NextCursor is the cursor of the next page, empty on the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	// HasMore tells whether there is a next page.
	HasMore bool `json:"has_more"`

	// Raw is the answer as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// Erasure is the receipt of a deletion. It holds nothing of what was deleted.
type Erasure struct {
	// Kind is ErasedMemory, ErasedUser or ErasedChat.
	Kind string `json:"kind"`
	// At is when, in seconds since the Unix epoch.
	At float64 `json:"at"`
	// By is the id of the user who deleted, or ByAPIKey.
	By     string        `json:"by"`
	Counts ErasureCounts `json:"counts"`
}

// ErasureCounts is how much an Erasure removed.
type ErasureCounts struct {
	// Memories were deleted with their text.
	Memories int `json:"memories"`
	// Sources is how many memories stay and lost the message that they came from,
	// which went with its chat.
	Sources int `json:"sources"`
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
	// Room is how full the prompt is; where the counts are of one user alone.
	Room *MemoryRoom `json:"room,omitempty"`
	// Detection is how messages are examined; where the counts are of a whole agent,
	// which its administrators alone get.
	Detection *MemoryDetection `json:"detection,omitempty"`

	// Raw is the answer as it came. Only the SDK fills it.
	Raw JSON `json:"-"`
}

// MemoryRoom is how much of the prompt the approved memories of a user take.
type MemoryRoom struct {
	// UsedBytes is the size of the section that all of them make, in bytes of UTF-8.
	UsedBytes int `json:"used_bytes"`
	// RoomBytes is the most that the section may take, a quarter of the window of the
	// agent's model. A long question leaves less.
	RoomBytes int `json:"room_bytes"`
	// LeftOut is how many memories don't fit, the ones approved first.
	LeftOut int `json:"left_out"`
}

// MemoryDetection is how the messages to an agent are examined.
type MemoryDetection struct {
	// Detector is DetectorEmbedded or DetectorModel.
	Detector string `json:"detector"`
	// Waiting is how many messages are to be examined, or examined again.
	Waiting int `json:"waiting"`
	// Failure is nil if the last message was examined without one.
	Failure *DetectionFailure `json:"failure,omitempty"`
}

// DetectionFailure tells of the failures since a message was examined last.
type DetectionFailure struct {
	// Since is when the first one was, in seconds since the Unix epoch.
	Since float64 `json:"since"`
	// Failures is how often a message could not be examined. Each is tried five times.
	Failures int `json:"failures"`
	// GivenUp is how many messages failed five times. The service then examines them
	// without the model.
	GivenUp int `json:"given_up"`
	// Code tells what went wrong last, one of the Code constants.
	Code string `json:"code"`
	// Status is the HTTP status that the model's provider refused with last, 0 if it
	// gave none.
	Status int `json:"status,omitempty"`
}
