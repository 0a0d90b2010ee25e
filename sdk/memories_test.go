package sdk_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

const memoryReply = `{"id":"m1","user_id":"u1","memory_content":"User is vegetarian","status":"pending","later":[1]}`

func aMemory() sdk.Memory {
	return sdk.Memory{ID: "m1", UserID: "u1", MemoryContent: "User is vegetarian", Status: "pending", Raw: wire.JSON(memoryReply)}
}

// memoryOperations are operations of docs/protocol.md, Memory.
func memoryOperations() []operation {
	on, off, most := true, false, 1000
	const settings = `{"memory_enabled":true,"max_memories":1000,"auto_approve":false,"memory_types":[]}`
	set := sdk.MemorySettings{MemoryEnabled: &on, MaxMemories: &most, AutoApprove: &off, MemoryTypes: []string{}, Raw: wire.JSON(settings)}
	const updated = `{"success":true,"message":"saved","settings":` + settings + `}`
	const grouped = `{"memories_by_user":{"u1":[` + memoryReply + `],"u2":[]},"total_users":2,"total_memories":1}`
	byUser := &sdk.ListMemoriesResponse{
		MemoriesByUser: map[string][]sdk.Memory{"u1": {aMemory()}, "u2": nil}, TotalUsers: 2, TotalMemories: 1, Raw: wire.JSON(grouped),
	}
	const pending = `{"approvals":[` + memoryReply + `],"total":1}`
	const acted = `{"success":true,"message":"done","memory":` + memoryReply + `,"superseded":["m0"]}`
	decided := &sdk.MemoryActionResponse{Success: true, Message: "done", Memory: aMemory(), Superseded: []string{"m0"}, Raw: wire.JSON(acted)}
	const counts = `{"total":6,"approved":1,"pending":2,"rejected":3,"users":4,"detection":{"detector":"model","waiting":2,` +
		`"failure":{"since":1.5,"failures":3,"given_up":1,"code":"PROVIDER_FAILED","status":401}}}`
	gone := 3
	return []operation{
		{
			name: "getMemorySettings", method: "GET", path: "/agents/a1/memory-settings",
			call:  func(ctx context.Context, c *sdk.Client) (any, error) { return c.GetMemorySettings(ctx, "a1") },
			reply: settings, want: &set,
		},
		{
			name: "getMemorySettings without a number", method: "GET", path: "/agents/a1/memory-settings",
			call:  func(ctx context.Context, c *sdk.Client) (any, error) { return c.GetMemorySettings(ctx, "a1") },
			reply: `{"memory_enabled":false,"max_memories":null}`, want: &sdk.MemorySettings{
				MemoryEnabled: new(bool), Raw: wire.JSON(`{"memory_enabled":false,"max_memories":null}`),
			},
		},
		{
			name: "updateMemorySettings with nothing", method: "PUT", path: "/agents/a1/memory-settings", body: `{}`,
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.UpdateMemorySettings(ctx, "a1", sdk.MemorySettings{})
			},
			reply: updated, want: &sdk.MemorySettingsResponse{Success: true, Message: "saved", Settings: set},
		},
		{
			name: "updateMemorySettings with the received settings", method: "PUT", path: "/agents/a1/memory-settings", body: settings,
			call:  func(ctx context.Context, c *sdk.Client) (any, error) { return c.UpdateMemorySettings(ctx, "a1", set) },
			reply: updated, want: &sdk.MemorySettingsResponse{Success: true, Message: "saved", Settings: set},
		},
		{
			name: "updateMemorySettings with some", method: "PUT", path: "/agents/a1/memory-settings",
			body: `{"memory_enabled":false,"memory_types":["fact","context"]}`,
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.UpdateMemorySettings(ctx, "a1", sdk.MemorySettings{MemoryEnabled: &off, MemoryTypes: []string{wire.MemoryFact, wire.MemoryContext}})
			},
			reply: updated, want: &sdk.MemorySettingsResponse{Success: true, Message: "saved", Settings: set},
		},
		{
			name: "listMemories", method: "GET", path: "/agents/a1/memories",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.ListMemories(ctx, "a1", sdk.ListMemoriesOptions{})
			},
			reply: grouped, want: byUser,
		},
		{
			name: "listMemories with all options", method: "GET", path: "/agents/a1/memories?status=pending&type=fact&user_id=u1",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.ListMemories(ctx, "a1", sdk.ListMemoriesOptions{Status: wire.MemoryPending, Type: wire.MemoryFact, UserID: "u1"})
			},
			reply: `{"memories_by_user":{},"total_users":0,"total_memories":0}`,
			want:  &sdk.ListMemoriesResponse{Raw: wire.JSON(`{"memories_by_user":{},"total_users":0,"total_memories":0}`)},
		},
		{
			name: "listMemories of a user", method: "GET", path: "/agents/a1/memories?user_id=u1",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.ListMemories(ctx, "a1", sdk.ListMemoriesOptions{UserID: "u1"})
			},
			reply: grouped, want: byUser,
		},
		{
			name: "listUserMemories", method: "GET", path: "/agents/a1/memories/user/u1",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.ListUserMemories(ctx, "a1", "u1", sdk.ListUserMemoriesOptions{})
			},
			reply: `[` + memoryReply + `, ` + memoryReply + `]`, want: &sdk.ListUserMemoriesResponse{Memories: []sdk.Memory{aMemory(), aMemory()}},
		},
		{
			name: "listUserMemories with all options", method: "GET", path: "/agents/a1/memories/user/u1?status=rejected&type=context",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.ListUserMemories(ctx, "a1", "u1", sdk.ListUserMemoriesOptions{Status: wire.MemoryRejected, Type: wire.MemoryContext})
			},
			reply: `[]`, want: &sdk.ListUserMemoriesResponse{},
		},
		{
			name: "listPendingMemories", method: "GET", path: "/memory-approvals/pending",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.ListPendingMemories(ctx, sdk.ListPendingMemoriesOptions{})
			},
			reply: pending, want: &sdk.ListPendingMemoriesResponse{Approvals: []sdk.Memory{aMemory()}, Total: 1, Raw: wire.JSON(pending)},
		},
		{
			name: "listPendingMemories with all options", method: "GET", path: "/memory-approvals/pending?agent_id=a1&user_id=u1",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.ListPendingMemories(ctx, sdk.ListPendingMemoriesOptions{AgentID: "a1", UserID: "u1"})
			},
			reply: `{"approvals":[],"total":0}`, want: &sdk.ListPendingMemoriesResponse{Raw: wire.JSON(`{"approvals":[],"total":0}`)},
		},
		{
			name: "approveMemory", method: "POST", path: "/memory-approvals/m1/action", body: `{"action":"approve"}`,
			call:  func(ctx context.Context, c *sdk.Client) (any, error) { return c.ApproveMemory(ctx, "m1") },
			reply: acted, want: decided,
		},
		{
			name: "rejectMemory", method: "POST", path: "/memory-approvals/m1/action", body: `{"action":"reject"}`,
			call:  func(ctx context.Context, c *sdk.Client) (any, error) { return c.RejectMemory(ctx, "m1") },
			reply: acted, want: decided,
		},
		{
			name: "deleteMemory", method: "DELETE", path: "/memories/m1",
			call:  func(ctx context.Context, c *sdk.Client) (any, error) { return done(c.DeleteMemory(ctx, "m1")) },
			reply: `{"success":true,"message":"deleted"}`,
		},
		{
			name: "getMemoryStats", method: "GET", path: "/agents/a1/memory-stats",
			call:  func(ctx context.Context, c *sdk.Client) (any, error) { return c.GetMemoryStats(ctx, "a1") },
			reply: counts, want: &sdk.MemoryStats{
				Total: 6, Approved: 1, Pending: 2, Rejected: 3, Users: 4, Raw: wire.JSON(counts), Detection: &sdk.MemoryDetection{
					Detector: wire.DetectorModel, Waiting: 2,
					Failure: &sdk.DetectionFailure{Since: 1.5, Failures: 3, GivenUp: 1, Code: wire.CodeProviderFailed, Status: 401},
				},
			},
		},
		{
			name: "deleteUserMemories", method: "DELETE", path: "/agents/a1/memories/user/u1",
			call:  func(ctx context.Context, c *sdk.Client) (any, error) { return c.DeleteUserMemories(ctx, "a1", "u1") },
			reply: `{"success":true,"message":"deleted","deleted":3}`,
			want:  &sdk.DeleteUserMemoriesResponse{Success: true, Message: "deleted", Deleted: &gone},
		},
	}
}

