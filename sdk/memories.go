package sdk

import (
	"context"
	"strconv"
)

// MaxMemories bounds MemorySettings.MaxMemories, which is at least 1.
const MaxMemories = 1000

// MaxMemoryContent bounds the statement of a memory, in characters.
const MaxMemoryContent = 300

// GetMemorySettings gives the memory settings of an agent, all of them set.
func (c *Client) GetMemorySettings(ctx context.Context, agentID string) (*MemorySettings, error) {
	text, err := c.CallJSON(ctx, getMemorySettings, agentID)
	return decoded(text, err, decodeMemorySettings)
}

// UpdateMemorySettings changes the settings that are not nil, and gives them
// all. Only an administrator of the agent may. Raw is not sent.
func (c *Client) UpdateMemorySettings(ctx context.Context, agentID string, settings MemorySettings) (*MemorySettingsResponse, error) {
	text, err := c.CallJSON(ctx, updateMemorySettings, agentID,
		written(settings.MemoryEnabled, strconv.FormatBool), written(settings.MaxMemories, strconv.Itoa),
		written(settings.AutoApprove, strconv.FormatBool), listed(settings.MemoryTypes))
	return decoded(text, err, decodeMemorySettingsResponse)
}

// ListMemoriesOptions narrow ListMemories; all may be left out.
type ListMemoriesOptions struct {
	// Status is wire.MemoryPending, MemoryApproved or MemoryRejected; empty is
	// every status.
	Status string
	// Type is wire.MemoryPreference, MemoryFact or MemoryContext; empty is
	// every type.
	Type string
	// UserID is the user; empty means every user. Callers who do not administer the
	// agent may name only themselves.
	UserID string
	Page
}

// Page says which part of a list is given. Where neither is set, a list gives up
// to 1,000, and its HasMore tells whether that is not all.
type Page struct {
	// Cursor is the NextCursor of the page before; empty means the first page.
	Cursor string
	// Limit is how many a page holds at most, 1 to 1000; 0 means 1000.
	Limit int
}

// ListMemories gives the memories of an agent by user, newest first. Callers
// who do not administer the agent get their own alone.
func (c *Client) ListMemories(ctx context.Context, agentID string, options ListMemoriesOptions) (*ListMemoriesResponse, error) {
	text, err := c.CallJSON(ctx, listMemories, agentID, options.Status, options.Type, options.UserID, options.Cursor, digits(options.Limit))
	return decoded(text, err, decodeMemories)
}

// ListUserMemoriesOptions narrow ListUserMemories; all may be left out.
type ListUserMemoriesOptions struct {
	// Status and Type are those of ListMemoriesOptions.
	Status, Type string
	Page
}

// ListUserMemories gives what an agent remembers of a user, newest first.
func (c *Client) ListUserMemories(ctx context.Context, agentID, userID string, options ListUserMemoriesOptions) (*ListUserMemoriesResponse, error) {
	text, err := c.CallJSON(ctx, listUserMemories, agentID, userID, options.Status, options.Type, options.Cursor, digits(options.Limit))
	return decoded(text, err, decodeUserMemories)
}

// ListPendingMemoriesOptions narrow ListPendingMemories; all may be left out.
type ListPendingMemoriesOptions struct {
	// AgentID is the agent; empty means every agent that the caller may use.
	AgentID string
	// UserID works as in ListMemoriesOptions.
	UserID string
	Page
}

// ListPendingMemories gives the memories that wait for a review, newest first.
func (c *Client) ListPendingMemories(ctx context.Context, options ListPendingMemoriesOptions) (*ListPendingMemoriesResponse, error) {
	text, err := c.CallJSON(ctx, listPendingMemories, options.AgentID, options.UserID, options.Cursor, digits(options.Limit))
	return decoded(text, err, decodePendingMemories)
}

// MemoriesOfSourceOptions are the options of MemoriesOfSource: one of MessageID and
// ChatID is needed, and no more than one.
type MemoriesOfSourceOptions struct {
	// MessageID is a message of a user.
	MessageID string
	// ChatID is a chat: all of its messages.
	ChatID string
	Page
}

// MemoriesOfSource gives the memories of an agent that were detected in a message or in a
// chat, by user, newest first, whatever their status. Of a deleted chat there are none.
func (c *Client) MemoriesOfSource(ctx context.Context, agentID string, options MemoriesOfSourceOptions) (*ListMemoriesResponse, error) {
	text, err := c.CallJSON(ctx, memoriesOfSource, agentID, options.MessageID, options.ChatID, options.Cursor, digits(options.Limit))
	return decoded(text, err, decodeMemories)
}

// ApproveMemory brings a pending memory into use, for good, and takes those out
// of use that it replaces. So it does with one that was superseded, once what superseded
// it is in use no more. Any other is a wire.CodeConflict.
func (c *Client) ApproveMemory(ctx context.Context, memoryID string) (*MemoryActionResponse, error) {
	return c.ApproveMemoryAs(ctx, memoryID, ApproveMemoryOptions{})
}

// ApproveMemoryOptions are the options of ApproveMemoryAs; all may be left out.
type ApproveMemoryOptions struct {
	// MemoryContent is the statement to approve in place of the one that was detected, as
	// that of WriteMemoryRequest; the memory keeps the other. Empty means that one.
	MemoryContent string
	// IdempotencyKey makes one decision of all that are sent with it in 24 hours; empty means a
	// new one for each call, which the tries of the call share.
	IdempotencyKey string
}

