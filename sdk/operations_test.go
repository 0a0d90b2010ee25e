package sdk_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// operation is a call with the request that it must send and the result that it must return.
type operation struct {
	name   string
	call   func(context.Context, *sdk.Client) (any, error)
	method string
	path   string
	body   string // empty for none
	reply  string
	want   any
}

func done(err error) (any, error) { return nil, err }

func operations() []operation {
	return []operation{
		{
			name: "createChat", method: "POST", path: "/chat/create",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.CreateChat(ctx, sdk.CreateChatOptions{})
			},
			body:  `{"project_id":"p1"}`,
			reply: `{"chat_id":"c1","name":"Untitled","created_at":1.5,"later":[1]}`,
			want: &sdk.Chat{
				ChatID: "c1", Name: "Untitled", CreatedAt: 1.5,
				Raw: wire.JSON(`{"chat_id":"c1","name":"Untitled","created_at":1.5,"later":[1]}`),
			},
		},
		{
			name: "createChat with all options", method: "POST", path: "/chat/create",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.CreateChat(ctx, sdk.CreateChatOptions{
					Name: "a \"b\"\n", DocumentKeys: []string{"d1", "d2"}, Metadata: wire.JSON(`{"b":2,"a":null}`),
				})
			},
			body:  `{"project_id":"p1","name":"a \"b\"\n","document_keys":["d1","d2"],"metadata":{"b":2,"a":null}}`,
			reply: `{"chat_id":"c1"}`,
			want:  &sdk.Chat{ChatID: "c1", Raw: wire.JSON(`{"chat_id":"c1"}`)},
		},
		{
			name: "createChat with no documents and no metadata", method: "POST", path: "/chat/create",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.CreateChat(ctx, sdk.CreateChatOptions{DocumentKeys: []string{}, Metadata: wire.JSON(`{}`)})
			},
			body:  `{"project_id":"p1","document_keys":[],"metadata":{}}`,
			reply: `{"chat_id":"c1"}`,
			want:  &sdk.Chat{ChatID: "c1", Raw: wire.JSON(`{"chat_id":"c1"}`)},
		},
		{
			name: "listChats", method: "GET", path: "/project/p1/chat",
			call:  func(ctx context.Context, c *sdk.Client) (any, error) { return c.ListChats(ctx, sdk.ListChatsOptions{}) },
			reply: `{"chats":[{"chat_id":"c1"},{"chat_id":"c2"}],"next_cursor":9007199254740991,"has_more":true,"later":1.0}`,
			want: &sdk.ListChatsResponse{
				Chats:      []sdk.Chat{{ChatID: "c1", Raw: wire.JSON(`{"chat_id":"c1"}`)}, {ChatID: "c2", Raw: wire.JSON(`{"chat_id":"c2"}`)}},
				NextCursor: 1<<53 - 1, HasMore: true,
				Raw: wire.JSON(`{"chats":[{"chat_id":"c1"},{"chat_id":"c2"}],"next_cursor":9007199254740991,"has_more":true,"later":1.0}`),
			},
		},
		{
			name: "listChats with all options", method: "GET", path: "/project/p1/chat?cursor=7&limit=100",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.ListChats(ctx, sdk.ListChatsOptions{Cursor: 7, Limit: 100})
			},
			reply: `{"chats":[],"has_more":false}`,
			want:  &sdk.ListChatsResponse{Raw: wire.JSON(`{"chats":[],"has_more":false}`)},
		},
		{
			name: "getChatHistory", method: "GET", path: "/project/p1/chat/c1/all",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return c.GetChatHistory(ctx, "c1", sdk.GetChatHistoryOptions{})
			},
			reply: `{"id":"c1","chat_id":"c1","name":"N","created_at":2,"document_keys":["d"],"messages":[{"id":"m1","role":"user","content":"hi"}]}`,
			want: &sdk.ChatHistoryResponse{
				ID: "c1", ChatID: "c1", Name: "N", CreatedAt: 2, DocumentKeys: []string{"d"},
				Messages: []sdk.Message{{ID: "m1", Role: "user", Content: "hi", Raw: wire.JSON(`{"id":"m1","role":"user","content":"hi"}`)}},
				Raw:      wire.JSON(`{"id":"c1","chat_id":"c1","name":"N","created_at":2,"document_keys":["d"],"messages":[{"id":"m1","role":"user","content":"hi"}]}`),
			},
		},
		{
			name: "deleteChat", method: "DELETE", path: "/chat/delete",
			call:  func(ctx context.Context, c *sdk.Client) (any, error) { return done(c.DeleteChat(ctx, "c1")) },
			body:  `{"project_id":"p1","chat_id":"c1"}`,
			reply: `{"message":"deleted"}`,
		},
		{
			name: "updateChatName", method: "POST", path: "/chat/update/name",
			call:  func(ctx context.Context, c *sdk.Client) (any, error) { return done(c.UpdateChatName(ctx, "c1", "")) },
			body:  `{"project_id":"p1","chat_id":"c1","title":""}`,
			reply: `{"message":"renamed"}`,
		},
		{
			name: "sendFeedback, thumbs down", method: "POST", path: "/chat/message/user/feedback",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return done(c.SendFeedback(ctx, "m1", "c1", false))
			},
			body:  `{"project_id":"p1","chat_id":"c1","message_id":"m1","user_feedback":false}`,
			reply: `{"message":"thanks","chat_id":"c1"}`,
		},
		{
			name: "sendFeedback, thumbs up", method: "POST", path: "/chat/message/user/feedback",
			call: func(ctx context.Context, c *sdk.Client) (any, error) {
				return done(c.SendFeedback(ctx, "m1", "c1", true))
			},
			body:  `{"project_id":"p1","chat_id":"c1","message_id":"m1","user_feedback":true}`,
			reply: `{"message":"thanks","chat_id":"c1"}`,
		},
		{
			name: "listAgents", method: "GET", path: "/project/p1/agents",
			call:  func(ctx context.Context, c *sdk.Client) (any, error) { return c.ListAgents(ctx) },
			reply: `{"agents":[{"id":"a1","name":"A","type":"chat_agent"}],"models":["m"]}`,
			want: &sdk.ListAgentsResponse{
				Agents: []sdk.Agent{{ID: "a1", Name: "A", Type: "chat_agent", Raw: wire.JSON(`{"id":"a1","name":"A","type":"chat_agent"}`)}},
				Models: []string{"m"}, Raw: wire.JSON(`{"agents":[{"id":"a1","name":"A","type":"chat_agent"}],"models":["m"]}`),
			},
		},
	}
}

