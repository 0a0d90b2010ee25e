package httpapi_test

import (
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

// rated starts a service with these limits a minute.
func rated(t *testing.T, chats, uploads, writes int) *service {
	return start(t, func(up *setup) {
		up.http.Limits.ChatsPerMinute, up.http.Limits.UploadsPerMinute, up.http.Limits.WritesPerMinute = chats, uploads, writes
	})
}

// tooMany requires an answer to be a refusal for this many seconds.
func tooMany(t *testing.T, w *httptest.ResponseRecorder, code, seconds string) {
	t.Helper()
	refusal(t, w, 429, code)
	require.Equal(t, seconds, w.Header().Get("Retry-After"))
}

func (s *service) create(h headers, body string) *httptest.ResponseRecorder {
	return s.do("POST", "/chat/create", h.json(), body)
}

const inProject = `{"project_id":"demo"}`

func TestChatsAMinute(t *testing.T) {
	t.Parallel()
	s := rated(t, 3, 0, 0)
	keyed := as("ann").with("idempotency-key", "k")
	require.Equal(t, 200, s.create(keyed, inProject).Code)
	for range 10 {
		require.Equal(t, 200, s.create(keyed, inProject).Code, "a repeat is not counted")
	}
	refusal(t, s.create(as("ann"), `{"project_id":"demo","name":1}`), 400, wire.CodeValidation, "name") // is counted
	require.Equal(t, 200, s.create(as("ann"), inProject).Code)
	tooMany(t, s.create(as("ann"), inProject), wire.CodeRateLimited, "20")
	tooMany(t, s.create(s.token(wire.AccessTokenRequest{UserID: "ann"}), inProject), wire.CodeRateLimited, "20")
	tooMany(t, s.create(as("ann").with("idempotency-key", "new"), inProject), wire.CodeRateLimited, "20")
	require.Equal(t, 200, s.create(keyed, inProject).Code)
	require.Equal(t, 200, s.create(as("bob"), inProject).Code)
	for range 10 {
		require.Equal(t, 200, s.create(asServer(), inProject).Code, "an API key that acts for nobody is free")
	}
	s.now.at = s.now.at.Add(20 * time.Second)
	require.Equal(t, 200, s.create(as("ann").with("idempotency-key", "new"), inProject).Code, "the refusal left the key free")
	tooMany(t, s.create(as("ann"), inProject), wire.CodeRateLimited, "20")
}

// unread is a body that must not be read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.ErrUnexpectedEOF
}

// A request that is refused for its rate is refused before its body is read.
func TestARateIsCountedBeforeTheBodyIsRead(t *testing.T) {
	t.Parallel()
	s := rated(t, 1, 1, 1)
	require.Equal(t, 200, s.create(as("ann"), inProject).Code)
	s.upload(as("ann"), "note.md", "# A note")
	refusal(t, s.do("DELETE", "/memories/m1", as("ann"), ""), 404, wire.CodeNotFound)
	for path, method := range map[string]string{
		"/chat/create": "POST", "/v3/project/knowledge/add/file": "POST", "/chat/delete": "DELETE", "/memory-approvals/m1/action": "POST",
	} {
		r := httptest.NewRequest(method, path, unread{t})
		r.Header.Set("Expect", "100-continue") // so that the service doesn't wait for what it leaves unread
		require.Equal(t, 429, s.serve(r, as("ann").json()).Code, path)
	}
}

func TestUploadsAMinute(t *testing.T) {
	t.Parallel()
	s := rated(t, 0, 2, 0)
	keyed := as("ann").with("idempotency-key", "k")
	first := s.upload(keyed, "note.md", "# A note")
	for range 5 {
		require.Equal(t, first, s.upload(keyed, "note.md", "# A note"))
	}
	refusal(t, s.uploads(as("ann"), document("note.md", ""), inDemo()), 400, wire.CodeValidation, "file")
	tooMany(t, s.uploads(as("ann"), document("note.md", "# A note"), inDemo()), wire.CodeRateLimited, "30")
	refusal(t, s.uploads(keyed, document("note.md", "# Another"), inDemo()), 422, wire.CodeKeyReused, "idempotency-key")
	for range 10 {
		s.upload(asServer(), "note.md", "# A note")
	}
	s.upload(as("bob"), "note.md", "# A note")
}

