package wire

// Chat is a chat of a project.
type Chat struct {
	// ChatID identifies the chat.
	ChatID string `json:"chat_id"`
	// Name is the chat's name; "Untitled" if no name was given.
	Name string `json:"name"`
	// DocumentKeys are the documents that the chat's answers use.
	DocumentKeys []string `json:"document_keys,omitempty"`
	// Metadata is the JSON object given at creation; only in the response to createChat.
	Metadata JSON `json:"metadata,omitempty"`
	// UserID is the owner, absent if an API key created the chat without a user; only in the response
	// to createChat.
	UserID string `json:"user_id,omitempty"`
	// CreatedAt and UpdatedAt are seconds since the Unix epoch.
	CreatedAt float64 `json:"created_at"`
	UpdatedAt float64 `json:"updated_at,omitempty"`

	// Raw is the object as it was received, including fields that are not named here. Only the SDK
	// sets it.
	Raw JSON `json:"-"`
}

// CreateChatRequest is the body of createChat: POST /chat/create.
type CreateChatRequest struct {
	ProjectID    string   `json:"project_id"`
	Name         string   `json:"name,omitempty"`
	DocumentKeys []string `json:"document_keys,omitzero"`
	Metadata     JSON     `json:"metadata,omitempty"`
}

// ListChatsResponse is one page of chats, newest activity first.
type ListChatsResponse struct {
	Chats []Chat `json:"chats"`
	// NextCursor is the cursor of the next page, 0 on the last one.
	NextCursor int64 `json:"next_cursor,omitempty"`
	// HasMore reports whether there is a next page.
	HasMore bool `json:"has_more"`

	// Raw is the response as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// ChatHistoryResponse is a chat with its messages, oldest first: the newest 1,000 unless "before" and
// "limit" say otherwise.
type ChatHistoryResponse struct {
	// ID is the same as ChatID.
	ID           string    `json:"id"`
	ChatID       string    `json:"chat_id"`
	Name         string    `json:"name"`
	CreatedAt    float64   `json:"created_at"`
	DocumentKeys []string  `json:"document_keys,omitempty"`
	Metadata     JSON      `json:"metadata,omitempty"`
	Messages     []Message `json:"messages"`
	// HasMore reports whether there are older messages.
	HasMore bool `json:"has_more"`

	// Raw is the response as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// DeleteChatRequest is the body of deleteChat: DELETE /chat/delete.
type DeleteChatRequest struct {
	ProjectID string `json:"project_id"`
	ChatID    string `json:"chat_id"`
}

// UpdateChatNameRequest is the body of updateChatName: POST /chat/update/name.
type UpdateChatNameRequest struct {
	ProjectID string `json:"project_id"`
	ChatID    string `json:"chat_id"`
	Title     string `json:"title"`
}

// SendFeedbackRequest is the body of sendFeedback: POST /chat/message/user/feedback.
type SendFeedbackRequest struct {
	ProjectID string `json:"project_id"`
	ChatID    string `json:"chat_id"`
	MessageID string `json:"message_id"`
	// UserFeedback is true for thumbs up, false for thumbs down; nil means that the field is missing.
	UserFeedback *bool `json:"user_feedback"`
}

// DoneResponse is the response to the calls that return no result.
type DoneResponse struct {
	Message string `json:"message"`
	// ChatID is only in the response to sendFeedback.
	ChatID string `json:"chat_id,omitempty"`
}

// Agent is an agent that the caller may use.
type Agent struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Type is how the agent answers, for example "chat_agent".
	Type string `json:"type"`
	// Model is the model that the agent uses if the message names none.
	Model string `json:"model,omitempty"`
	// Models are the values that model_name may have in a message to the agent. The first one is used if the message names none.
	Models []string `json:"models,omitempty"`

	// Raw is the object as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}

// ListAgentsResponse is the response to listAgents: GET /project/{project_id}/agents.
type ListAgentsResponse struct {
	Agents []Agent `json:"agents"`
	// Models are all that are known; see Agent.Models for those of an agent.
	Models []string `json:"models"`

	// Raw is the response as it was received. Only the SDK sets it.
	Raw JSON `json:"-"`
}
