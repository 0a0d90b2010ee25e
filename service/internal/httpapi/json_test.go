package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// jsonRoutes are the routes that take a JSON body from a user, each with a body that is right
// except for the ids.
func jsonRoutes(chatID, messageID string) map[string]struct{ method, right string } {
	ids := fmt.Sprintf(`"project_id":"demo","chat_id":%q`, chatID)
	return map[string]struct{ method, right string }{
		"/chat/create":                {"POST", `{"project_id":"demo","name":"New"}`},
		"/chat/delete":                {"DELETE", `{` + ids + `}`},
		"/chat/update/name":           {"POST", `{` + ids + `,"title":"New"}`},
		"/chat/message/user/feedback": {"POST", `{` + ids + fmt.Sprintf(`,"message_id":%q,"user_feedback":true}`, messageID)},
	}
}

func TestBodiesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) { up.http.Limits.JSONBytes = 2 << 20 })
	sent := s.newChat("ann")
	before := s.everything()
	tests := []struct {
		name string
		// body turns a right body into a wrong one.
		body   func(right string) string
		fields []string
	}{
		{"empty", func(string) string { return "" }, nil},
		{"blank", func(string) string { return " \n" }, nil},
		{"cut short", func(right string) string { return right[:len(right)-1] }, nil},
		{"cut inside a value", func(string) string { return `{"project_id":"de` }, []string{"project_id"}},
		{"cut after a name", func(string) string { return `{"project_id"` }, []string{"project_id"}},
		{"something after it", func(right string) string { return right + "{}" }, nil},
		{"a bracket after it", func(right string) string { return right + "}" }, nil},
		{"a NUL after it", func(right string) string { return right + "\x00" }, nil},
		{"byte order mark", func(right string) string { return "\ufeff" + right }, nil},
		{"list", func(right string) string { return "[" + right + "]" }, nil},
		{"null", func(string) string { return "null" }, nil},
		{"string", func(string) string { return `"project_id"` }, nil},
		{"form", func(string) string { return "project_id=demo" }, nil},
		{"comma at the end", func(right string) string { return right[:len(right)-1] + ",}" }, nil},
		{"comment", func(right string) string { return "/**/" + right }, nil},
		{"name without quotes", func(string) string { return `{project_id:"demo"}` }, nil},
		{"invalid UTF-8", func(right string) string { return strings.Replace(right, "demo", "dem\xff", 1) }, nil},
		{"invalid UTF-8 in an unknown field", func(right string) string { return `{"x":"` + "\xc3\x28" + `",` + right[1:] }, nil},
		{"line end in a string", func(right string) string { return strings.Replace(right, "demo", "de\nmo", 1) }, []string{"project_id"}},
		{"half a surrogate pair", func(right string) string { return strings.Replace(right, "demo", `\ud83d`, 1) }, []string{"project_id"}},
		{"the other half", func(right string) string { return strings.Replace(right, "demo", `\ude00`, 1) }, []string{"project_id"}},
		{"two first halves", func(right string) string { return strings.Replace(right, "demo", `\ud83d\ud83d`, 1) }, []string{"project_id"}},
		{"NUL in a string", func(right string) string { return strings.Replace(right, "demo", `demo\u0000`, 1) }, []string{"project_id"}},
		{"a field twice", func(right string) string { return `{"project_id":"demo",` + right[1:] }, []string{"project_id"}},
		{"a field twice, escaped once", func(right string) string { return `{"project\u005fid":"demo",` + right[1:] }, []string{"project_id"}},
		{"1 MiB of lists", func(right string) string { return strings.Repeat("[", 1<<20) }, nil},
		{"1 MiB of lists in a field", func(right string) string {
			return `{"x":` + strings.Repeat("[", 1<<19) + strings.Repeat("]", 1<<19) + "," + right[1:]
		}, []string{"x"}},
		{"1 MiB of objects in a field", func(right string) string { return `{"metadata":` + strings.Repeat(`{"a":`, 1<<20/5) }, []string{"metadata"}},
		{"101 levels", func(right string) string {
			return `{"x":` + strings.Repeat("[", 101) + strings.Repeat("]", 101) + "," + right[1:]
		}, []string{"x"}},
		{"project as a number", func(right string) string { return strings.Replace(right, `"demo"`, "1", 1) }, []string{"project_id"}},
		{"project as a list", func(right string) string { return strings.Replace(right, `"demo"`, `["demo"]`, 1) }, []string{"project_id"}},
		{"project null", func(right string) string { return strings.Replace(right, `"demo"`, "null", 1) }, []string{"project_id"}},
		{"project empty", func(right string) string { return strings.Replace(right, "demo", "", 1) }, []string{"project_id"}},
		{"project in capitals", func(right string) string { return strings.Replace(right, "project_id", "Project_ID", 1) }, []string{"project_id"}},
	}
	for path, route := range jsonRoutes(sent.ChatID, sent.MessageID) {
		for _, test := range tests {
			t.Run(path+": "+test.name, func(t *testing.T) {
				w := s.do(route.method, path, as("ann").json(), test.body(route.right))
				refusal(t, w, 400, wire.CodeValidation, test.fields...)
			})
		}
	}
	require.Equal(t, before, s.everything(), "nothing has changed")
}

