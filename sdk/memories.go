package sdk

import (
	"context"
	"strconv"
)

// MaxMemories bounds MemorySettings.MaxMemories, which is at least 1.
const MaxMemories = 1000

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
	// UserID is the user; empty is every user. Callers who do not administer the
	// agent may name only themselves.
	UserID string
	Page
}

// Page says which part of a list is given. Where neither is set, a list gives up
// to 1,000, and its HasMore tells whether that is not all.
type Page struct {
	// Cursor is the NextCursor of the page before; empty is the first page.
	Cursor string
	// Limit is how many a page holds at most, 1 to 1000; 0 is 1000.
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
	// AgentID is the agent; empty is every agent that the caller may use.
	AgentID string
	// UserID is that of ListMemoriesOptions.
	UserID string
	Page
}

// ListPendingMemories gives the memories that wait for a review, newest first.
func (c *Client) ListPendingMemories(ctx context.Context, options ListPendingMemoriesOptions) (*ListPendingMemoriesResponse, error) {
	text, err := c.CallJSON(ctx, listPendingMemories, options.AgentID, options.UserID, options.Cursor, digits(options.Limit))
	return decoded(text, err, decodePendingMemories)
}

// ApproveMemory brings a pending memory into use, for good, and takes those out
// of use that it replaces. One that is decided or expired is a wire.CodeConflict.
func (c *Client) ApproveMemory(ctx context.Context, memoryID string) (*MemoryActionResponse, error) {
	text, err := c.CallJSON(ctx, approveMemory, memoryID, "")
	return decoded(text, err, decodeMemoryAction)
}

// RejectMemory refuses a pending memory, for good. One that is decided or
// expired is a wire.CodeConflict.
func (c *Client) RejectMemory(ctx context.Context, memoryID string) (*MemoryActionResponse, error) {
	text, err := c.CallJSON(ctx, rejectMemory, memoryID, "")
	return decoded(text, err, decodeMemoryAction)
}

// DeleteMemory removes a memory of any status for good.
func (c *Client) DeleteMemory(ctx context.Context, memoryID string) error {
	_, err := c.CallJSON(ctx, deleteMemory, memoryID)
	return err
}

// GetMemoryStats counts the memories of an agent. Callers who do not administer
// the agent get the counts of their own.
func (c *Client) GetMemoryStats(ctx context.Context, agentID string) (*MemoryStats, error) {
	text, err := c.CallJSON(ctx, getMemoryStats, agentID)
	return decoded(text, err, decodeMemoryStats)
}

// DeleteUserMemories removes all that an agent remembers of a user, for good.
func (c *Client) DeleteUserMemories(ctx context.Context, agentID, userID string) (*DeleteUserMemoriesResponse, error) {
	text, err := c.CallJSON(ctx, deleteUserMemories, agentID, userID)
	return decoded(text, err, decodeMemoryDone)
}
