//go:build js && wasm

package bridge_test

import (
	"syscall/js"
	"testing"

	"github.com/stretchr/testify/require"
)

// shapes has what the answers of all operations hold.
const shapes = `const shapes = {
	memory: { id: "i" }, settings: { memory_enabled: true }, memory_enabled: true, memories_by_user: {}, approvals: [], total: 0,
	success: true, id: "i", results: [], answers: [], erasures: [],
	chats: [], messages: [], agents: [], document_key: "d1", docs: [],
};`

// echo returns the request in its response.
const echo = `async (url, init) => {
	` + shapes + `
	return new Response(JSON.stringify({...shapes, asked: init.method + " " + url.slice(23) + " " + (init.body ?? "")}),
	{headers: {"content-type": "application/json"}}) }`

func TestArgumentsOfCallsReachTheService(t *testing.T) {
	p := published()
	p.respond(echo)
	for _, test := range []struct{ operation, args, want string }{
		{"getMemorySettings", `{"agentId":"a1"}`, "GET /agents/a1/memory-settings "},
		{"updateMemorySettings", `{"agentId":"a1"}`, "PUT /agents/a1/memory-settings {}"},
		{"updateMemorySettings", `{"agentId":"a1","memoryEnabled":false,"maxMemories":7,"autoApprove":true,"memoryTypes":[]}`,
			`PUT /agents/a1/memory-settings {"memory_enabled":false,"max_memories":7,"auto_approve":true,"memory_types":[]}`},
		{"updateMemorySettings", `{"agentId":"a1","memoryEnabled":null,"maxMemories":null,"memoryTypes":["fact"]}`,
			`PUT /agents/a1/memory-settings {"memory_types":["fact"]}`},
		{"listMemories", `{"agentId":"a1"}`, "GET /agents/a1/memories "},
		{"listMemories", `{"agentId":"a1","status":"pending","type":"context","userId":"u 1"}`, "GET /agents/a1/memories?status=pending&type=context&user_id=u%201 "},
		{"listMemories", `{"agentId":"a1","status":null,"userId":"u1"}`, "GET /agents/a1/memories?user_id=u1 "},
		{"listPendingMemories", `{}`, "GET /memory-approvals/pending "},
		{"listPendingMemories", `{"agentId":"a1","userId":"u1"}`, "GET /memory-approvals/pending?agent_id=a1&user_id=u1 "},
		{"approveMemory", `{"memoryId":"m1"}`, `POST /memory-approvals/m1/action {"action":"approve"}`},
		{"rejectMemory", `{"memoryId":"m1"}`, `POST /memory-approvals/m1/action {"action":"reject"}`},
		{"listMemories", `{"agentId":"a1","userId":"u1","cursor":"n/2","limit":5}`, "GET /agents/a1/memories?user_id=u1&cursor=n%2F2&limit=5 "},
		{"listPendingMemories", `{"cursor":"n2"}`, "GET /memory-approvals/pending?cursor=n2 "},
		{"getMemoryStats", `{"agentId":"a1"}`, "GET /agents/a1/memory-stats "},
		{"deleteUserMemories", `{"agentId":"a1","userId":"u1"}`, "DELETE /agents/a1/memories/user/u1 "},
		{"createMemory", `{"agentId":"a1","userId":"u/1","memoryContent":"User is \"ü\"","memoryType":"fact"}`,
			`POST /agents/a1/memories/user/u%2F1 {"memory_content":"User is \"ü\"","memory_type":"fact"}`},
		{"updateMemory", `{"memoryId":"m1","memoryContent":"c","memoryType":"context"}`, `PUT /memories/m1 {"memory_content":"c","memory_type":"context"}`},
		{"approveMemory", `{"memoryId":"m1","memoryContent":"c"}`, `POST /memory-approvals/m1/action {"action":"approve","memory_content":"c"}`},
		{"decideMemories", `{"action":"reject","memoryIds":["m1", "m2"]}`, `POST /memory-approvals/actions {"action":"reject","memory_ids":["m1", "m2"]}`},
		{"answersOfMemory", `{"memoryId":"m1","cursor":"n2","limit":5}`, "GET /memories/m1/answers?cursor=n2&limit=5 "},
		{"listErasures", `{"agentId":"a1"}`, "GET /agents/a1/erasures "},
		{"memoriesOfSource", `{"agentId":"a1","messageId":"q1","limit":5}`, "GET /agents/a1/memories?source_message_id=q1&limit=5 "},
		{"memoriesOfSource", `{"agentId":"a1","messageId":null,"chatId":"c1"}`, "GET /agents/a1/memories?source_chat_id=c1 "},
		{"getMemoryStats", `{"agentId":"a1","userId":"u1"}`, "GET /agents/a1/memory-stats?user_id=u1 "},
		{"listChats", `{"cursor":9007199254740991,"limit":100}`, "GET /project/p1/chat?cursor=9007199254740991&limit=100 "},
		{"getChatHistory", `{"chatId":"c 1"}`, "GET /project/p1/chat/c%201/all "},
		{"getChatHistory", `{"chatId":"c1","before":"m/1","limit":20}`, "GET /project/p1/chat/c1/all?before=m%2F1&limit=20 "},
		{"listAgents", `{}`, "GET /project/p1/agents "},
		{"getDocument", `{"documentKey":"d1","start":0,"end":0}`, "GET /v3/project/p1/knowledgebase/d1?start=0&end=0 "},
		{"listDocuments", `{}`, "POST /v3/project/p1/knowledgebase {}"},
		{"listDocuments", `{"nameSearch":""}`, "POST /v3/project/p1/knowledgebase {}"},
		{"listDocuments", `{"page":2,"itemsPerPage":100,"nameSearch":"\"","cursor":"n2","limit":7}`,
			`POST /v3/project/p1/knowledgebase {"page":2,"items_per_page":100,"name_search":"\"","cursor":"n2","limit":7}`},
	} {
		t.Run(test.operation+" "+test.args, func(t *testing.T) {
			value, rejected := p.call(p.open(t, ""), test.operation, test.args)
			require.False(t, rejected)
			require.Equal(t, test.want, js.Global().Get("JSON").Call("parse", value).Get("asked").String())
		})
	}
}

