package wire

// Roles of a message.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// Why an answer ended. An answer that is being written has none.
const (
	FinishStop    = "stop"    // the model finished
	FinishStopped = "stopped" // somebody stopped it
	FinishLength  = "length"  // the model reached its limit
	FinishError   = "error"   // it failed; the text is what the model had written before
)

// Message is one message of a chat.
type Message struct {
	ID     string `json:"id"`
	ChatID string `json:"chat_id"`
	// Role is RoleUser or RoleAssistant.
	Role string `json:"role"`
	// Content is the text. Servers that name it "response" are understood.
	Content string `json:"content"`
	// CreatedAt is in seconds since the Unix epoch.
	CreatedAt float64 `json:"created_at"`
	// Sources are the passages that the answer used, best first.
	Sources []Source `json:"sources,omitempty"`
	// ImageURLs are absolute in messages that the SDK returns.
	ImageURLs []string `json:"image_urls,omitempty"`
	// Feedback is true for thumbs up, false for thumbs down, nil for no rating.
	Feedback *bool `json:"feedback,omitempty"`
	// Metadata is the JSON object that was sent with the question.
	Metadata  JSON   `json:"metadata,omitempty"`
	ModelName string `json:"model_name,omitempty"`
	AgentID   string `json:"agent_id,omitempty"`
	// FinishReason is FinishStop, FinishStopped, FinishLength or FinishError for an answer. It is
	// empty while the answer is being written.
	FinishReason string `json:"finish_reason,omitempty"`
	// MemoryIDs are the ids of the memories that were in the prompt of this answer.
	MemoryIDs []string `json:"memory_ids,omitempty"`
	IsTest    bool     `json:"is_test,omitempty"`
	// StreamID is the id of the stream, while the answer is being written.
	StreamID string `json:"stream_id,omitempty"`
	// ParentID is the id of the message before: the question of an answer, or the answer before a
	// question. Empty for the first message.
	ParentID string `json:"parent_id,omitempty"`
	// Siblings are the ids of all messages with the same parent, including this one, oldest first.
	// Nil if there is no other.
	Siblings []string `json:"siblings,omitempty"`
	// ToolCalls are the calls of the answer, in order.
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// Usage is how many tokens the answer took; nil if no provider said.
	Usage *Usage `json:"usage,omitempty"`
	// LeftOut is what the model did not get; nil if it got all.
	LeftOut *LeftOut `json:"left_out,omitempty"`
	// Reasoning is what the model thought before it answered. Only answers that were asked for with it have it.
	Reasoning string `json:"reasoning,omitempty"`

	// Raw is the object as it was received, including fields that are not named here. Only the SDK
	// sets it.
	Raw JSON `json:"-"`
}

// Usage is how many tokens the requests for an answer took, in all rounds.
type Usage struct {
	// InputTokens include CachedTokens, which the provider had from earlier requests.
	InputTokens  int64 `json:"input_tokens"`
	CachedTokens int64 `json:"cached_tokens,omitempty"`
	// OutputTokens include ReasoningTokens.
	OutputTokens    int64 `json:"output_tokens"`
	ReasoningTokens int64 `json:"reasoning_tokens,omitempty"`
}

// LeftOut is how much of a chat the model did not get, because it did not fit or was refused.
type LeftOut struct {
	// Messages are earlier messages, Images the images of messages that are there, and Tools the tools.
	Messages int `json:"messages,omitempty"`
	Images   int `json:"images,omitempty"`
	Tools    int `json:"tools,omitempty"`
}

// Source is a passage of a document that an answer used.
type Source struct {
	DocumentKey string  `json:"document_key"`
	Title       string  `json:"title"`
	Snippet     string  `json:"snippet"`
	Score       float64 `json:"score"`
	PassageID   string  `json:"passage_id"`
	// Start and End are UTF-16 offsets in the document's text.
	Start int    `json:"start"`
	End   int    `json:"end"`
	URL   string `json:"url,omitempty"`
}