// ApproveMemoryAs is ApproveMemory with options: it may edit the statement first.
func (c *Client) ApproveMemoryAs(ctx context.Context, memoryID string, options ApproveMemoryOptions) (*MemoryActionResponse, error) {
	text, err := c.CallJSON(ctx, approveMemory, memoryID, options.MemoryContent, options.IdempotencyKey)
	return decoded(text, err, decodeMemoryAction)
}

// RejectMemory refuses a pending memory, for good. One that is decided or
// expired is a wire.CodeConflict.
func (c *Client) RejectMemory(ctx context.Context, memoryID string) (*MemoryActionResponse, error) {
	text, err := c.CallJSON(ctx, rejectMemory, memoryID, "")
	return decoded(text, err, decodeMemoryAction)
}

// DecideMemoriesOptions are the options of DecideMemories; all may be left out.
type DecideMemoriesOptions struct {
	// IdempotencyKey works as in ApproveMemoryOptions: a repeat gives what became of each the
	// first time.
	IdempotencyKey string
}

// DecideMemories approves or rejects memories one by one, in their order: action is
// wire.ActionApprove or ActionReject, and of memoryIDs there are 1 to wire.MaxDecisions. What
// became of each stands in the answer; one that cannot be decided keeps none of the others
// from it.
func (c *Client) DecideMemories(
	ctx context.Context, action string, memoryIDs []string, options DecideMemoriesOptions,
) (*DecideMemoriesResponse, error) {
	text, err := c.CallJSON(ctx, decideMemories, action, listed(memoryIDs), options.IdempotencyKey)
	return decoded(text, err, decodeDecisions)
}

// CreateMemoryOptions are the options of CreateMemory; all may be left out.
type CreateMemoryOptions struct {
	// IdempotencyKey makes one memory of all that are sent with it in 24 hours; empty means a
	// new one for each call, which the tries of the call share.
	IdempotencyKey string
}

// CreateMemory has an agent remember something of a user, approved at once and with
// wire.OriginAdministrator. Only an administrator of the agent may. Where one that is pending
// or approved says the same, it is a wire.CodeConflict.
func (c *Client) CreateMemory(
	ctx context.Context, agentID, userID string, memory WriteMemoryRequest, options CreateMemoryOptions,
) (*Memory, error) {
	text, err := c.CallJSON(ctx, createMemory, agentID, userID, memory.MemoryContent, memory.MemoryType, options.IdempotencyKey)
	return decoded(text, err, decodeMemory)
}

// UpdateMemory changes what a pending or approved memory says; it keeps what it said first.
// Only an administrator of the agent may. Of a rejected one it is a wire.CodeConflict.
func (c *Client) UpdateMemory(ctx context.Context, memoryID string, memory WriteMemoryRequest) (*Memory, error) {
	text, err := c.CallJSON(ctx, updateMemory, memoryID, memory.MemoryContent, memory.MemoryType)
	return decoded(text, err, decodeMemory)
}

// AnswersOfMemory gives a page of the answers that had a memory in their prompt, newest first.
// Answers of deleted chats are not listed.
func (c *Client) AnswersOfMemory(ctx context.Context, memoryID string, page Page) (*AnswersOfMemoryResponse, error) {
	text, err := c.CallJSON(ctx, answersOfMemory, memoryID, page.Cursor, digits(page.Limit))
	return decoded(text, err, decodeAnswersOfMemory)
}

// ListErasures gives a page of the receipts of what was deleted of an agent's memories, newest
// first. They hold no text. Only an administrator of the agent may.
func (c *Client) ListErasures(ctx context.Context, agentID string, page Page) (*ListErasuresResponse, error) {
	text, err := c.CallJSON(ctx, listErasures, agentID, page.Cursor, digits(page.Limit))
	return decoded(text, err, decodeErasures)
}

// DeleteMemory removes a memory of any status for good.
func (c *Client) DeleteMemory(ctx context.Context, memoryID string) error {
	_, err := c.CallJSON(ctx, deleteMemory, memoryID)
	return err
}

// GetMemoryStats counts the memories of an agent, and tells its administrators how
// messages are examined. Callers who do not administer the agent get the counts of
// their own.
func (c *Client) GetMemoryStats(ctx context.Context, agentID string) (*MemoryStats, error) {
	text, err := c.CallJSON(ctx, getMemoryStats, agentID, "")
	return decoded(text, err, decodeMemoryStats)
}

// GetUserMemoryStats counts the memories of a user, and tells how much of the prompt they
// take. Callers who do not administer the agent may name only themselves.
func (c *Client) GetUserMemoryStats(ctx context.Context, agentID, userID string) (*MemoryStats, error) {
	if err := checkID(getMemoryStats.Operation, "userId", userID); err != nil {
		return nil, err // none would be every user
	}
	text, err := c.CallJSON(ctx, getMemoryStats, agentID, userID)
	return decoded(text, err, decodeMemoryStats)
}

// DeleteUserMemories removes all that an agent remembers of a user, for good.
func (c *Client) DeleteUserMemories(ctx context.Context, agentID, userID string) (*DeleteUserMemoriesResponse, error) {
	text, err := c.CallJSON(ctx, deleteUserMemories, agentID, userID)
	return decoded(text, err, decodeMemoryDone)
}
