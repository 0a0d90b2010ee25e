package httpapi_test

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

// callers are the columns of the table of routes.
func callers(t *testing.T) []headers {
	return []headers{
		{},
		asServer().with("x-api-secret", "wrong"),
		sign(t, jwt.MapClaims{"iat": noon.Unix() - 3600, "exp": noon.Unix() - 61}),
		sign(t, nil),
		sign(t, jwt.MapClaims{"sub": "bob"}),
		sign(t, jwt.MapClaims{"sub": "eve", "role": "admin"}),
		sign(t, jwt.MapClaims{"agents": []string{}}),
		asServer(),
		as("ann"),
	}
}

var callerNames = []string{
	"nobody", "a wrong secret", "ann's token that has expired", "ann", "bob", "an administrator", "ann without an agent", "API key", "API key for ann",
}

// passage is a row: a request for what is Ann's, and what each caller gets. In
// path and body CHAT, MESSAGE, STREAM, CALL, MEMORY and DOCUMENT stand for her ids. A
// body that begins with a name is a form.
type passage struct {
	route, path, body string
	want              [9]int
}

var (
	anybody  = [9]int{200, 200, 200, 200, 200, 200, 200, 200, 200}
	signedIn = [9]int{401, 401, 401, 200, 200, 200, 200, 200, 200}
	hers     = [9]int{401, 401, 401, 200, 404, 404, 200, 200, 200}
	herAgent = [9]int{401, 401, 401, 200, 404, 404, 404, 200, 200}
	agents   = [9]int{401, 401, 401, 200, 200, 200, 404, 200, 200}
	herself  = [9]int{401, 401, 401, 200, 403, 200, 404, 200, 200}
	reviewed = [9]int{401, 401, 401, 200, 404, 200, 404, 200, 200}
	herCall  = [9]int{401, 401, 401, 200, 404, 404, 404, 403, 200}
)

// passages are all routes. Those that delete something come last.
var passages = []passage{
	{"GET /healthz", "/healthz", "", anybody},
	{"GET /readyz", "/readyz", "", anybody},
	{"GET /openapi.yaml", "/openapi.yaml", "", anybody},
	{"GET /metrics", "/metrics", "", [9]int{401, 401, 401, 401, 401, 401, 401, 200, 401}},
	{"POST /auth/token", "/auth/token", `{"user_id":"ann"}`, [9]int{401, 401, 401, 403, 403, 403, 403, 200, 400}},
	{"GET /v3/chat/image/{image_id}", "/v3/chat/image/img_x?exp=9999999999&sig=x", "", [9]int{404, 404, 404, 404, 404, 404, 404, 404, 404}},
	{"POST /chat/create", "/chat/create", `{"project_id":"demo"}`, signedIn},
	{"GET /project/{project_id}/chat", "/project/demo/chat", "", signedIn},
	{"GET /project/{project_id}/agents", "/project/demo/agents", "", signedIn},
	{"GET /project/{project_id}/chat/{chat_id}/all", "/project/demo/chat/CHAT/all", "", hers},
	{"GET /project/{project_id}/chat/{chat_id}/message/{message_id}", "/project/demo/chat/CHAT/message/MESSAGE", "", hers},
	{"POST /chat/branch", "/chat/branch", `{"project_id":"demo","chat_id":"CHAT","message_id":"MESSAGE"}`, hers},
	{"POST /chat/update/name", "/chat/update/name", `{"project_id":"demo","chat_id":"CHAT","title":"New"}`, hers},
	{"POST /chat/message/user/feedback", "/chat/message/user/feedback",
		`{"project_id":"demo","chat_id":"CHAT","message_id":"MESSAGE","user_feedback":true}`, hers},
	{"GET /v3/chat/stream/{stream_id}", "/v3/chat/stream/STREAM", "", hers},
	{"POST /v3/chat/stream/{stream_id}/stop", "/v3/chat/stream/STREAM/stop", "", hers},
	{"POST /v3/chat/stop", "/v3/chat/stop", "", [9]int{401, 401, 401, 200, 404, 404, 200, 404, 200}},
	{"POST /v3/chat/message/regenerate", "/v3/chat/message/regenerate", `{"project_id":"demo","chat_id":"CHAT","message_id":"MESSAGE"}`, herAgent},
	{"POST /v3/chat/message", "/v3/chat/message", "chat_id=CHAT", herAgent},
	{"GET /tool-calls", "/tool-calls", "", signedIn},
	{"GET /tool-calls/{call_id}", "/tool-calls/CALL", "", herAgent},
	{"POST /tool-calls/{call_id}/decision", "/tool-calls/CALL/decision", approve, herCall},
	{"POST /tool-calls/{call_id}/claim", "/tool-calls/CALL/claim", `{"claim":"` + oneClaim + `","definition":` + paint + `}`, herCall},
	{"POST /tool-calls/{call_id}/result", "/tool-calls/CALL/result", `{"claim":"` + oneClaim + `","result":"red"}`, herCall},
	{"GET /agents/{agent_id}/memory-settings", "/agents/assistant/memory-settings", "", agents},
	{"PUT /agents/{agent_id}/memory-settings", "/agents/assistant/memory-settings", `{"max_memories":7}`,
		[9]int{401, 401, 401, 403, 403, 200, 404, 200, 403}},
	{"GET /agents/{agent_id}/memory-stats", "/agents/assistant/memory-stats", "", agents},
	{"GET /agents/{agent_id}/memories", "/agents/assistant/memories", "", agents},
	{"GET /agents/{agent_id}/memories/user/{user_id}", "/agents/assistant/memories/user/ann", "", herself},
	{"GET /memory-approvals/pending", "/memory-approvals/pending", "", signedIn},
	{"POST /agents/{agent_id}/memories/user/{user_id}", "/agents/assistant/memories/user/ann", `{"memory_content":"User keeps bees","memory_type":"fact"}`,
		[9]int{401, 401, 401, 403, 403, 200, 404, 200, 403}},
	{"PUT /memories/{memory_id}", "/memories/MEMORY", `{"memory_content":"User keeps geese","memory_type":"fact"}`,
		[9]int{401, 401, 401, 403, 403, 200, 403, 200, 403}},
	{"GET /memories/{memory_id}/answers", "/memories/MEMORY/answers", "", reviewed},
	{"GET /agents/{agent_id}/erasures", "/agents/assistant/erasures", "", [9]int{401, 401, 401, 403, 403, 200, 404, 200, 403}},
	{"POST /memory-approvals/actions", "/memory-approvals/actions", `{"action":"approve","memory_ids":["mem_x"]}`, signedIn},
	{"POST /memory-approvals/{memory_id}/action", "/memory-approvals/MEMORY/action", `{"action":"approve"}`, reviewed},
	{"POST /v3/project/knowledge/add/file", "/v3/project/knowledge/add/file", "file", signedIn},
	{"POST /v3/project/{project_id}/knowledgebase", "/v3/project/demo/knowledgebase", "{}", signedIn},
	{"GET /v3/project/{project_id}/knowledgebase/{document_key}", "/v3/project/demo/knowledgebase/DOCUMENT", "", hers},
	{"DELETE /memories/{memory_id}", "/memories/MEMORY", "", reviewed},
	{"DELETE /agents/{agent_id}/memories/user/{user_id}", "/agents/assistant/memories/user/ann", "", herself},
	{"DELETE /project/knowledge/delete", "/project/knowledge/delete", `{"project_id":"demo","resources":[{"name":"n","key":"DOCUMENT"}]}`, hers},
	{"DELETE /chat/delete", "/chat/delete", `{"project_id":"demo","chat_id":"CHAT"}`, hers},
}