// SendMessageResponse is the whole answer to a message.
type SendMessageResponse struct {
	Message   Message `json:"message"`
	ChatID    string  `json:"chat_id"`
	MessageID string  `json:"message_id"`
	// ChatName is the name that the chat got while the answer was written, from the answer or a person.
	ChatName string `json:"chat_name,omitempty"`
	// StreamID is set if the answer still waits: for a decision about a tool call, or for a tool call
	// that takes long. The stream has the rest.
	StreamID string `json:"stream_id,omitempty"`

	// Raw is the response as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// RegenerateRequest is the body of regenerateMessage: POST /v3/chat/message/regenerate.
type RegenerateRequest struct {
	ProjectID string `json:"project_id"`
	ChatID    string `json:"chat_id"`
	// MessageID is the id of an answer of the chat. The new answer becomes another version of it.
	MessageID string `json:"message_id"`
	// PageTools are the tools that the page offers now: an object with a PageTool for each name.
	PageTools JSON `json:"page_tools,omitempty"`
	// ToolCalls means that the client can handle tool calls.
	ToolCalls bool `json:"tool_calls,omitempty"`
	// Reasoning asks for what the model thinks.
	Reasoning bool `json:"reasoning,omitempty"`
}

// SelectBranchRequest is the body of selectBranch: POST /chat/branch.
type SelectBranchRequest struct {
	ProjectID string `json:"project_id"`
	ChatID    string `json:"chat_id"`
	// MessageID is the id of a message of the chat. The chat's path will go through it.
	MessageID string `json:"message_id"`
}

// SelectBranchResponse is the response to selectBranch.
type SelectBranchResponse struct {
	// MessageID is the id of the last message of the path.
	MessageID string `json:"message_id"`
}

// StopReceipt is the response to stop.
type StopReceipt struct {
	// Stopped is false if the answer had already finished or failed.
	Stopped bool `json:"stopped"`
	// Message is the answer in its final form.
	Message Message `json:"message"`
	// LastEventID is the id of the stream's end event.
	LastEventID int64 `json:"last_event_id"`
	// Bytes is the length of the answer's text in bytes of UTF-8.
	Bytes int `json:"bytes"`
	// CRC32 is the CRC-32 (IEEE) of the text, as eight lower-case hex digits.
	CRC32 string `json:"crc32"`

	// Raw is the response as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// Headers of requests and responses.
const (
	HeaderIdempotencyKey = "Idempotency-Key"
	// HeaderReplayed is "true" on the response to a repeated request.
	HeaderReplayed    = "Idempotent-Replayed"
	HeaderLastEventID = "Last-Event-ID"
)

// Form fields of a send: POST /v3/chat/message.
const (
	FieldMessage            = "message"
	FieldProjectID          = "project_id"
	FieldChatID             = "chat_id"
	FieldAgentType          = "agent_type"
	FieldAgentID            = "agent_id"
	FieldDocumentKeys       = "document_keys"    // JSON array text
	FieldImages             = "images"           // a file part for each
	FieldMetadata           = "request_metadata" // JSON object text
	FieldModelName          = "model_name"
	FieldUseKnowledgebase   = "use_knowledgebase"
	FieldIsTest             = "is_test"
	FieldGoogleSearch       = "google_search"
	FieldFormatInstructions = "format_instructions"
	FieldIgnoreChatHistory  = "ignore_chat_history"
	FieldExampleJSON        = "example_json"
	FieldSkipStream         = "skip_stream"
	FieldParentID           = "parent_id"
	FieldEdits              = "edits"
	FieldPageTools          = "page_tools" // JSON object text
	FieldToolCalls          = "tool_calls"
	FieldReasoning          = "reasoning"
)

// How an agent answers: the values of agent_type.
const (
	AgentChat     = "chat_agent"
	AgentDocument = "document_agent"
)
