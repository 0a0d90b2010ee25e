package sdk_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// pages are the calls that return a part of a list or text.
func pages() []operation {
	const memories = "/agents/a1/memories"
	return []operation{
		{
			name: "getChatHistory before a message", method: "GET", path: "/project/p1/chat/c1/all?before=m%2F9&limit=20",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.GetChatHistory(ctx, "c1", sdk.GetChatHistoryOptions{Before: "m/9", Limit: 20})
			},
			reply: `{"chat_id":"c1","metadata":{"a":[1]},"messages":[],"has_more":true}`,
			want: &sdk.ChatHistoryResponse{
				ChatID: "c1", Metadata: wire.JSON(`{"a":[1]}`), HasMore: true,
				Raw: wire.JSON(`{"chat_id":"c1","metadata":{"a":[1]},"messages":[],"has_more":true}`),
			},
		},
		{
			name: "listMemories, a page", method: "GET", path: memories + "?type=fact&user_id=u1&cursor=n%3D2&limit=5",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.ListMemories(ctx, "a1", sdk.ListMemoriesOptions{Type: wire.MemoryFact, UserID: "u1", Page: sdk.Page{Cursor: "n=2", Limit: 5}})
			},
			reply: `{"memories_by_user":{},"next_cursor":"n3","has_more":true}`,
			want: &sdk.ListMemoriesResponse{
				NextCursor: "n3", HasMore: true, Raw: wire.JSON(`{"memories_by_user":{},"next_cursor":"n3","has_more":true}`),
			},
		},
		{
			name: "listUserMemories, a page", method: "GET", path: memories + "/user/u1?status=pending&cursor=n2&limit=5",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.ListUserMemories(ctx, "a1", "u1", sdk.ListUserMemoriesOptions{
					Status: wire.MemoryPending, Page: sdk.Page{Cursor: "n2", Limit: 5},
				})
			},
			reply: `{"memories":[` + memoryReply + `],"next_cursor":"n3","has_more":true}`,
			want:  &sdk.ListUserMemoriesResponse{Memories: []sdk.Memory{aMemory()}, NextCursor: "n3", HasMore: true},
		},
		{
			name: "listUserMemories, a page of a service without pages", method: "GET", path: memories + "/user/u1?limit=1",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.ListUserMemories(ctx, "a1", "u1", sdk.ListUserMemoriesOptions{Page: sdk.Page{Limit: 1}})
			},
			reply: `[` + memoryReply + `]`,
			want:  &sdk.ListUserMemoriesResponse{Memories: []sdk.Memory{aMemory()}},
		},
		{
			name: "listPendingMemories, a page", method: "GET", path: "/memory-approvals/pending?agent_id=a1&cursor=n2&limit=5",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.ListPendingMemories(ctx, sdk.ListPendingMemoriesOptions{AgentID: "a1", Page: sdk.Page{Cursor: "n2", Limit: 5}})
			},
			reply: `{"approvals":[],"total":9,"next_cursor":"n3","has_more":true}`,
			want: &sdk.ListPendingMemoriesResponse{
				Total: 9, NextCursor: "n3", HasMore: true, Raw: wire.JSON(`{"approvals":[],"total":9,"next_cursor":"n3","has_more":true}`),
			},
		},
		{
			name: "listDocuments, a page", method: "POST", path: "/v3/project/p1/knowledgebase",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.ListDocuments(ctx, sdk.ListDocumentsOptions{NameSearch: "a", Cursor: "n2", Limit: 5})
			},
			body:  `{"name_search":"a","cursor":"n2","limit":5}`,
			reply: `{"docs":[],"total":9,"next_cursor":"n3","has_more":true}`,
			want: &sdk.ListDocumentsResponse{
				Total: 9, NextCursor: "n3", HasMore: true, Raw: wire.JSON(`{"docs":[],"total":9,"next_cursor":"n3","has_more":true}`),
			},
		},
		{
			name: "getDocument, a range", method: "GET", path: "/v3/project/p1/knowledgebase/d1?start=5&end=7",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.GetDocument(ctx, "d1", sdk.GetDocumentOptions{Start: 5, End: new(7)})
			},
			reply: `{"document_key":"d1","text":"bc","start":5,"end":7,"length":9}`,
			want: &sdk.Document{
				DocumentKey: "d1", Text: "bc", Start: 5, End: 7, Length: 9,
				Raw: wire.JSON(`{"document_key":"d1","text":"bc","start":5,"end":7,"length":9}`),
			},
		},
		{
			name: "getDocument, no text", method: "GET", path: "/v3/project/p1/knowledgebase/d1?end=0",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.GetDocument(ctx, "d1", sdk.GetDocumentOptions{End: new(0)})
			},
			reply: `{"document_key":"d1","length":9}`,
			want:  &sdk.Document{DocumentKey: "d1", Length: 9, Raw: wire.JSON(`{"document_key":"d1","length":9}`)},
		},
	}
}

func TestAnIncompleteListSaysSo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, reply string
		hasMore     func(context.Context, *sdk.Client) (bool, error)
	}{
		{"getChatHistory", `{"messages":[]}`, func(ctx context.Context, c *sdk.Client) (bool, error) {
			page, err := c.GetChatHistory(ctx, "c1", sdk.GetChatHistoryOptions{})
			return err == nil && page.HasMore, err
		}},
		{"listMemories", `{"memories_by_user":{},"has_more":false}`, func(ctx context.Context, c *sdk.Client) (bool, error) {
			page, err := c.ListMemories(ctx, "a1", sdk.ListMemoriesOptions{})
			return err == nil && page.HasMore, err
		}},
		{"listUserMemories", `[]`, func(ctx context.Context, c *sdk.Client) (bool, error) {
			page, err := c.ListUserMemories(ctx, "a1", "u1", sdk.ListUserMemoriesOptions{})
			return err == nil && page.HasMore, err
		}},
		{"listPendingMemories", `{"approvals":[]}`, func(ctx context.Context, c *sdk.Client) (bool, error) {
			page, err := c.ListPendingMemories(ctx, sdk.ListPendingMemoriesOptions{})
			return err == nil && page.HasMore, err
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for header, want := range map[string]bool{"true": true, "false": false, "": false} {
				whole := jsonReply(test.reply)
				whole.header["X-Has-More"] = header
				client, _ := openPage(t, whole)
				got, err := test.hasMore(t.Context(), client)
				require.NoError(t, err)
				require.Equal(t, want, got, header)
			}
		})
	}
}