// pass sends the request of a row, in which names replaces the placeholders by ids.
func (s *service) pass(h headers, row passage, names *strings.Replacer) *httptest.ResponseRecorder {
	method, _, _ := strings.Cut(row.route, " ")
	at, text := names.Replace(row.path), names.Replace(row.body)
	switch name, value, isField := strings.Cut(text, "="); {
	case isField:
		return s.send(h, field{name: name, value: value})
	case text == "file":
		sent := form(s.t, inDemo(), field{name: "file", value: "words", file: "a.txt"})
		return s.do(method, at, h.with("content-type", sent.contentType), sent.text)
	case row.path == "/v3/chat/stop":
		return s.do(method, at, h.with("idempotency-key", names.Replace("KEY")), "")
	}
	return s.do(method, at, h.json(), text)
}

// Each route has a row that says who may use it. Nobody else learns whether the
// data exists, and a refused request changes nothing.
func TestWhoMayPass(t *testing.T) {
	t.Parallel()
	unknown := strings.NewReplacer("CHAT", "chat_x", "MESSAGE", "msg_x", "STREAM", "stream_x", "CALL", "call_x", "MEMORY", "mem_x", "DOCUMENT", "doc_x", "KEY", "x")
	for column, h := range callers(t) {
		t.Run(callerNames[column], func(t *testing.T) {
			t.Parallel()
			s := start(t, with(calling("paint", red)))
			_, begun := s.streamed(keyed("ann", "key"))
			_, call := s.waits(as("ann"), offering(`{"paint":`+paint+`}`)...)
			s.remember("assistant", "ann", pending("mem_ann"))
			document := s.upload(as("ann"), "hers.md", "# Hers")
			s.readDue()
			names := strings.NewReplacer("CHAT", begun.ChatID, "MESSAGE", begun.MessageID, "STREAM", begun.StreamID,
				"CALL", call.ID, "MEMORY", "mem_ann", "DOCUMENT", document, "KEY", "key")
			for _, row := range passages {
				before := s.everything()
				got := s.pass(h, row, names)
				require.Equal(t, row.want[column], got.Code, "%s: %s", row.route, got.Body)
				if got.Code == 200 {
					continue
				}
				require.Equal(t, before, s.everything(), "%s: nothing has changed", row.route)
				if got.Code == 404 && callerNames[column] != "ann without an agent" { // she may know what is hers
					require.Equal(t, whole(s.pass(h, row, unknown)), whole(got), "%s: as if it did not exist", row.route)
				}
			}
		})
	}
}

// A route without a row fails. Anybody on the same machine may use the demo's routes.
func TestEveryRouteHasItsRow(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	var rows []string
	for _, row := range passages {
		rows = append(rows, row.route)
	}
	require.ElementsMatch(t, httpapi.Routes(httpapi.New(s.config)), rows)
	demo := httpapi.Routes(httpapi.Demo(s.config, siteFiles))
	demo = slices.DeleteFunc(demo, func(route string) bool { return slices.Contains(rows, route) })
	require.ElementsMatch(t, []string{"GET /", "GET /examples/{path...}", "GET /dist/{path...}", "GET /docs", "GET /docs/{path...}", "POST /demo/token"}, demo)
}
