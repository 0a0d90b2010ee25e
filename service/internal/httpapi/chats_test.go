package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

func TestCreateChat(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	tests := []struct {
		name string
		as   headers
		body string
		want wire.Chat
	}{
		{"with all", as("ann"), `{"project_id":"demo","name":" Trip ","document_keys":[],"metadata":{"a":[1,null]}}`,
			wire.Chat{Name: "Trip", UserID: "ann", Metadata: wire.JSON(`{"a":[1,null]}`)}},
		{"for nobody", asServer(), `{"project_id":"demo"}`, wire.Chat{Name: "Untitled"}},
		{"by a token", s.token(wire.AccessTokenRequest{UserID: "bob"}), `{"project_id":"demo"}`, wire.Chat{Name: "Untitled", UserID: "bob"}},
		{"with null for absent", as("ann"), `{"project_id":"demo","name":null,"document_keys":null,"metadata":null}`, wire.Chat{Name: "Untitled", UserID: "ann"}},
		{"with unknown fields", as("ann"), `{"Project_ID":"other","project_id":"demo","NAME":"No","colour":{"a":1}}`, wire.Chat{Name: "Untitled", UserID: "ann"}},
		{"with escapes", as("ann"), `{"project_id":"d\u0065mo","name":"\ud83d\ude00 \\ \" \n","metadata":{}}`, wire.Chat{Name: "😀 \\ \"", UserID: "ann", Metadata: wire.JSON(`{}`)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := s.do("POST", "/chat/create", test.as.json(), test.body)
			require.Equal(t, http.StatusOK, w.Code, w.Body)
			got := decode[wire.Chat](t, w)
			require.NotEmpty(t, got.ChatID)
			require.Equal(t, float64(noon.Unix()), got.CreatedAt)
			got.ChatID, got.CreatedAt = "", 0
			require.Equal(t, test.want, got)
		})
	}
}

func TestListChatsPages(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for i := range 32 {
		w := s.do("POST", "/chat/create", as("ann").json(), fmt.Sprintf(`{"project_id":"demo","name":"chat %d"}`, i))
		require.Equal(t, http.StatusOK, w.Code)
	}
	first := decode[wire.ListChatsResponse](t, s.do("GET", "/project/demo/chat", as("ann"), ""))
	require.Len(t, first.Chats, 30)
	require.Equal(t, "chat 31", first.Chats[0].Name)
	require.True(t, first.HasMore)
	rest := decode[wire.ListChatsResponse](t, s.do("GET", fmt.Sprintf("/project/demo/chat?limit=100&cursor=%d", first.NextCursor), as("ann"), ""))
	require.Len(t, rest.Chats, 2)
	require.False(t, rest.HasMore)
	require.Zero(t, rest.NextCursor)
	none := s.do("GET", "/project/demo/chat?other=1", as("bob"), "")
	require.JSONEq(t, `{"chats":[],"has_more":false}`, none.Body.String())
}

func TestListChatsRefusesWrongPages(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, test := range []struct{ query, field string }{
		{"limit=0", "limit"}, {"limit=101", "limit"}, {"limit=-1", "limit"}, {"limit=", "limit"}, {"limit=ten", "limit"},
		{"limit=1.5", "limit"}, {"limit=%2B5", "limit"}, {"limit=1&limit=2", "limit"}, {"limit=99999999999999999999", "limit"},
		{"cursor=0", "cursor"}, {"cursor=-5", "cursor"}, {"cursor=9007199254740992", "cursor"}, {"cursor=x", "cursor"}, {"cursor=", "cursor"},
	} {
		t.Run(test.query, func(t *testing.T) {
			t.Parallel()
			refusal(t, s.do("GET", "/project/demo/chat?"+test.query, as("ann"), ""), 400, wire.CodeValidation, test.field)
		})
	}
	refusal(t, s.do("GET", "/project/demo/chat?limit=%zz", as("ann"), ""), 400, wire.CodeValidation)
	require.Equal(t, http.StatusOK, s.do("GET", "/project/demo/chat?limit=1&cursor=9007199254740991", as("ann"), "").Code)
}

func TestChatFromItsBeginningToItsEnd(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	sent := s.newChat("ann")
	require.Equal(t, "Hi", sent.ChatName)
	chat := sent.ChatID
	ids := fmt.Sprintf(`"project_id":"demo","chat_id":%q`, chat)

	w := s.do("POST", "/chat/update/name", as("ann").json(), `{`+ids+`,"title":"Greetings"}`)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	w = s.do("POST", "/chat/message/user/feedback", as("ann").json(), `{`+ids+fmt.Sprintf(`,"message_id":%q,"user_feedback":false}`, sent.MessageID))
	require.Equal(t, chat, decode[wire.DoneResponse](t, w).ChatID)

	history := decode[wire.ChatHistoryResponse](t, s.do("GET", "/project/demo/chat/"+chat+"/all", as("ann"), ""))
	require.Equal(t, "Greetings", history.Name)
	require.Len(t, history.Messages, 2)
	require.Equal(t, "Hi", history.Messages[0].Content)
	require.Equal(t, "Hello you", history.Messages[1].Content)
	require.False(t, *history.Messages[1].Feedback)

	question := fmt.Sprintf(`,"message_id":%q,"user_feedback":true}`, history.Messages[0].ID)
	refusal(t, s.do("POST", "/chat/message/user/feedback", as("ann").json(), `{`+ids+question), 400, wire.CodeValidation, "message_id")

	w = s.do("POST", "/chat/update/name", as("ann").json(), `{`+ids+`,"title":" \t"}`)
	refusal(t, w, 400, wire.CodeValidation, "title")
	w = s.do("DELETE", "/chat/delete", as("ann").json(), `{`+ids+`}`)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	refusal(t, s.do("DELETE", "/chat/delete", as("ann").json(), `{`+ids+`}`), 404, wire.CodeNotFound)
	require.JSONEq(t, `{"chats":[],"has_more":false}`, s.do("GET", "/project/demo/chat", as("ann"), "").Body.String())
}