// memoryMethods call each method for memories with the given arguments.
func memoryMethods() map[string]func(context.Context, *sdk.Client, arguments) error {
	return map[string]func(context.Context, *sdk.Client, arguments) error{
		"getMemorySettings": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.GetMemorySettings(ctx, a.AgentID)
			return err
		},
		"updateMemorySettings": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.UpdateMemorySettings(ctx, a.AgentID, sdk.MemorySettings{MaxMemories: a.MaxMemories, MemoryTypes: a.MemoryTypes})
			return err
		},
		"listMemories": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.ListMemories(ctx, a.AgentID, sdk.ListMemoriesOptions{
				Status: a.Status, Type: a.Type, UserID: a.UserID, Page: sdk.Page{Limit: a.Limit},
			})
			return err
		},
		"listUserMemories": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.ListUserMemories(ctx, a.AgentID, a.UserID, sdk.ListUserMemoriesOptions{
				Status: a.Status, Type: a.Type, Page: sdk.Page{Limit: a.Limit},
			})
			return err
		},
		"listPendingMemories": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.ListPendingMemories(ctx, sdk.ListPendingMemoriesOptions{AgentID: a.AgentID, UserID: a.UserID, Page: sdk.Page{Limit: a.Limit}})
			return err
		},
		"rejectMemory": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.RejectMemory(ctx, a.MemoryID)
			return err
		},
		"deleteMemory": func(ctx context.Context, c *sdk.Client, a arguments) error { return c.DeleteMemory(ctx, a.MemoryID) },
		"deleteUserMemories": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.DeleteUserMemories(ctx, a.AgentID, a.UserID)
			return err
		},
	}
}