// All other requests that write count towards one rate. Requests that read don't.
func TestWritesAMinute(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]struct{ method, path, body string }{
		"rename":      {"POST", "/chat/update/name", `{"project_id":"demo","chat_id":"chat_none","title":"T"}`},
		"delete":      {"DELETE", "/chat/delete", `{"project_id":"demo","chat_id":"chat_none"}`},
		"feedback":    {"POST", "/chat/message/user/feedback", `{"project_id":"demo","chat_id":"chat_none","message_id":"m","user_feedback":true}`},
		"decide":      {"POST", "/memory-approvals/m1/action", `{"action":"reject"}`},
		"forget":      {"DELETE", "/memories/m1", ""},
		"forget all":  {"DELETE", "/agents/assistant/memories/user/ann", ""},
		"settings":    {"PUT", "/agents/assistant/memory-settings", `{}`},
		"unload":      {"DELETE", "/project/knowledge/delete", `{"project_id":"demo","resources":[{"key":"d"}]}`},
		"stop":        {"POST", "/v3/chat/stream/s1/stop", ""},
		"stop by key": {"POST", "/v3/chat/stop", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := rated(t, 0, 0, 2)
			h := as("ann").json().with("idempotency-key", "k")
			for range 2 {
				require.NotEqual(t, 429, s.do(write.method, write.path, h, write.body).Code)
			}
			tooMany(t, s.do(write.method, write.path, h, write.body), wire.CodeRateLimited, "30")
			tooMany(t, s.do("DELETE", "/memories/m1", as("ann"), ""), wire.CodeRateLimited, "30")
			require.NotEqual(t, 429, s.do(write.method, write.path, as("bob").json().with("idempotency-key", "k"), write.body).Code)
			for range 5 {
				require.Equal(t, 200, s.do("GET", "/project/demo/chat", as("ann"), "").Code)
				require.Equal(t, 200, s.do("POST", "/v3/project/demo/knowledgebase", as("ann").json(), `{}`).Code)
				require.Equal(t, 200, s.create(as("ann"), inProject).Code, "it has its own rate")
			}
		})
	}
}

// An API key that acts for nobody counts as one user.
func TestWritesOfAnAPIKey(t *testing.T) {
	t.Parallel()
	s := rated(t, 0, 0, 1)
	require.Equal(t, 404, s.do("DELETE", "/memories/m1", asServer(), "").Code)
	tooMany(t, s.do("DELETE", "/memories/m1", asServer(), ""), wire.CodeRateLimited, "60")
	require.Equal(t, 404, s.do("DELETE", "/memories/m1", as("ann"), "").Code)
}

// A repeated decision is not counted, but its key exempts no other request.
func TestAKnownKeyExemptsOnlyItsOwnRequest(t *testing.T) {
	t.Parallel()
	s := rated(t, 0, 0, 2)
	s.remember("assistant", "ann", pending("m1"))
	keyed := as("ann").json().with("idempotency-key", "k")
	for range 5 {
		require.Equal(t, 200, s.do("POST", "/memory-approvals/m1/action", keyed, `{"action":"approve"}`).Code)
	}
	require.Equal(t, 404, s.do("DELETE", "/memories/m2", keyed, "").Code)
	tooMany(t, s.do("DELETE", "/memories/m2", keyed, ""), wire.CodeRateLimited, "30")
}