func TestListAgents(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	const clerk = `{"id":"clerk","name":"Clerk","type":"chat_agent","model":"small","models":["small","large"]}`
	tests := []struct {
		name, want string
		as         headers
	}{
		{"all", `{"agents":[{"id":"assistant","name":"Assistant","type":"chat_agent","models":["large","small"]},` + clerk + `],"models":["large","small"]}`,
			as("ann")},
		{"those of the token", `{"agents":[` + clerk + `],"models":["large","small"]}`, s.token(wire.AccessTokenRequest{UserID: "ann",
			Agents: []string{"clerk", "other"}})},
		{"none", `{"agents":[],"models":["large","small"]}`, s.token(wire.AccessTokenRequest{UserID: "ann", Agents: []string{}})},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.JSONEq(t, test.want, s.do("GET", "/project/demo/agents", test.as, "").Body.String())
		})
	}
}

// Another user's or project's data cannot be distinguished from missing data: not by a byte of the
// body, and not by a header.
func TestNobodyLearnsWhatOthersHave(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	hers := s.newChat("ann")
	his := s.newChat("bob")
	before := s.everything()

	type target struct{ project, chat, message string }
	unknown, elsewhere := target{project, "chat_nobody", "msg_nobody"}, target{"other", "chat_nobody", "msg_nobody"}
	others := map[string]target{
		"another user's":               {project, hers.ChatID, hers.MessageID},
		"another project's":            {"other", hers.ChatID, hers.MessageID},
		"mine, in another project":     {"other", his.ChatID, his.MessageID},
		"a dot segment":                {project, "..", "."},
		"an id with a NUL":             {project, "chat\x00", "msg_nobody"},
		"an id that is not UTF-8":      {project, "chat\xff", "msg_nobody"},
		"an id with a slash":           {project, "chat_nobody/all", "msg_nobody"},
		"another user's, capitalised":  {project, strings.ToUpper(hers.ChatID), hers.MessageID},
		"another user's, with a blank": {project, hers.ChatID + " ", hers.MessageID},
	}
	operations := map[string]func(target) (answer string){
		"getChatHistory": func(at target) string {
			return s.answer("GET", "/project/"+url.PathEscape(at.project)+"/chat/"+url.PathEscape(at.chat)+"/all", as("bob"), "")
		},
		"updateChatName": func(at target) string {
			return s.answer("POST", "/chat/update/name", as("bob").json(), fmt.Sprintf(`{"project_id":%q,"chat_id":%q,"title":"Mine"}`, at.project, at.chat))
		},
		"deleteChat": func(at target) string {
			return s.answer("DELETE", "/chat/delete", as("bob").json(), fmt.Sprintf(`{"project_id":%q,"chat_id":%q}`, at.project, at.chat))
		},
		"sendFeedback": func(at target) string {
			return s.answer("POST", "/chat/message/user/feedback", as("bob").json(),
				fmt.Sprintf(`{"project_id":%q,"chat_id":%q,"message_id":%q,"user_feedback":true}`, at.project, at.chat, at.message))
		},
		"sendMessage": func(at target) string {
			sent := form(t, field{name: "message", value: "Hi"}, field{name: "project_id", value: at.project}, field{name: "chat_id", value: at.chat})
			return s.answer("POST", "/v3/chat/message", as("bob").with("content-type", sent.contentType), sent.text)
		},
	}
	for operation, call := range operations {
		require.Contains(t, call(unknown), `"message":"Chat not found","invalid_fields":["chat_id"]`, operation)
		require.Contains(t, call(elsewhere), `"message":"Project not found","invalid_fields":["project_id"]`, operation)
		for name, at := range others {
			want := call(unknown)
			if at.project == elsewhere.project {
				want = call(elsewhere)
			}
			if isText := utf8.ValidString(at.chat) && !strings.Contains(at.chat, "\x00"); !isText && operation != "getChatHistory" {
				continue // refused as text before any lookup
			}
			require.Equal(t, want, call(at), "%s: %s", operation, name)
		}
	}
	require.Contains(t, s.answer("GET", "/project/other/chat", as("bob"), ""), "Project not found")
	require.Equal(t, before, s.everything(), "and nothing has changed")
}

// answer is a whole answer without the request id.
func (s *service) answer(method, target string, h headers, body string) string {
	return whole(s.do(method, target, h, body))
}

// whole is an answer without the request id.
func whole(w *httptest.ResponseRecorder) string {
	header := w.Header().Clone()
	header.Del("X-Request-Id")
	return fmt.Sprint(w.Code, header, w.Body)
}
