package httpapi_test

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// missing requires a 404 that says what was not found, which field named it, and in which
// operation.
func missing(t *testing.T, w *httptest.ResponseRecorder, thing, field string) {
	t.Helper()
	require.Equal(t, 404, w.Code, w.Body)
	got := decode[wire.ErrorBody](t, w)
	require.Equal(t, wire.ErrorInfo{Code: wire.CodeNotFound, Message: thing + " not found", InvalidFields: []string{field}}, got.Error)
	require.Regexp(t, `^(GET|POST|PUT|DELETE) /[a-z0-9/{}_-]+: `+field+` names nothing that this caller may see$`, got.Detail)
}

func TestWhatWasNotFound(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	hers := s.newChat("ann")
	foreign := s.newChat("bob")
	const nowhere = `{"project_id":"elsewhere",`
	inChat := `{"project_id":"demo","chat_id":"` + hers.ChatID + `",`
	const feedback, user = "/chat/message/user/feedback", `"user_feedback":true}`
	const inNone = `{"project_id":"demo","chat_id":"chat_x",`
	inBobs := `{"project_id":"demo","chat_id":"` + foreign.ChatID + `",`
	rows := []struct{ name, method, path, body, thing, field string }{
		{"createChat", "POST", "/chat/create", nowhere + `"name":"x"}`, "Project", "project_id"},
		{"createChat, a document", "POST", "/chat/create", `{"project_id":"demo","document_keys":["doc_x"]}`, "Document", "document_keys"},
		{"listChats", "GET", "/project/elsewhere/chat", "", "Project", "project_id"},
		{"listAgents", "GET", "/project/elsewhere/agents", "", "Project", "project_id"},
		{"getChatHistory, a project", "GET", "/project/elsewhere/chat/" + hers.ChatID + "/all", "", "Project", "project_id"},
		{"getChatHistory", "GET", "/project/demo/chat/chat_x/all", "", "Chat", "chat_id"},
		{"getChatHistory, another's", "GET", "/project/demo/chat/" + foreign.ChatID + "/all", "", "Chat", "chat_id"},
		{"deleteChat", "DELETE", "/chat/delete", `{"project_id":"demo","chat_id":"chat_x"}`, "Chat", "chat_id"},
		{"updateChatName", "POST", "/chat/update/name", `{"project_id":"demo","chat_id":"chat_x","title":"x"}`, "Chat", "chat_id"},
		{"sendFeedback, a chat", "POST", feedback, inNone + `"message_id":"msg_x",` + user, "Chat", "chat_id"},
		{"sendFeedback, a message", "POST", feedback, inChat + `"message_id":"msg_x",` + user, "Message", "message_id"},
		{"sendFeedback, another's message", "POST", feedback, inChat + `"message_id":"` + foreign.MessageID + `",` + user, "Message", "message_id"},
		{"sendFeedback, another's chat", "POST", feedback, inBobs + `"message_id":"` + foreign.MessageID + `",` + user, "Chat", "chat_id"},
		{"regenerate, a chat", "POST", "/v3/chat/message/regenerate", `{"project_id":"demo","chat_id":"chat_x","message_id":"msg_x"}`, "Chat", "chat_id"},
		{"regenerate, a message", "POST", "/v3/chat/message/regenerate", inChat + `"message_id":"msg_x"}`, "Message", "message_id"},
		{"regenerate, another's chat", "POST", "/v3/chat/message/regenerate", inBobs + `"message_id":"` + foreign.MessageID + `"}`, "Chat", "chat_id"},
		{"resume", "GET", "/v3/chat/stream/stream_x", "", "Stream", "stream_id"},
		{"stop", "POST", "/v3/chat/stream/stream_x/stop", "", "Stream", "stream_id"},
		{"getToolCall", "GET", "/tool-calls/call_x", "", "Call", "call_id"},
		{"decideToolCall", "POST", "/tool-calls/call_x/decision", approve, "Call", "call_id"},
		{"claimToolCall", "POST", "/tool-calls/call_x/claim", `{"claim":"` + oneClaim + `"}`, "Call", "call_id"},
		{"setToolResult", "POST", "/tool-calls/call_x/result", `{"claim":"` + oneClaim + `","result":"x"}`, "Call", "call_id"},
		{"image", "GET", "/v3/chat/image/img_x?exp=1&sig=x", "", "Image", "image_id"},
		{"getMemorySettings", "GET", "/agents/x/memory-settings", "", "Agent", "agent_id"},
		{"updateMemorySettings", "PUT", "/agents/x/memory-settings", `{"max_memories":7}`, "Agent", "agent_id"},
		{"getMemoryStats", "GET", "/agents/x/memory-stats", "", "Agent", "agent_id"},
		{"listMemories", "GET", "/agents/x/memories", "", "Agent", "agent_id"},
		{"listUserMemories", "GET", "/agents/x/memories/user/ann", "", "Agent", "agent_id"},
		{"deleteUserMemories", "DELETE", "/agents/x/memories/user/ann", "", "Agent", "agent_id"},
		{"listPendingMemories", "GET", "/memory-approvals/pending?agent_id=x", "", "Agent", "agent_id"},
		{"approveMemory", "POST", "/memory-approvals/mem_x/action", `{"action":"approve"}`, "Memory", "memory_id"},
		{"deleteMemory", "DELETE", "/memories/mem_x", "", "Memory", "memory_id"},
		{"listDocuments", "POST", "/v3/project/elsewhere/knowledgebase", "{}", "Project", "project_id"},
		{"getDocument", "GET", "/v3/project/demo/knowledgebase/doc_x", "", "Document", "document_key"},
		{"getDocument, no id", "GET", "/v3/project/demo/knowledgebase/%2e%2e", "", "Document", "document_key"},
		{"deleteDocument", "DELETE", "/project/knowledge/delete", deletion("doc_x"), "Document", "resources"},
	}
	for _, row := range rows {
		missing(t, s.do(row.method, row.path, as("ann").json(), row.body), row.thing, row.field)
	}
	missing(t, s.send(as("ann"), field{name: "chat_id", value: "chat_x"}), "Chat", "chat_id")
	missing(t, s.send(as("ann"), field{name: "agent_id", value: "agent_x"}), "Agent", "agent_id")
	missing(t, s.send(as("ann"), field{name: "document_keys", value: `["doc_x"]`}), "Document", "document_keys")
	missing(t, s.post(as("ann"), form(t, field{name: "message", value: "Hi"}, field{name: "project_id", value: "elsewhere"})), "Project", "project_id")
	stopped := s.do("POST", "/v3/chat/stop", keyed("ann", "unknown"), "")
	missing(t, stopped, "Answer", "idempotency-key")
	require.Contains(t, stopped.Body.String(), `"detail":"POST /v3/chat/stop: idempotency-key names nothing that this caller may see"`)
	history := s.do("GET", "/project/demo/chat/"+foreign.ChatID+"/all", as("ann"), "").Body.String()
	require.Contains(t, history, `"detail":"GET /project/{project_id}/chat/{chat_id}/all: chat_id names`)
	require.NotContains(t, history, foreign.ChatID)
}

// The result of an earlier request may be deleted when the request is repeated: its key named it.
func TestWhatARepeatDoesNotFind(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	remove := func(chatID string) {
		require.Equal(t, 200, s.do("DELETE", "/chat/delete", as("ann").json(), `{"project_id":"demo","chat_id":"`+chatID+`"}`).Code)
	}
	create := func() *httptest.ResponseRecorder {
		return s.do("POST", "/chat/create", keyed("ann", "create").json(), `{"project_id":"demo"}`)
	}
	made := decode[wire.Chat](t, create())
	remove(made.ChatID)
	missing(t, create(), "Chat", "idempotency-key")

	sent := decode[wire.SendMessageResponse](t, s.send(keyed("ann", "send")))
	remove(sent.ChatID)
	missing(t, s.send(keyed("ann", "send")), "Chat", "idempotency-key")
}