func TestTotals(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	s.store.Limits.Chats, s.store.Limits.Documents, s.store.Limits.DocumentBytes = 1, 2, 20
	s.serveChecked()
	keyed := as("ann").with("idempotency-key", "k")
	require.Equal(t, 200, s.create(keyed, inProject).Code)
	w := s.create(as("ann"), inProject)
	tooMany(t, w, wire.CodeQuotaExceeded, "3600")
	require.Contains(t, w.Body.String(), "You have reached the limit for chats, which is 1: delete some first")
	tooMany(t, s.send(as("ann")), wire.CodeQuotaExceeded, "3600")
	require.Equal(t, 200, s.create(keyed, inProject).Code, "a repeat makes none")
	for range 3 {
		require.Equal(t, 200, s.create(asServer(), inProject).Code)
	}
	s.upload(as("ann"), "a.md", strings.Repeat("a", 15))
	w = s.uploads(as("ann"), document("b.md", "bbbbbb"), inDemo())
	tooMany(t, w, wire.CodeQuotaExceeded, "3600")
	require.Contains(t, w.Body.String(), "more than 20 bytes")
	second := s.upload(as("ann"), "b.md", "bbbbb")
	w = s.uploads(as("ann"), document("c.md", "c"), inDemo())
	tooMany(t, w, wire.CodeQuotaExceeded, "3600")
	require.Contains(t, w.Body.String(), "There are 2 documents already")
	for range 3 {
		s.upload(asServer(), "d.md", strings.Repeat("d", 30))
	}
	require.Equal(t, 200, s.do("DELETE", "/project/knowledge/delete", as("ann").json(), deletion(second)).Code)
	s.upload(as("ann"), "c.md", "c")
}

func TestMetadataHasALimit(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) { up.http.Limits.MetadataBytes = 20 })
	for size, status := range map[int]int{20: 200, 21: 413} {
		metadata := `{"a":"` + strings.Repeat("x", size-len(`{"a":""}`)) + `"}`
		for field, w := range map[string]*httptest.ResponseRecorder{
			"metadata":         s.create(as("ann"), `{"project_id":"demo","metadata":`+metadata+`}`),
			"request_metadata": s.send(as("ann"), field{name: "request_metadata", value: metadata}),
			"metadata ":        s.uploads(as("ann"), document("a.md", "a"), inDemo(), field{name: "metadata", value: metadata}),
		} {
			require.Equal(t, status, w.Code, "%s %s", field, w.Body)
			if status == 413 {
				refusal(t, w, 413, wire.CodePayloadTooLarge, strings.TrimSpace(field))
				require.Contains(t, w.Body.String(), "has 21 bytes, want at most 20")
			}
		}
	}
}

// Equal keys count once and are stored once.
func TestDocumentKeysHaveALimit(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) { up.chat.Limits.DocumentKeys = 2 })
	a, b, c := s.upload(as("ann"), "a.md", "a"), s.upload(as("ann"), "b.md", "b"), s.upload(as("ann"), "c.md", "c")
	for _, test := range []struct {
		keys   []string
		status int
		stored []string
	}{
		{[]string{a, b}, 200, []string{a, b}},
		{[]string{b, a, b, b, a}, 200, []string{b, a}},
		{[]string{a, b, c}, 413, nil},
		{[]string{}, 200, nil},
	} {
		list := strings.ReplaceAll(fmt.Sprintf("%q", test.keys), " ", ",")
		w := s.create(as("ann"), `{"project_id":"demo","document_keys":`+list+`}`)
		sent := s.send(as("ann"), field{name: "document_keys", value: list})
		require.Equal(t, []int{test.status, test.status}, []int{w.Code, sent.Code}, "%s %s", w.Body, sent.Body)
		if test.status == 413 {
			refusal(t, w, 413, wire.CodePayloadTooLarge, "document_keys")
			refusal(t, sent, 413, wire.CodePayloadTooLarge, "document_keys")
			continue
		}
		require.Equal(t, test.stored, decode[wire.Chat](t, w).DocumentKeys)
		path := "/project/demo/chat/" + decode[wire.SendMessageResponse](t, sent).ChatID + "/all"
		history := decode[wire.ChatHistoryResponse](t, s.do("GET", path, as("ann"), ""))
		options, err := s.store.SendOptions(t.Context(), history.Messages[0].ID)
		require.NoError(t, err)
		require.Contains(t, string(options), `"document_keys":`+strings.ReplaceAll(fmt.Sprintf("%q", append([]string{}, test.stored...)), " ", ","))
	}
}