func TestOperations(t *testing.T) {
	t.Parallel()
	for _, o := range slices.Concat(operations(), pages(), memoryOperations(), reviewOperations()) {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			client, script := openPage(t, jsonReply(o.reply))
			got, err := o.call(t.Context(), client)
			require.NoError(t, err)
			require.Equal(t, o.want, got)
			require.Equal(t, []*sdk.Request{o.request()}, script.requests)
		})
	}
}

// request is the request that the operation must send.
func (o operation) request() *sdk.Request {
	request := &sdk.Request{
		Method: o.method, URL: "https://api.example.com" + o.path,
		Header: map[string]string{"accept": "application/json", "authorization": "Bearer token-1"},
	}
	if o.body != "" {
		request.Header["content-type"] = "application/json"
		request.Body = []byte(o.body)
	}
	return request
}

func TestIDsInPathsAreEncoded(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, id, want string }{
		{"unreserved characters stay", "azAZ09-._~", "azAZ09-._~"},
		{"a slash", "a/b", "a%2Fb"},
		{"what ends a path", "a?b#c", "a%3Fb%23c"},
		{"an escape", "%2e%2e", "%252e%252e"},
		{"three dots", "...", "..."},
		{"spaces and plus", "a b+c", "a%20b%2Bc"},
		{"other scripts", "ü漢😀", "%C3%BC%E6%BC%A2%F0%9F%98%80"},
		{"controls", "a\x00\n\x7f", "a%00%0A%7F"},
		{"a backslash", `..\x`, "..%5Cx"},
		{"invalid UTF-8", "\xff", "%FF"},
		{"the other marks", `!"$&'()*,:;<=>@[]^` + "`{|}", "%21%22%24%26%27%28%29%2A%2C%3A%3B%3C%3D%3E%40%5B%5D%5E%60%7B%7C%7D"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			config := pageConfig()
			config.ProjectID = test.id
			client, script := open(t, config, jsonReply(wholeAnswer), jsonReply(wholeAnswer), jsonReply(wholeAnswer))
			_, err := client.GetChatHistory(t.Context(), test.id, sdk.GetChatHistoryOptions{})
			require.NoError(t, err)
			_, err = client.ListChats(t.Context(), sdk.ListChatsOptions{})
			require.NoError(t, err)
			_, err = client.ListAgents(t.Context())
			require.NoError(t, err)
			require.Equal(t, "https://api.example.com/project/"+test.want+"/chat/"+test.want+"/all", script.requests[0].URL)
			require.Equal(t, "https://api.example.com/project/"+test.want+"/chat", script.requests[1].URL)
			require.Equal(t, "https://api.example.com/project/"+test.want+"/agents", script.requests[2].URL)
		})
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, base, want string }{
		{"without a slash", "https://api.example.com", "https://api.example.com/chat/delete"},
		{"with a slash", "https://api.example.com/", "https://api.example.com/chat/delete"},
		{"with several", "https://api.example.com///", "https://api.example.com/chat/delete"},
		{"with a path prefix", "http://127.0.0.1:8080/a/b", "http://127.0.0.1:8080/a/b/chat/delete"},
		{"with a path prefix and a slash", "https://api.example.com/v1/", "https://api.example.com/v1/chat/delete"},
		{"in capitals", "HTTPS://API.example.com", "HTTPS://API.example.com/chat/delete"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			config := pageConfig()
			config.BaseURL = test.base
			client, script := open(t, config, jsonReply(`{}`))
			require.NoError(t, client.DeleteChat(t.Context(), "c1"))
			require.Equal(t, test.want, script.requests[0].URL)
		})
	}
}
