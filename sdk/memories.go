package sdk

import (
	"context"
	"strconv"
)

// MaxMemories is the largest MemorySettings.MaxMemories. The smallest is 1.
const MaxMemories = 1000

// MaxMemoryContent is the maximum length of a memory's statement, in characters.
const MaxMemoryContent = 300

// GetMemorySettings returns the memory settings of an agent. No setting is nil.
func (c *Client) GetMemorySettings(ctx context.Context, agentID string) (*MemorySettings, error) {
	text, err := c.CallJSON(ctx, getMemorySettings, agentID)
	return decoded(text, err, decodeMemorySettings)
}

// UpdateMemorySettings changes the settings that are not nil, and returns all settings. Only an
// administrator of the agent may do this. Raw is not sent.
func (c *Client) UpdateMemorySettings(ctx context.Context, agentID string, settings MemorySettings) (*MemorySettingsResponse, error) {
	text, err := c.CallJSON(ctx, updateMemorySettings, agentID,
		written(settings.MemoryEnabled, strconv.FormatBool), written(settings.MaxMemories, strconv.Itoa),
		written(settings.AutoApprove, strconv.FormatBool), listed(settings.MemoryTypes))
	return decoded(text, err, decodeMemorySettingsResponse)
}

// ListMemoriesOptions are the options of ListMemories. All are optional.
type ListMemoriesOptions struct {
	// Status is wire.MemoryPending, MemoryApproved or MemoryRejected. Empty means every status.
	Status string
	// Type is wire.MemoryPreference, MemoryFact or MemoryContext. Empty means every type.
	Type string
	// UserID is the user. Empty means every user. Callers who do not administer the agent may name
	// only themselves.
	UserID string
	Page
}

// Page says which page of a list to return. If neither field is set, the list has up to 1,000
// entries, and its HasMore says whether there are more.
type Page struct {
	// Cursor is the NextCursor of the previous page. Empty means the first page.
	Cursor string
	// Limit is how many entries a page has at most, 1 to 1000; 0 means 1000.
	Limit int
}

// ListMemories returns the memories of an agent, grouped by user, newest first. Callers who do not
// administer the agent get only their own.
func (c *Client) ListMemories(ctx context.Context, agentID string, options ListMemoriesOptions) (*ListMemoriesResponse, error) {
	text, err := c.CallJSON(ctx, listMemories, agentID, options.Status, options.Type, options.UserID, options.Cursor, digits(options.Limit))
	return decoded(text, err, decodeMemories)
}

// ListUserMemoriesOptions are the options of ListUserMemories. All are optional.
type ListUserMemoriesOptions struct {
	// Status and Type are as in ListMemoriesOptions.
	Status, Type string
	Page
}

// ListUserMemories returns the memories of one user, newest first.
func (c *Client) ListUserMemories(ctx context.Context, agentID, userID string, options ListUserMemoriesOptions) (*ListUserMemoriesResponse, error) {
	text, err := c.CallJSON(ctx, listUserMemories, agentID, userID, options.Status, options.Type, options.Cursor, digits(options.Limit))
	return decoded(text, err, decodeUserMemories)
}

// ListPendingMemoriesOptions are the options of ListPendingMemories. All are optional.
type ListPendingMemoriesOptions struct {
	// AgentID is the agent; empty means every agent that the caller may use.
	AgentID string
	// UserID works as in ListMemoriesOptions.
	UserID string
	Page
}

// ListPendingMemories returns the memories that wait for a review, newest first.
func (c *Client) ListPendingMemories(ctx context.Context, options ListPendingMemoriesOptions) (*ListPendingMemoriesResponse, error) {
	text, err := c.CallJSON(ctx, listPendingMemories, options.AgentID, options.UserID, options.Cursor, digits(options.Limit))
	return decoded(text, err, decodePendingMemories)
}

// MemoriesOfSourceOptions are the options of MemoriesOfSource. Set either MessageID or ChatID.
type MemoriesOfSourceOptions struct {
	// MessageID is the id of a user's message.
	MessageID string
	// ChatID is the id of a chat, for all of its messages.
	ChatID string
	Page
}

// MemoriesOfSource returns the memories that were detected in a message or a chat, grouped by user,
// newest first, of every status. A deleted chat has none.
func (c *Client) MemoriesOfSource(ctx context.Context, agentID string, options MemoriesOfSourceOptions) (*ListMemoriesResponse, error) {
	text, err := c.CallJSON(ctx, memoriesOfSource, agentID, options.MessageID, options.ChatID, options.Cursor, digits(options.Limit))
	return decoded(text, err, decodeMemories)
}

// ApproveMemory approves a pending memory for good. Memories that it contradicts are no longer used.
// A superseded memory can be approved again once the memory that superseded it is no longer in use.
// For any other memory the error's code is wire.CodeConflict.
func (c *Client) ApproveMemory(ctx context.Context, memoryID string) (*MemoryActionResponse, error) {
	return c.ApproveMemoryAs(ctx, memoryID, ApproveMemoryOptions{})
}

// ApproveMemoryOptions are the options of ApproveMemoryAs. All are optional.
type ApproveMemoryOptions struct {
	// MemoryContent is the statement to approve instead of the detected one, as in
	// WriteMemoryRequest. The memory keeps the detected one. Empty means the detected one.
	MemoryContent string
	// IdempotencyKey: all decisions with the same key within 24 hours count as one. Empty means a
	// new key for each call; all tries of a call use the same key.
	IdempotencyKey string
}