func TestFieldsThatAreWrong(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	sent := s.newChat("ann")
	before := s.everything()
	ids := fmt.Sprintf(`"project_id":"demo","chat_id":%q`, sent.ChatID)
	tests := []struct {
		name, method, path, body string
		status                   int
		code                     string
		fields                   []string
	}{
		{"create, name as a number", "POST", "/chat/create", `{"project_id":"demo","name":7}`, 400, wire.CodeValidation, []string{"name"}},
		{"create, all wrong", "POST", "/chat/create", `{"project_id":{},"name":true,"document_keys":"a","metadata":[]}`, 400, wire.CodeValidation, []string{"project_id", "name", "document_keys", "metadata"}},
		{"create, a null document", "POST", "/chat/create", `{"project_id":"demo","document_keys":["a",null]}`, 400, wire.CodeValidation, []string{"document_keys"}},
		{"create, metadata as a string", "POST", "/chat/create", `{"project_id":"demo","metadata":"{}"}`, 400, wire.CodeValidation, []string{"metadata"}},
		{"create, name too long", "POST", "/chat/create", `{"project_id":"demo","name":"` + strings.Repeat("ä", 201) + `"}`, 413, wire.CodePayloadTooLarge, []string{"name"}},
		{"create, another project", "POST", "/chat/create", `{"project_id":"other"}`, 404, wire.CodeNotFound, nil},
		{"delete, no chat", "DELETE", "/chat/delete", `{"project_id":"demo"}`, 400, wire.CodeValidation, []string{"chat_id"}},
		{"delete, empty chat", "DELETE", "/chat/delete", `{"project_id":"demo","chat_id":""}`, 400, wire.CodeValidation, []string{"chat_id"}},
		{"delete, nothing", "DELETE", "/chat/delete", `{}`, 400, wire.CodeValidation, []string{"project_id", "chat_id"}},
		{"rename, no title", "POST", "/chat/update/name", `{` + ids + `}`, 400, wire.CodeValidation, []string{"title"}},
		{"rename, null title", "POST", "/chat/update/name", `{` + ids + `,"title":null}`, 400, wire.CodeValidation, []string{"title"}},
		{"rename, title as a list", "POST", "/chat/update/name", `{` + ids + `,"title":["a"]}`, 400, wire.CodeValidation, []string{"title"}},
		{"rename, title too long", "POST", "/chat/update/name", `{` + ids + `,"title":"` + strings.Repeat("a", 201) + `"}`, 413, wire.CodePayloadTooLarge, []string{"title"}},
		{"rename, title with a NUL", "POST", "/chat/update/name", `{` + ids + `,"title":"a\u0000"}`, 400, wire.CodeValidation, []string{"title"}},
		{"feedback, none", "POST", "/chat/message/user/feedback", `{` + ids + `,"message_id":"m"}`, 400, wire.CodeValidation, []string{"user_feedback"}},
		{"feedback as a string", "POST", "/chat/message/user/feedback", `{` + ids + `,"message_id":"m","user_feedback":"true"}`, 400, wire.CodeValidation, []string{"user_feedback"}},
		{"feedback as a number", "POST", "/chat/message/user/feedback", `{` + ids + `,"message_id":"m","user_feedback":1}`, 400, wire.CodeValidation, []string{"user_feedback"}},
		{"feedback, empty message", "POST", "/chat/message/user/feedback", `{` + ids + `,"message_id":"","user_feedback":true}`, 400, wire.CodeValidation, []string{"message_id"}},
		{"feedback, unknown message", "POST", "/chat/message/user/feedback", `{` + ids + `,"message_id":"m","user_feedback":true}`, 404, wire.CodeNotFound, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			refusal(t, s.do(test.method, test.path, as("ann").json(), test.body), test.status, test.code, test.fields...)
		})
	}
	require.Equal(t, before, s.everything(), "nothing has changed")
}