func TestIDsOfMemoryCallsAreEncoded(t *testing.T) {
	t.Parallel()
	const id, want = "a/*?ü&b=c", "a%2F%2A%3F%C3%BC%26b%3Dc"
	client, script := openPage(t, jsonReply(`[]`), jsonReply(`{"approvals":[]}`), jsonReply(`{"memory":{"id":"m1"}}`))
	_, err := client.ListUserMemories(t.Context(), id, id, sdk.ListUserMemoriesOptions{Status: wire.MemoryApproved})
	require.NoError(t, err)
	_, err = client.ListPendingMemories(t.Context(), sdk.ListPendingMemoriesOptions{AgentID: id, UserID: id})
	require.NoError(t, err)
	_, err = client.ApproveMemory(t.Context(), id)
	require.NoError(t, err)
	const base = "https://api.example.com"
	require.Equal(t, base+"/agents/"+want+"/memories/user/"+want+"?status=approved", script.requests[0].URL)
	require.Equal(t, base+"/memory-approvals/pending?agent_id="+want+"&user_id="+want, script.requests[1].URL)
	require.Equal(t, base+"/memory-approvals/"+want+"/action", script.requests[2].URL)
}

func TestWrongMemoryArgumentsSayWhatIsWanted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, want string
		call       func(*sdk.Client) error
	}{
		{"a status", `listMemories: status is "open", want one of pending, approved, rejected`, func(c *sdk.Client) error {
			_, err := c.ListMemories(t.Context(), "a1", sdk.ListMemoriesOptions{Status: "open"})
			return err
		}},
		{"a type", `listUserMemories: type is "facts", want one of preference, fact, context`, func(c *sdk.Client) error {
			_, err := c.ListUserMemories(t.Context(), "a1", "u1", sdk.ListUserMemoriesOptions{Type: "facts"})
			return err
		}},
		{"types", `updateMemorySettings: memoryTypes holds "", want one of preference, fact, context`, func(c *sdk.Client) error {
			_, err := c.UpdateMemorySettings(t.Context(), "a1", sdk.MemorySettings{MemoryTypes: []string{"fact", ""}})
			return err
		}},
		{"a bound", `updateMemorySettings: maxMemories is 1001, want 1 to 1000`, func(c *sdk.Client) error {
			most := 1001
			_, err := c.UpdateMemorySettings(t.Context(), "a1", sdk.MemorySettings{MaxMemories: &most})
			return err
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, script := openPage(t)
			require.EqualError(t, test.call(client), test.want)
			require.Empty(t, script.requests)
		})
	}
}

func TestMemoryResponsesWithoutTheirResult(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, call, body, want string }{
		{"an object for a list", "listUserMemories", `{"approvals":[]}`, "it has no memories"},
		{"a text for a list", "listUserMemories", `"memories"`, "it is a string, want an object"},
		{"memories that are not a list", "listUserMemories", `{"memories":{}}`, "memories is an object, want an array"},
		{"null for a list", "listUserMemories", `null`, "it is null, want an object"},
		{"a list for an object", "listMemories", `[]`, "it is not a JSON object"},
		{"no memory", "rejectMemory", `{"success":true}`, "it has no memory"},
		{"a memory that is null", "rejectMemory", `{"memory":null}`, "it has no memory"},
		{"a memory that is a text", "rejectMemory", `{"memory":"m1"}`, "memory is a string, want an object"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, _ := openPage(t, jsonReply(test.body))
			want := &sdk.APIError{Message: test.call + ": the answer cannot be read: " + test.want, Status: 200}
			require.Equal(t, want, memoryMethods()[test.call](t.Context(), client, arguments{AgentID: "a1", UserID: "u1", MemoryID: "m1"}))
		})
	}
}

func TestMemoriesAreReadWhateverTheyHold(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       sdk.Memory
	}{
		{"the second of two members", `{"id":"a","id":"b","span":{"start":1,"end":2},"span":{"start":3}}`, sdk.Memory{ID: "b", Span: &sdk.Span{Start: 3}}},
		{"escapes", `{"id":"a","memory_content":"\u00fc\n\ud83d\ude00"}`, sdk.Memory{ID: "a", MemoryContent: "ü\n😀"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, _ := openPage(t, jsonReply(`[`+test.text+`]`))
			got, err := client.ListUserMemories(t.Context(), "a1", "u1", sdk.ListUserMemoriesOptions{})
			require.NoError(t, err)
			test.want.Raw = wire.JSON(test.text)
			require.Equal(t, []sdk.Memory{test.want}, got.Memories)
		})
	}
}
