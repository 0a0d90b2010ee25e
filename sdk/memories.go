package sdk

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
)

// MaxMemories bounds MemorySettings.MaxMemories, which is at least 1.
const MaxMemories = 1000

// GetMemorySettings gives the memory settings of an agent, all of them set.
func (c *Client) GetMemorySettings(ctx context.Context, agentID string) (*MemorySettings, error) {
	text, err := c.MemoryJSON(ctx, getMemorySettings, nil, agentID)
	return decoded(text, err, decodeMemorySettings)
}

// UpdateMemorySettings changes the settings that are not nil, and gives them
// all. Only an administrator of the agent may. Raw is not sent.
func (c *Client) UpdateMemorySettings(ctx context.Context, agentID string, settings MemorySettings) (*MemorySettingsResponse, error) {
	text, err := c.MemoryJSON(ctx, updateMemorySettings, &settings, agentID)
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
	// UserID is the user; empty is every user. Who is no administrator may name
	// only themselves.
	UserID string
}

// ListMemories gives the memories of an agent by user, newest first. Who is no
// administrator of the agent gets their own alone.
func (c *Client) ListMemories(ctx context.Context, agentID string, options ListMemoriesOptions) (*ListMemoriesResponse, error) {
	text, err := c.MemoryJSON(ctx, listMemories, nil, agentID, options.Status, options.Type, options.UserID)
	return decoded(text, err, decodeMemories)
}

// ListUserMemoriesOptions narrow ListUserMemories; all may be left out.
type ListUserMemoriesOptions struct {
	// Status and Type are those of ListMemoriesOptions.
	Status, Type string
}

// ListUserMemories gives what an agent remembers of a user, newest first.
func (c *Client) ListUserMemories(ctx context.Context, agentID, userID string, options ListUserMemoriesOptions) ([]Memory, error) {
	text, err := c.MemoryJSON(ctx, listUserMemories, nil, agentID, userID, options.Status, options.Type)
	return decodeMemoryList(jsontext.Value(text)), err
}

// ListPendingMemoriesOptions narrow ListPendingMemories; all may be left out.
type ListPendingMemoriesOptions struct {
	// AgentID is the agent; empty is every agent that the caller may use.
	AgentID string
	// UserID is that of ListMemoriesOptions.
	UserID string
}

// ListPendingMemories gives the memories that wait for a review, newest first.
func (c *Client) ListPendingMemories(ctx context.Context, options ListPendingMemoriesOptions) (*ListPendingMemoriesResponse, error) {
	text, err := c.MemoryJSON(ctx, listPendingMemories, nil, options.AgentID, options.UserID)
	return decoded(text, err, decodePendingMemories)
}

// ApproveMemory brings a pending memory into use, for good, and takes those out
// of use that it replaces. One that is decided or expired is a wire.CodeConflict.
func (c *Client) ApproveMemory(ctx context.Context, memoryID string) (*MemoryActionResponse, error) {
	text, err := c.MemoryJSON(ctx, approveMemory, nil, memoryID, "")
	return decoded(text, err, decodeMemoryAction)
}

// RejectMemory refuses a pending memory, for good. One that is decided or
// expired is a wire.CodeConflict.
func (c *Client) RejectMemory(ctx context.Context, memoryID string) (*MemoryActionResponse, error) {
	text, err := c.MemoryJSON(ctx, rejectMemory, nil, memoryID, "")
	return decoded(text, err, decodeMemoryAction)
}

// DeleteMemory removes a memory of any status for good.
func (c *Client) DeleteMemory(ctx context.Context, memoryID string) error {
	_, err := c.MemoryJSON(ctx, deleteMemory, nil, memoryID)
	return err
}

// GetMemoryStats counts the memories of an agent. Who is no administrator of
// the agent gets the counts of their own.
func (c *Client) GetMemoryStats(ctx context.Context, agentID string) (*MemoryStats, error) {
	text, err := c.MemoryJSON(ctx, getMemoryStats, nil, agentID)
	return decoded(text, err, decodeMemoryStats)
}

// DeleteUserMemories removes all that an agent remembers of a user, for good.
func (c *Client) DeleteUserMemories(ctx context.Context, agentID, userID string) (*DeleteUserMemoriesResponse, error) {
	text, err := c.MemoryJSON(ctx, deleteUserMemories, nil, agentID, userID)
	return decoded(text, err, decodeMemoryDone)
}