func TestUserIDsHaveALimit(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	s.serveChecked()
	id, longer := strings.Repeat("ä", 10), strings.Repeat("ä", 10)+"x"
	old := s.token(wire.AccessTokenRequest{UserID: longer})
	s.remember("assistant", longer, pending("m1"))
	s.config.Limits.UserIDBytes = 20
	s.serveChecked()

	require.Equal(t, 200, s.do("GET", "/project/demo/chat", as(id), "").Code)
	require.Equal(t, 200, s.do("GET", "/project/demo/chat", s.token(wire.AccessTokenRequest{UserID: id}), "").Code)
	refusal(t, s.do("GET", "/project/demo/chat", as(longer), ""), 413, wire.CodePayloadTooLarge, "x-user-id")
	refusal(t, s.create(as(longer), inProject), 413, wire.CodePayloadTooLarge, "x-user-id")
	refusal(t, s.send(as(longer)), 413, wire.CodePayloadTooLarge, "x-user-id")
	refusal(t, s.do("GET", "/project/demo/chat", old, ""), 401, wire.CodeInvalidToken)
	refusal(t, s.do("POST", "/auth/token", asServer().json(), fmt.Sprintf(`{"user_id":%q}`, longer)), 413, wire.CodePayloadTooLarge, "user_id")
	_, err := httpapi.MintToken(s.config, wire.AccessTokenRequest{UserID: longer})
	require.ErrorContains(t, err, "user_id has 21 bytes, want at most 20")

	path := "/agents/assistant/memories/user/" + strings.ReplaceAll(longer, "ä", "%C3%A4")
	require.Contains(t, s.get(asServer(), path), `"m1"`, "what is stored for such a user can be read")
	require.Contains(t, s.do("DELETE", path, asServer(), "").Body.String(), `"deleted":1`)
	refusal(t, s.do("GET", path, as(id), ""), 403, wire.CodePermissionDenied, "user_id")
}

// What was stored before a size limit was set can be read, answered again and deleted.
func TestDataBeyondANewSizeLimitStays(t *testing.T) {
	t.Parallel()
	var config chat.Config
	s := newService(t, func(up *setup) { config = up.chat })
	s.serveChecked()
	keys := fmt.Sprintf(`[%q,%q]`, s.upload(as("ann"), "a.md", "a"), s.upload(as("ann"), "b.md", "b"))
	metadata := `{"a":"far too long"}`
	made := decode[wire.Chat](t, s.create(as("ann"), `{"project_id":"demo","document_keys":`+keys+`,"metadata":`+metadata+`}`))
	ids := fmt.Sprintf(`{"project_id":"demo","chat_id":%q`, made.ChatID)
	sent := decode[wire.SendMessageResponse](t, s.send(as("ann"), field{name: "chat_id", value: made.ChatID},
		field{name: "document_keys", value: keys}, field{name: "request_metadata", value: metadata}))

	config.Store, config.Provider, config.Knowledge = s.store, say(answering.Piece{Text: "Again", FinishReason: wire.FinishStop}), s.config.Knowledge
	config.Limits.DocumentKeys, s.config.Limits.MetadataBytes = 1, 5
	s.config.Chat = chat.New(config)
	s.serveChecked()
	history := decode[wire.ChatHistoryResponse](t, s.do("GET", "/project/demo/chat/"+made.ChatID+"/all", as("ann"), ""))
	require.Equal(t, []wire.JSON{wire.JSON(metadata), wire.JSON(metadata)}, []wire.JSON{history.Metadata, history.Messages[0].Metadata})
	require.Len(t, history.DocumentKeys, 2)
	again := fmt.Sprintf(`%s,"message_id":%q}`, ids, sent.MessageID)
	w := s.do("POST", "/v3/chat/message/regenerate", as("ann").json(), again)
	require.Equal(t, "Again", decode[wire.SendMessageResponse](t, w).Message.Content, w.Body)
	require.Equal(t, 200, s.send(as("ann"), field{name: "chat_id", value: made.ChatID}).Code)
	refusal(t, s.send(as("ann"), field{name: "document_keys", value: keys}), 413, wire.CodePayloadTooLarge, "document_keys")
	require.Equal(t, 200, s.do("DELETE", "/chat/delete", as("ann").json(), ids+`}`).Code)
}

