package sdk_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// statement is a memory that an administrator writes.
func statement() sdk.WriteMemoryRequest {
	return sdk.WriteMemoryRequest{MemoryContent: "User works \"nights\"", MemoryType: wire.MemoryFact}
}

// reviewOperations are operations of docs/protocol.md, Memory, for reviewers and administrators.
func reviewOperations() []operation {
	const body = `{"memory_content":"User works \"nights\"","memory_type":"fact"}`
	const acted = `{"success":true,"message":"done","memory":` + memoryReply + `,"superseded":[]}`
	const results = `{"results":[{"memory_id":"m1","status":200,"superseded":["m0"]},{"memory_id":"m2","status":409}],"later":1}`
	const shaped = `{"answers":[{"chat_id":"c1","message_id":"q1","later":1}],"next_cursor":"n2","has_more":true}`
	const erased = `{"erasures":[{"kind":"chat","at":1.5,"by":"rita","counts":{"memories":1,"sources":2}}],"has_more":false}`
	const grouped = `{"memories_by_user":{"u1":[` + memoryReply + `]},"total_users":1,"total_memories":1}`
	found := &sdk.ListMemoriesResponse{
		MemoriesByUser: map[string][]sdk.Memory{"u1": {aMemory()}}, TotalUsers: 1, TotalMemories: 1, Raw: wire.JSON(grouped),
	}
	const counts = `{"total":1,"approved":1,"users":1,"room":{"used_bytes":100,"room_bytes":50,"left_out":1}}`
	memory := aMemory()
	return []operation{
		{
			name: "createMemory", method: "POST", path: "/agents/a1/memories/user/u%2F1", body: body,
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.CreateMemory(ctx, "a1", "u/1", statement(), sdk.CreateMemoryOptions{})
			},
			reply: memoryReply, want: &memory,
		},
		{
			name: "updateMemory", method: "PUT", path: "/memories/m1", body: body,
			call:  func(ctx context.Context, c *sdk.Client) (any, error) { return c.UpdateMemory(ctx, "m1", statement()) },
			reply: memoryReply, want: &memory,
		},
		{
			name: "approveMemory with an edit", method: "POST", path: "/memory-approvals/m1/action",
			body: `{"action":"approve","memory_content":"User is \"vegan\""}`,
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.ApproveMemoryAs(ctx, "m1", sdk.ApproveMemoryOptions{MemoryContent: `User is "vegan"`})
			},
			reply: acted, want: &sdk.MemoryActionResponse{Success: true, Message: "done", Memory: aMemory(), Raw: wire.JSON(acted)},
		},
		{
			name: "decideMemories", method: "POST", path: "/memory-approvals/actions", body: `{"action":"reject","memory_ids":["m1","m\"2"]}`,
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.DecideMemories(ctx, wire.ActionReject, []string{"m1", `m"2`}, sdk.DecideMemoriesOptions{})
			},
			reply: results,
			want: &sdk.DecideMemoriesResponse{
				Results: []sdk.MemoryDecision{{MemoryID: "m1", Status: 200, Superseded: []string{"m0"}}, {MemoryID: "m2", Status: 409}},
				Raw:     wire.JSON(results),
			},
		},
		{
			name: "answersOfMemory", method: "GET", path: "/memories/m1/answers",
			call:  func(ctx context.Context, c *sdk.Client) (any, error) { return c.AnswersOfMemory(ctx, "m1", sdk.Page{}) },
			reply: shaped, want: &sdk.AnswersOfMemoryResponse{
				Answers: []sdk.MemoryAnswer{{ChatID: "c1", MessageID: "q1"}}, NextCursor: "n2", HasMore: true, Raw: wire.JSON(shaped),
			},
		},
		{
			name: "answersOfMemory, a page", method: "GET", path: "/memories/m1/answers?cursor=n%3D2&limit=5",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.AnswersOfMemory(ctx, "m1", sdk.Page{Cursor: "n=2", Limit: 5})
			},
			reply: `{"answers":[],"has_more":false}`, want: &sdk.AnswersOfMemoryResponse{Raw: wire.JSON(`{"answers":[],"has_more":false}`)},
		},
		{
			name: "listErasures", method: "GET", path: "/agents/a1/erasures",
			call:  func(ctx context.Context, c *sdk.Client) (any, error) { return c.ListErasures(ctx, "a1", sdk.Page{}) },
			reply: erased, want: &sdk.ListErasuresResponse{
				Erasures: []sdk.Erasure{{Kind: wire.ErasedChat, At: 1.5, By: "rita", Counts: sdk.ErasureCounts{Memories: 1, Sources: 2}}},
				Raw:      wire.JSON(erased),
			},
		},
		{
			name: "listErasures, a page", method: "GET", path: "/agents/a1/erasures?cursor=n2&limit=1000",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.ListErasures(ctx, "a1", sdk.Page{Cursor: "n2", Limit: 1000})
			},
			reply: `{"erasures":[],"next_cursor":"n3","has_more":true}`,
			want:  &sdk.ListErasuresResponse{NextCursor: "n3", HasMore: true, Raw: wire.JSON(`{"erasures":[],"next_cursor":"n3","has_more":true}`)},
		},
		{
			name: "memoriesOfSource of a message", method: "GET", path: "/agents/a1/memories?source_message_id=q%2F1",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.MemoriesOfSource(ctx, "a1", sdk.MemoriesOfSourceOptions{MessageID: "q/1"})
			},
			reply: grouped, want: found,
		},
		{
			name: "memoriesOfSource of a chat, a page", method: "GET", path: "/agents/a1/memories?source_chat_id=c1&cursor=n2&limit=5",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.MemoriesOfSource(ctx, "a1", sdk.MemoriesOfSourceOptions{ChatID: "c1", Page: sdk.Page{Cursor: "n2", Limit: 5}})
			},
			reply: grouped, want: found,
		},
		{
			name: "getMemoryStats of a user", method: "GET", path: "/agents/a1/memory-stats?user_id=u%2F1",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.GetUserMemoryStats(ctx, "a1", "u/1")
			},
			reply: counts, want: &sdk.MemoryStats{
				Total: 1, Approved: 1, Users: 1, Room: &sdk.MemoryRoom{UsedBytes: 100, RoomBytes: 50, LeftOut: 1}, Raw: wire.JSON(counts),
			},
		},
	}
}