// ApproveMemoryAs is ApproveMemory with options: it can change the statement first.
func (c *Client) ApproveMemoryAs(ctx context.Context, memoryID string, options ApproveMemoryOptions) (*MemoryActionResponse, error) {
	text, err := c.CallJSON(ctx, approveMemory, memoryID, options.MemoryContent, options.IdempotencyKey)
	return decoded(text, err, decodeMemoryAction)
}

// RejectMemory rejects a pending memory for good. If it is already decided or has expired, the
// error's code is wire.CodeConflict.
func (c *Client) RejectMemory(ctx context.Context, memoryID string) (*MemoryActionResponse, error) {
	text, err := c.CallJSON(ctx, rejectMemory, memoryID, "")
	return decoded(text, err, decodeMemoryAction)
}

// DecideMemoriesOptions are the options of DecideMemories. All are optional.
type DecideMemoriesOptions struct {
	// IdempotencyKey works as in ApproveMemoryOptions. A repeat returns the results of the first
	// call.
	IdempotencyKey string
}

// DecideMemories approves or rejects memories one by one, in their order. action is
// wire.ActionApprove or ActionReject, and there are 1 to wire.MaxDecisions memoryIDs. The response
// has a result for each. If one cannot be decided, the others still are.
func (c *Client) DecideMemories(
	ctx context.Context, action string, memoryIDs []string, options DecideMemoriesOptions,
) (*DecideMemoriesResponse, error) {
	text, err := c.CallJSON(ctx, decideMemories, action, listed(memoryIDs), options.IdempotencyKey)
	return decoded(text, err, decodeDecisions)
}

// CreateMemoryOptions are the options of CreateMemory. All are optional.
type CreateMemoryOptions struct {
	// IdempotencyKey: all calls with the same key within 24 hours create one memory. Empty means a
	// new key for each call; all tries of a call use the same key.
	IdempotencyKey string
}

// CreateMemory adds an approved memory for a user. Its Origin is wire.OriginAdministrator. Only an
// administrator of the agent may do this. If a pending or approved memory says the same, the error's
// code is wire.CodeConflict.
func (c *Client) CreateMemory(
	ctx context.Context, agentID, userID string, memory WriteMemoryRequest, options CreateMemoryOptions,
) (*Memory, error) {
	text, err := c.CallJSON(ctx, createMemory, agentID, userID, memory.MemoryContent, memory.MemoryType, options.IdempotencyKey)
	return decoded(text, err, decodeMemory)
}

// UpdateMemory changes the text and the type of a pending or approved memory, which keeps its first
// text as OriginalContent. Only an administrator of the agent may do this. For a rejected memory the
// error's code is wire.CodeConflict.
func (c *Client) UpdateMemory(ctx context.Context, memoryID string, memory WriteMemoryRequest) (*Memory, error) {
	text, err := c.CallJSON(ctx, updateMemory, memoryID, memory.MemoryContent, memory.MemoryType)
	return decoded(text, err, decodeMemory)
}

// AnswersOfMemory returns a page of the answers that had a memory in their prompt, newest first.
// Answers of deleted chats are not listed.
func (c *Client) AnswersOfMemory(ctx context.Context, memoryID string, page Page) (*AnswersOfMemoryResponse, error) {
	text, err := c.CallJSON(ctx, answersOfMemory, memoryID, page.Cursor, digits(page.Limit))
	return decoded(text, err, decodeAnswersOfMemory)
}

// ListErasures returns a page of receipts for the deletions of an agent's memories, newest first.
// They do not contain what was deleted. Only an administrator of the agent may do this.
func (c *Client) ListErasures(ctx context.Context, agentID string, page Page) (*ListErasuresResponse, error) {
	text, err := c.CallJSON(ctx, listErasures, agentID, page.Cursor, digits(page.Limit))
	return decoded(text, err, decodeErasures)
}

// DeleteMemory deletes a memory of any status for good.
func (c *Client) DeleteMemory(ctx context.Context, memoryID string) error {
	_, err := c.CallJSON(ctx, deleteMemory, memoryID)
	return err
}

// GetMemoryStats counts the memories of an agent. Administrators of the agent also learn how
// detection works and whether it fails; all others get only the counts of their own memories.
func (c *Client) GetMemoryStats(ctx context.Context, agentID string) (*MemoryStats, error) {
	text, err := c.CallJSON(ctx, getMemoryStats, agentID, "")
	return decoded(text, err, decodeMemoryStats)
}

// GetUserMemoryStats counts the memories of a user, and returns how much of the prompt they take.
// Callers who do not administer the agent may name only themselves.
func (c *Client) GetUserMemoryStats(ctx context.Context, agentID, userID string) (*MemoryStats, error) {
	if err := checkID(getMemoryStats.Operation, "userId", userID); err != nil {
		return nil, err // without an id the counts would be of all users
	}
	text, err := c.CallJSON(ctx, getMemoryStats, agentID, userID)
	return decoded(text, err, decodeMemoryStats)
}

// DeleteUserMemories deletes all memories that an agent has about a user, for good.
func (c *Client) DeleteUserMemories(ctx context.Context, agentID, userID string) (*DeleteUserMemoriesResponse, error) {
	text, err := c.CallJSON(ctx, deleteUserMemories, agentID, userID)
	return decoded(text, err, decodeMemoryDone)
}