func TestCallsWithoutAResultReturnNothing(t *testing.T) {
	p := published()
	p.respond(`async (url, init) => { globalThis.asked = init.method + " " + url.slice(23) + " " + (init.body ?? ""); return Response.json({message: "done"}) }`)
	for _, test := range []struct{ operation, args, want string }{
		{"deleteChat", `{"chatId":"c1"}`, `DELETE /chat/delete {"project_id":"p1","chat_id":"c1"}`},
		{"updateChatName", `{"chatId":"c1","newName":""}`, `POST /chat/update/name {"project_id":"p1","chat_id":"c1","title":""}`},
		{"sendFeedback", `{"chatId":"c1","messageId":"m\"1","feedback":false}`,
			`POST /chat/message/user/feedback {"project_id":"p1","chat_id":"c1","message_id":"m\"1","user_feedback":false}`},
		{"deleteDocument", `{"documentKey":"d1"}`, `DELETE /project/knowledge/delete {"project_id":"p1","resources":[{"name":"d1","key":"d1"}]}`},
		{"deleteMemory", `{"memoryId":"m1"}`, "DELETE /memories/m1 "},
	} {
		t.Run(test.operation, func(t *testing.T) {
			value, rejected := p.call(p.open(t, ""), test.operation, test.args)
			require.False(t, rejected)
			require.Empty(t, value.String())
			require.Equal(t, test.want, js.Global().Get("asked").String())
		})
	}
}

func TestAListOfMemoriesIsReturnedAsItsText(t *testing.T) {
	p := published()
	p.respond(`async (url) => new Response('[{"id":"' + url.slice(23) + '","n":12345678901234567890}]', {headers: {"content-type": "application/json"}})`)
	value, rejected := p.call(p.open(t, ""), "listUserMemories", `{"agentId":"a1","userId":"u1","status":"approved","type":"fact"}`)
	require.False(t, rejected)
	require.Equal(t, `{"memories":[{"id":"/agents/a1/memories/user/u1?status=approved&type=fact","n":12345678901234567890}],"has_more":false}`, value.String())
}