// Reads whose work grows with what is stored count towards one rate, and no others.
func TestReadsAMinute(t *testing.T) {
	t.Parallel()
	var chatID, messageID, key string
	counted := map[string]func(s *service, h headers) *httptest.ResponseRecorder{
		"a history": func(s *service, h headers) *httptest.ResponseRecorder {
			return s.do("GET", "/project/demo/chat/"+chatID+"/all", h, "")
		},
		"all branches": func(s *service, h headers) *httptest.ResponseRecorder {
			return s.do("GET", "/project/demo/chat/"+chatID+"/all?branches=all", h, "")
		},
		"no history": func(s *service, h headers) *httptest.ResponseRecorder {
			return s.do("GET", "/project/demo/chat/none/all", h, "")
		},
		"a head": func(s *service, h headers) *httptest.ResponseRecorder {
			return s.do("HEAD", "/project/demo/chat/"+chatID+"/all", h, "")
		},
		"a document": func(s *service, h headers) *httptest.ResponseRecorder { return s.do("GET", getPath(key), h, "") },
		"a search": func(s *service, h headers) *httptest.ResponseRecorder {
			return s.do("POST", "/v3/project/demo/knowledgebase", h.json(), `{"name_search":"x"}`)
		},
		"a branch": func(s *service, h headers) *httptest.ResponseRecorder {
			return s.do("POST", "/chat/branch", h.json(), fmt.Sprintf(`{"project_id":"demo","chat_id":%q,"message_id":%q}`, chatID, messageID))
		},
	}
	s := start(t, func(up *setup) { up.http.Limits.ReadsPerMinute = len(counted) })
	sent := s.newChat("ann")
	chatID, messageID = sent.ChatID, sent.MessageID
	key = s.upload(as("ann"), "a.txt", "A text")
	s.readDue()
	for name, read := range counted {
		require.Less(t, read(s, as("ann")).Code, 429, name)
	}
	for name, read := range counted {
		w := read(s, as("ann"))
		require.Equal(t, 429, w.Code, name)
		if name != "a head" {
			tooMany(t, w, wire.CodeRateLimited, "9")
		}
	}
	for range 2 * len(counted) {
		for _, target := range []string{
			"/project/demo/chat", "/project/demo/chat/" + chatID + "/message/" + messageID, "/tool-calls", "/tool-calls?status=awaiting",
			"/memory-approvals/pending", "/agents/assistant/memories/user/ann", "/project/demo/agents",
		} {
			require.Equal(t, 200, s.do("GET", target, as("ann"), "").Code, target)
		}
		require.Equal(t, 200, s.do("POST", "/v3/project/demo/knowledgebase", as("ann").json(), `{}`).Code)
	}
	require.Equal(t, 404, counted["a history"](s, as("bob")).Code, "each user has a rate of their own")
	for range counted {
		require.Equal(t, 200, counted["a history"](s, asServer()).Code)
	}
	tooMany(t, counted["a history"](s, asServer()), wire.CodeRateLimited, "9")
	s.now.at = s.now.at.Add(9 * time.Second)
	require.Equal(t, 200, counted["a history"](s, as("ann")).Code)
}