// reviewMethods call each method of reviewOperations with the given arguments.
func reviewMethods() map[string]func(context.Context, *sdk.Client, arguments) error {
	written := func(a arguments) sdk.WriteMemoryRequest {
		return sdk.WriteMemoryRequest{MemoryContent: a.MemoryContent, MemoryType: a.MemoryType}
	}
	return map[string]func(context.Context, *sdk.Client, arguments) error{
		"createMemory": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.CreateMemory(ctx, a.AgentID, a.UserID, written(a), sdk.CreateMemoryOptions{IdempotencyKey: a.IdempotencyKey})
			return err
		},
		"updateMemory": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.UpdateMemory(ctx, a.MemoryID, written(a))
			return err
		},
		"approveMemory": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.ApproveMemoryAs(ctx, a.MemoryID, sdk.ApproveMemoryOptions{MemoryContent: a.MemoryContent, IdempotencyKey: a.IdempotencyKey})
			return err
		},
		"decideMemories": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.DecideMemories(ctx, a.Action, a.MemoryIDs, sdk.DecideMemoriesOptions{IdempotencyKey: a.IdempotencyKey})
			return err
		},
		"answersOfMemory": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.AnswersOfMemory(ctx, a.MemoryID, sdk.Page{Limit: a.Limit})
			return err
		},
		"listErasures": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.ListErasures(ctx, a.AgentID, sdk.Page{Limit: a.Limit})
			return err
		},
		"memoriesOfSource": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.MemoriesOfSource(ctx, a.AgentID, sdk.MemoriesOfSourceOptions{
				MessageID: a.MessageID, ChatID: a.ChatID, Page: sdk.Page{Limit: a.Limit},
			})
			return err
		},
		"getMemoryStats": func(ctx context.Context, c *sdk.Client, a arguments) error {
			if a.UserID != "" {
				_, err := c.GetUserMemoryStats(ctx, a.AgentID, a.UserID)
				return err
			}
			_, err := c.GetMemoryStats(ctx, a.AgentID)
			return err
		},
	}
}

// reviewAnswers are answers for the responses of reviewOperations.
func reviewAnswers() map[reflect.Type]func(*testing.T) {
	return map[reflect.Type]func(*testing.T){
		reflect.TypeFor[wire.Memory](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.Memory, error) {
				return c.CreateMemory(t.Context(), "a1", "u1", statement(), sdk.CreateMemoryOptions{})
			})
			agree(t, func(c *sdk.Client) (*wire.Memory, error) { return c.UpdateMemory(t.Context(), "m1", statement()) })
		},
		reflect.TypeFor[wire.DecideMemoriesResponse](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.DecideMemoriesResponse, error) {
				return c.DecideMemories(t.Context(), wire.ActionApprove, []string{"m1"}, sdk.DecideMemoriesOptions{})
			})
		},
		reflect.TypeFor[wire.AnswersOfMemoryResponse](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.AnswersOfMemoryResponse, error) {
				return c.AnswersOfMemory(t.Context(), "m1", sdk.Page{})
			})
		},
		reflect.TypeFor[wire.ListErasuresResponse](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.ListErasuresResponse, error) {
				return c.ListErasures(t.Context(), "a1", sdk.Page{})
			})
		},
	}
}