func TestBodiesOfAnotherType(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	sent := s.newChat("ann")
	before := s.everything()
	for path, route := range jsonRoutes(sent.ChatID, sent.MessageID) {
		for _, contentType := range []string{
			"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", "application/json; charset=latin1",
			"application/json; charset=utf-16", "application/jsonx", "application/*", "json", "application/json;;", "application/json, application/json",
		} {
			w := s.do(route.method, path, as("ann").with("content-type", contentType), route.right)
			refusal(t, w, 415, wire.CodeUnsupportedMedia)
		}
		refusal(t, s.do(route.method, path, as("ann"), route.right), 415, wire.CodeUnsupportedMedia)
		refusal(t, s.do(route.method, path, as("ann").json().with("content-encoding", "gzip"), route.right), 415, wire.CodeUnsupportedMedia)
	}
	require.Equal(t, before, s.everything(), "nothing has changed")
	for _, contentType := range []string{"application/json; charset=utf-8", `application/json;charset="UTF-8"`, "Application/JSON", "application/json; v=1"} {
		w := s.do("POST", "/chat/create", as("ann").with("content-type", contentType), `{"project_id":"demo"}`)
		require.Equal(t, http.StatusOK, w.Code, contentType)
	}
}

func TestBodiesThatAreTooLarge(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) { up.http.Limits.JSONBytes = 100 })
	const frame = `{"project_id":"demo","x":""}`
	fill := func(size int) string {
		return strings.Replace(frame, `""`, `"`+strings.Repeat("a", size-len(frame))+`"`, 1)
	}
	require.Equal(t, 200, s.do("POST", "/chat/create", as("ann").json(), fill(100)).Code)
	before := s.everything()
	refusal(t, s.do("POST", "/chat/create", as("ann").json(), fill(101)), 413, wire.CodePayloadTooLarge)
	refusal(t, s.do("POST", "/chat/create", as("ann").json(), fill(1<<20)), 413, wire.CodePayloadTooLarge)
	require.Equal(t, before, s.everything(), "nothing has changed")

	open := start(t, func(up *setup) { up.http.Limits.JSONBytes = 0 })
	require.Equal(t, 200, open.do("POST", "/chat/create", as("ann").json(), fill(4<<20)).Code, "0 means no limit")
}

// Every input gets one of the described answers (the service's answers are checked), and only a
// valid request in JSON changes anything.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"project_id":"demo","name":"A","document_keys":["a"],"metadata":{"a":[1,"\ud83d\ude00"]}}`, `{"project_id":"demo"`, `{"a":[[[{}]]],"a":1}`,
		`{"project_id":"\u0000\ud800"}`, "\ufeff{}", `{"project_id":"demo"}x`, `{"project_id":"demo","name":"\\\"]"}`, `{"":1e400,"project_id":null}`,
	} {
		f.Add(seed)
	}
	s, right := fuzzed(f)
	f.Fuzz(func(t *testing.T, body string) {
		before := s.count(t)
		w := s.do("POST", "/chat/create", as("ann").json(), body)
		right(t)
		if w.Code != http.StatusOK {
			require.Contains(t, []int{400, 404, 413}, w.Code)
			require.Equal(t, before, s.count(t))
			return
		}
		require.True(t, json.Valid([]byte(body)) && utf8.ValidString(body), "what was accepted is JSON")
		created := decode[wire.Chat](t, w)
		w = s.do("DELETE", "/chat/delete", as("ann").json(), fmt.Sprintf(`{"project_id":"demo","chat_id":%q}`, created.ChatID))
		require.Equal(t, http.StatusOK, w.Code)
		right(t)
	})
}
