package sdk

import (
	"context"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Call is a row of the table of operations. Package bridge creates a page's functions from it,
// because each function written by hand would add 0.4 KB to the wasm. Go programs call the methods
// of Client.
type Call struct {
	// Operation is the name of the method in JavaScript.
	Operation string
	// Arguments are the names of the arguments in JavaScript, in the order in which CallJSON takes
	// their values.
	Arguments []string
	// Keyed means that the call takes an idempotency key.
	Keyed bool

	// silent means that the response says only that the call succeeded.
	silent bool
	// holds is the shape of the response; see shape.go.
	holds  string
	method string
	// path and body are templates: "@" stands for the project, "*" for the next argument, and "#"
	// for the next argument that is already JSON.
	path, body string
	// options are the names on the wire of the last Arguments, which are optional. They are sent in
	// the body if there is one, otherwise in the query.
	options []string
}

// decisionPath is the path for decisions about tool calls.
const decisionPath = "/tool-calls/*/decision"

var (
	listChats = &Call{
		Operation: "listChats", holds: `{"!chats":[` + chatShape + `],"next_cursor":0,"has_more":true}`, method: "GET", path: "/project/@/chat",
		Arguments: []string{"cursor", "limit"}, options: []string{"cursor", "limit"},
	}
	getChatHistory = &Call{
		Operation: "getChatHistory", holds: historyShape, method: "GET", path: "/project/@/chat/*/all",
		Arguments: []string{"chatId", "before", "limit", "messageId", "branches"}, options: []string{"before", "limit", "message_id", "branches"},
	}
	getMessage = &Call{
		Operation: "getMessage", holds: messageShape, method: "GET", path: "/project/@/chat/*/message/*", Arguments: []string{"chatId", "messageId"},
	}
	selectBranch = &Call{
		Operation: "selectBranch", holds: `{"!message_id":""}`, method: "POST", path: "/chat/branch", body: `{"project_id":@,"chat_id":*,"message_id":*}`,
		Arguments: []string{"chatId", "messageId"}, Keyed: true,
	}
	deleteChat = &Call{
		Operation: "deleteChat", method: "DELETE", path: "/chat/delete", body: `{"project_id":@,"chat_id":*}`,
		Arguments: []string{"chatId"}, silent: true,
	}
	updateChatName = &Call{
		Operation: "updateChatName", method: "POST", path: "/chat/update/name", body: `{"project_id":@,"chat_id":*,"title":*}`,
		Arguments: []string{"chatId", "newName"}, silent: true,
	}
	sendFeedback = &Call{
		Operation: "sendFeedback", method: "POST", path: "/chat/message/user/feedback",
		body:      `{"project_id":@,"chat_id":*,"message_id":*,"user_feedback":#}`,
		Arguments: []string{"chatId", "messageId", "feedback"}, silent: true,
	}
	listAgents = &Call{
		Operation: "listAgents", holds: `{"!agents":[{"!id":"","name":"","type":"","model":"","models":[""]}],"models":[""]}`,
		method: "GET", path: "/project/@/agents",
	}

	listDocuments = &Call{
		Operation: "listDocuments", holds: documentsShape, method: "POST", path: "/v3/project/@/knowledgebase", body: "{}",
		Arguments: []string{"page", "itemsPerPage", "nameSearch", "cursor", "limit"},
		options:   []string{"page", "items_per_page", "name_search", "cursor", "limit"},
	}
	getDocument = &Call{
		Operation: "getDocument", holds: documentShape, method: "GET", path: "/v3/project/@/knowledgebase/*",
		Arguments: []string{"documentKey", "start", "end"}, options: []string{"start", "end"},
	}
	deleteDocument = &Call{
		Operation: "deleteDocument", method: "DELETE", path: "/project/knowledge/delete",
		body:      `{"project_id":@,"resources":[{"name":*,"key":*}]}`,
		Arguments: []string{"documentKey", "documentKey"}, silent: true,
	}

	getMemorySettings = &Call{
		Operation: "getMemorySettings", holds: settingsShape, method: "GET", path: "/agents/*/memory-settings", Arguments: []string{"agentId"},
	}
	updateMemorySettings = &Call{
		Operation: "updateMemorySettings", holds: `{"success":true,"message":"","!settings":` + settingsShape + `}`,
		method: "PUT", path: "/agents/*/memory-settings", body: "{}",
		Arguments: []string{"agentId", "memoryEnabled", "maxMemories", "autoApprove", "memoryTypes"},
		options:   []string{"memory_enabled", "max_memories", "auto_approve", "memory_types"},
	}
	listMemories = &Call{
		Operation: "listMemories", holds: memoriesShape, method: "GET", path: "/agents/*/memories",
		Arguments: []string{"agentId", "status", "type", "userId", "cursor", "limit"},
		options:   []string{"status", "type", "user_id", "cursor", "limit"},
	}
	listUserMemories = &Call{
		Operation: "listUserMemories", holds: `{"!memories":[` + memoryShape + `],` + pageShape + `}`, method: "GET", path: "/agents/*/memories/user/*",
		Arguments: []string{"agentId", "userId", "status", "type", "cursor", "limit"},
		options:   []string{"status", "type", "cursor", "limit"},
	}
	listPendingMemories = &Call{
		Operation: "listPendingMemories", holds: `{"!approvals":[` + memoryShape + `],"total":0,` + pageShape + `}`, method: "GET", path: "/memory-approvals/pending",
		Arguments: []string{"agentId", "userId", "cursor", "limit"}, options: []string{"agent_id", "user_id", "cursor", "limit"},
	}
	approveMemory = &Call{
		Operation: "approveMemory", holds: decidedShape, method: "POST", path: "/memory-approvals/*/action", body: `{"action":"approve"}`,
		Arguments: []string{"memoryId", "memoryContent"}, options: []string{"memory_content"}, Keyed: true,
	}
	rejectMemory = &Call{
		Operation: "rejectMemory", holds: decidedShape, method: "POST", path: "/memory-approvals/*/action", body: `{"action":"reject"}`,
		Arguments: []string{"memoryId"}, Keyed: true,
	}
	deleteMemory   = &Call{Operation: "deleteMemory", method: "DELETE", path: "/memories/*", Arguments: []string{"memoryId"}, silent: true}
	getMemoryStats = &Call{
		Operation: "getMemoryStats", holds: statsShape, method: "GET", path: "/agents/*/memory-stats",
		Arguments: []string{"agentId", "userId"}, options: []string{"user_id"},
	}
	deleteUserMemories = &Call{
		Operation: "deleteUserMemories", holds: `{"!success":true,"message":"","deleted":0}`,
		method: "DELETE", path: "/agents/*/memories/user/*", Arguments: []string{"agentId", "userId"},
	}
	createMemory = &Call{
		Operation: "createMemory", holds: memoryShape, method: "POST", path: "/agents/*/memories/user/*", body: `{"memory_content":*,"memory_type":*}`,
		Arguments: []string{"agentId", "userId", "memoryContent", "memoryType"}, Keyed: true,
	}
	updateMemory = &Call{
		Operation: "updateMemory", holds: memoryShape, method: "PUT", path: "/memories/*", body: `{"memory_content":*,"memory_type":*}`,
		Arguments: []string{"memoryId", "memoryContent", "memoryType"},
	}
	decideMemories = &Call{
		Operation: "decideMemories", holds: `{"!results":[{"!memory_id":"","status":0,"superseded":[""]}]}`,
		method: "POST", path: "/memory-approvals/actions", body: `{"action":*,"memory_ids":#}`,
		Arguments: []string{"action", "memoryIds"}, Keyed: true,
	}
	answersOfMemory = &Call{
		Operation: "answersOfMemory", holds: `{"!answers":[{"!chat_id":"","!message_id":""}],` + pageShape + `}`, method: "GET", path: "/memories/*/answers",
		Arguments: []string{"memoryId", "cursor", "limit"}, options: []string{"cursor", "limit"},
	}
	listErasures = &Call{
		Operation: "listErasures", holds: `{"!erasures":[{"!kind":"","at":0,"by":"","counts":{"memories":0,"sources":0}}],` + pageShape + `}`,
		method: "GET", path: "/agents/*/erasures",
		Arguments: []string{"agentId", "cursor", "limit"}, options: []string{"cursor", "limit"},
	}
	memoriesOfSource = &Call{
		Operation: "memoriesOfSource", holds: memoriesShape, method: "GET", path: "/agents/*/memories",
		Arguments: []string{"agentId", "messageId", "chatId", "cursor", "limit"},
		options:   []string{"source_message_id", "source_chat_id", "cursor", "limit"},
	}

	listToolCalls = &Call{
		Operation: "listToolCalls", holds: `{"!tool_calls":[` + callShape + `],` + pageShape + `}`, method: "GET", path: "/tool-calls",
		Arguments: []string{"status", "chatId", "messageId", "cursor", "limit"},
		options:   []string{"status", "chat_id", "message_id", "cursor", "limit"},
	}
	getToolCall     = &Call{Operation: "getToolCall", holds: callShape, method: "GET", path: "/tool-calls/*", Arguments: []string{"callId"}}
	approveToolCall = &Call{
		Operation: "approveToolCall", holds: `{"!call":` + callShape + `}`, method: "POST", path: decisionPath, body: `{"action":"approve"}`,
		Arguments: []string{"callId", "arguments", "reason"}, options: []string{"arguments", "reason"}, Keyed: true,
	}
	denyToolCall = &Call{
		Operation: "denyToolCall", holds: `{"!call":` + callShape + `}`, method: "POST", path: decisionPath, body: `{"action":"deny"}`,
		Arguments: []string{"callId", "reason"}, options: []string{"reason"}, Keyed: true,
	}
)

// Calls returns the rows of the table.
func Calls() []*Call {
	return []*Call{
		listChats, getChatHistory, getMessage, selectBranch, deleteChat, updateChatName, sendFeedback, listAgents,
		listDocuments, getDocument, deleteDocument,
		getMemorySettings, updateMemorySettings, listMemories, listUserMemories, listPendingMemories,
		approveMemory, rejectMemory, deleteMemory, getMemoryStats, deleteUserMemories,
		createMemory, updateMemory, decideMemories, answersOfMemory, listErasures, memoriesOfSource,
		listToolCalls, getToolCall, approveToolCall, denyToolCall,
	}
}

// CallJSON makes a call with the values of its Arguments, in their order, followed by the
// idempotency key if the call is Keyed. Strings are passed as they are, other values as JSON. An
// empty option or key is unset.
func (c *Client) CallJSON(ctx context.Context, m *Call, values ...string) (wire.JSON, error) {
	request, err := c.request(m, values)
	if err != nil {
		return nil, err
	}
	want := jsontext.Object
	if m == listUserMemories {
		want = jsontext.Absent
	}
	if m.path == decisionPath {
		done := c.postsFor(values[0])
		defer done(true)
	}
	a, err := c.ask(ctx, m.Operation, request, want)
	if err != nil {
		return nil, err
	}
	return c.complete(m, a)
}

// request checks the values and builds the request from them.
func (c *Client) request(m *Call, values []string) (*Request, error) {
	for i, field := range m.Arguments {
		if err := m.check(field, values[i], i >= len(m.Arguments)-len(m.options)); err != nil {
			return nil, err
		}
	}
	if m == memoriesOfSource && (values[1] == "") == (values[2] == "") { // without either, the service would return all memories
		return nil, wrong(m.Operation, "messageId", "or chatId must be set, and not both")
	}
	request := &Request{Method: m.method, again: m == listDocuments}
	if m.Keyed {
		var err error
		if request.Header, err = keyed(m.Operation, values[len(m.Arguments)]); err != nil {
			return nil, err
		}
	}
	url, values := c.fill(m.path, values, appendEscaped)
	switch {
	case m.options == nil:
		request.Body, _ = c.fill(m.body, values, AppendString)
	case m.body == "":
		url = m.query(url, values)
	default:
		request.Body = m.members(values)
	}
	request.URL = string(url)
	return request, nil
}

// query appends the options that are set.
func (m *Call) query(url []byte, values []string) []byte {
	separator := byte('?')
	for i, name := range m.options {
		if values[i] != "" {
			url = appendEscaped(append(append(append(url, separator), name...), '='), values[i])
			separator = '&'
		}
	}
	return url
}

// members returns the body with the options that are set.
func (m *Call) members(values []string) []byte {
	o := body{[]byte(m.body[:len(m.body)-1])}
	if m.body == "{}" {
		o.text = nil
	}
	fields := m.Arguments[len(m.Arguments)-len(m.options):]
	for i, name := range m.options {
		switch {
		case values[i] == "":
		case m.Kind(fields[i]) == jsontext.String:
			o.string(name, values[i])
		default:
			o.raw(name, []byte(values[i]))
		}
	}
	return o.bytes()
}

// fill puts the project and the next values into a template, and returns the values that are left.
func (c *Client) fill(template string, values []string, quote func([]byte, string) []byte) ([]byte, []string) {
	var text []byte
	for i := range len(template) {
		switch template[i] {
		case '@':
			text = quote(text, c.config.ProjectID)
			continue
		case '*':
			text = quote(text, values[0])
		case '#':
			text = append(text, values[0]...)
		default:
			text = append(text, template[i])
			continue
		}
		values = values[1:]
	}
	return text, values
}

// complete checks a response, and adds what older services leave out.
func (c *Client) complete(m *Call, a *reply) (wire.JSON, error) {
	if m.silent {
		return nil, nil
	}
	if a.response.Header(headerPassed) != "" {
		return wire.JSON(a.value), nil
	}
	if m == listUserMemories && a.value.Kind() == jsontext.Array { // the request did not ask for a page, or the service has no pages
		a.value = append(append([]byte(`{"memories":`), a.value...), `,"has_more":false}`...)
	}
	if m.path == getChatHistory.path { // not m itself: other code copies the row
		a.value = each(a.value, "messages", c.normal)
	}
	if m.path == getMessage.path { // as above
		a.value = c.normal(a.value)
	}
	if err := a.fits(m.holds); err != nil {
		return nil, err
	}
	// If the request did not ask for a page, this header says that the list was cut.
	if m.options != nil && a.response.Header("x-has-more") == "true" {
		a.value = with(a.value, "has_more", jsontext.Value("true"))
	}
	return wire.JSON(a.value), nil
}

// headerPassed is set by a page that has checked the response and passes it on by itself. No server can send a
// header of this name.
const headerPassed = ":passed"

// Passes returns the shape of a response that the call returns unchanged, and "" if there is none. The call still
// changes the object if the header X-Has-More is set. A message is unchanged if it has no addresses of images.
func (m *Call) Passes() string { return strings.ReplaceAll(m.holds, imagesShape, `"image_urls":[]`) }

// decoded decodes the result of a call that had no error.
func decoded[T any](text wire.JSON, err error, decode func(jsontext.Value) T) (*T, error) {
	if err != nil {
		return nil, err
	}
	value := decode(jsontext.Value(text))
	return &value, nil
}