// reviewRequests are requests for reviewOperations.
func reviewRequests() map[reflect.Type]func(*testing.T) {
	return map[reflect.Type]func(*testing.T){
		reflect.TypeFor[wire.WriteMemoryRequest](): func(t *testing.T) {
			agreeRequest(t, true, statement(), func(c *sdk.Client) {
				_, _ = c.CreateMemory(t.Context(), "a1", "u1", statement(), sdk.CreateMemoryOptions{})
			})
			agreeRequest(t, true, statement(), func(c *sdk.Client) { _, _ = c.UpdateMemory(t.Context(), "m1", statement()) })
		},
		reflect.TypeFor[wire.DecideMemoriesRequest](): func(t *testing.T) {
			want := wire.DecideMemoriesRequest{Action: wire.ActionApprove, MemoryIDs: []string{"m1", "m\n2"}}
			agreeRequest(t, true, want, func(c *sdk.Client) {
				_, _ = c.DecideMemories(t.Context(), want.Action, want.MemoryIDs, sdk.DecideMemoriesOptions{})
			})
		},
		reflect.TypeFor[wire.MemoryActionRequest](): func(t *testing.T) {
			edited := "ü"
			agreeRequest(t, true, wire.MemoryActionRequest{Action: wire.ActionApprove, MemoryContent: &edited}, func(c *sdk.Client) {
				_, _ = c.ApproveMemoryAs(t.Context(), "m1", sdk.ApproveMemoryOptions{MemoryContent: "ü"})
			})
			agreeRequest(t, false, wire.MemoryActionRequest{Action: wire.ActionApprove}, func(c *sdk.Client) {
				_, _ = c.ApproveMemory(t.Context(), "m1")
			})
			agreeRequest(t, false, wire.MemoryActionRequest{Action: wire.ActionReject}, func(c *sdk.Client) {
				_, _ = c.RejectMemory(t.Context(), "m1")
			})
		},
	}
}

// ids returns count ids.
func ids(count int) []string {
	list := make([]string, count)
	for i := range list {
		list[i] = fmt.Sprint("m", i)
	}
	return list
}

func TestWrongReviewArgumentsSayWhatIsWanted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, method, want string
		a                  arguments
	}{
		{"too many memories", "decideMemories", "memoryIds has 501 entries, want 1 to 500", arguments{Action: "approve", MemoryIDs: ids(501)}},
		{"no memories", "decideMemories", "memoryIds has 0 entries, want 1 to 500", arguments{Action: "approve"}},
		{"an action", "decideMemories", `action is "delete", want one of approve, reject`, arguments{Action: "delete", MemoryIDs: ids(1)}},
		{"an empty id", "decideMemories", `memoryIds holds " ", which cannot be an id`, arguments{Action: "reject", MemoryIDs: []string{"m1", " ", ".."}}},
		{"no statement", "createMemory", "memoryContent has 0 characters, want 1 to 300",
			arguments{AgentID: "a1", UserID: "u1", MemoryContent: " \n", MemoryType: "fact"}},
		{"a long statement", "updateMemory", "memoryContent has 301 characters, want 1 to 300",
			arguments{MemoryID: "m1", MemoryContent: strings.Repeat("é", 301), MemoryType: "fact"}},
		{"a long edit", "approveMemory", "memoryContent has 301 characters, want 1 to 300",
			arguments{MemoryID: "m1", MemoryContent: strings.Repeat("é", 301)}},
		{"no type", "createMemory", `memoryType is "", want one of preference, fact, context`, arguments{AgentID: "a1", UserID: "u1", MemoryContent: "x"}},
		{"no source", "memoriesOfSource", "messageId or chatId must be set, and not both", arguments{AgentID: "a1"}},
		{"two sources", "memoriesOfSource", "messageId or chatId must be set, and not both", arguments{AgentID: "a1", MessageID: "q1", ChatID: "c1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, script := openPage(t)
			require.EqualError(t, reviewMethods()[test.method](t.Context(), client, test.a), test.method+": "+test.want)
			require.Empty(t, script.requests)
		})
	}
	t.Run("no user", func(t *testing.T) {
		t.Parallel()
		client, script := openPage(t)
		_, err := client.GetUserMemoryStats(t.Context(), "a1", "")
		require.EqualError(t, err, "getMemoryStats: userId is empty")
		require.Empty(t, script.requests)
	})
}

func TestTheMaximumIsAccepted(t *testing.T) {
	t.Parallel()
	client, script := openPage(t, jsonReply(`{"results":[]}`), jsonReply(`{"id":"m1"}`))
	_, err := client.DecideMemories(t.Context(), wire.ActionApprove, ids(wire.MaxDecisions), sdk.DecideMemoriesOptions{})
	require.NoError(t, err)
	_, err = client.UpdateMemory(t.Context(), "m1", sdk.WriteMemoryRequest{MemoryContent: strings.Repeat("é", 300) + " ", MemoryType: wire.MemoryContext})
	require.NoError(t, err)
	require.Len(t, script.requests, 2)
}