func TestArgumentsOfCallsAreReadStrictly(t *testing.T) {
	p := published()
	p.respond(`() => { throw new Error("nothing is sent") }`)
	client := p.open(t, "")
	for _, test := range []struct{ name, operation, args, want string }{
		{"a wire name", "listMemories", `{"agentId":"a1","user_id":"u1"}`, "listMemories: user_id is unknown; did you mean userId?"},
		{"a misspelt setting", "updateMemorySettings", `{"agentId":"a1","autoAprove":true}`, "updateMemorySettings: autoAprove is unknown; did you mean autoApprove?"},
		{"an option of another call", "getMemoryStats", `{"agentId":"a1","memoryTypes":[]}`, "getMemoryStats: memoryTypes is unknown"},
		{"no id", "approveMemory", `{}`, "approveMemory: memoryId is empty"},
		{"an empty id", "deleteMemory", `{"memoryId":""}`, "deleteMemory: memoryId is empty"},
		{"an empty filter", "listMemories", `{"agentId":"a1","status":""}`, "listMemories: status is empty"},
		{"an unknown type", "listUserMemories", `{"agentId":"a1","userId":"u1","type":"secret"}`,
			`listUserMemories: type is "secret", want one of preference, fact, context`},
		{"a number for an id", "rejectMemory", `{"memoryId":5}`, "rejectMemory: memoryId is a number, want a string"},
		{"a string for a flag", "updateMemorySettings", `{"agentId":"a1","memoryEnabled":"on"}`, "updateMemorySettings: memoryEnabled is a string, want a boolean"},
		{"no memories", "updateMemorySettings", `{"agentId":"a1","maxMemories":0}`, "updateMemorySettings: maxMemories is 0, want 1 to 1000"},
		{"a fraction of a memory", "updateMemorySettings", `{"agentId":"a1","maxMemories":1.5}`, "updateMemorySettings: maxMemories is 1.5, want 1 to 1000"},
		{"too many memories", "updateMemorySettings", `{"agentId":"a1","maxMemories":1001}`, "updateMemorySettings: maxMemories is 1001, want 1 to 1000"},
		{"a limit of zero", "listMemories", `{"agentId":"a1","limit":0}`, "listMemories: limit is 0, want 1 or more"},
		{"a fraction of a message", "getChatHistory", `{"chatId":"c1","limit":1.5}`, "getChatHistory: limit is 1.5, want 1 or more"},
		{"a negative start", "getDocument", `{"documentKey":"d1","start":-1}`, "getDocument: start is -1, want 0 or more"},
		{"a huge end", "getDocument", `{"documentKey":"d1","end":1e21}`, "getDocument: end is 1e21, want 0 or more"},
		{"an empty cursor", "listDocuments", `{"cursor":""}`, "listDocuments: cursor is empty"},
		{"a cursor of listChats", "listMemories", `{"agentId":"a1","cursor":5}`, "listMemories: cursor is a number, want a string"},
		{"a cursor of zero", "listChats", `{"cursor":0}`, "listChats: cursor is 0, want the previous page's next_cursor"},
		{"no name", "updateChatName", `{"chatId":"c1"}`, "updateChatName: newName is missing, want a string"},
		{"a page of zero", "listDocuments", `{"page":0}`, "listDocuments: page is 0, want 1 or more"},
		{"too many items", "listDocuments", `{"itemsPerPage":101}`, "listDocuments: itemsPerPage is 101, want 1 to 100"},
		{"no statement", "updateMemory", `{"memoryId":"m1","memoryType":"fact"}`, "updateMemory: memoryContent has 0 characters, want 1 to 300"},
		{"an empty edit", "approveMemory", `{"memoryId":"m1","memoryContent":""}`, "approveMemory: memoryContent is empty"},
		{"an edit of a rejection", "rejectMemory", `{"memoryId":"m1","memoryContent":"c"}`, "rejectMemory: memoryContent is unknown"},
		{"no memories to decide", "decideMemories", `{"action":"approve"}`, "decideMemories: memoryIds has 0 entries, want 1 to 500"},
		{"a number among ids", "decideMemories", `{"action":"approve","memoryIds":[5]}`, "decideMemories: memoryIds must hold only strings"},
		{"no source", "memoriesOfSource", `{"agentId":"a1","chatId":null}`, "memoriesOfSource: messageId or chatId must be set, and not both"},
		{"numbers among types", "updateMemorySettings", `{"agentId":"a1","memoryTypes":[5]}`, "updateMemorySettings: memoryTypes must hold only strings"},
	} {
		t.Run(test.name, func(t *testing.T) {
			failure, rejected := p.call(client, test.operation, test.args)
			require.True(t, rejected)
			require.Equal(t, "argument", failure.Get("kind").String())
			require.Equal(t, test.want, failure.Get("message").String())
		})
	}
}
