package httpapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
)

func TestFormsAreRead(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	tests := []struct {
		name   string
		fields []field
		want   wire.Message // the question, without what the service adds
	}{
		{"the least", []field{{name: "message", value: "Hi"}}, wire.Message{Content: "Hi"}},
		{"all", []field{
			{name: "skip_stream", value: "false"}, {name: "request_metadata", value: `{"a": ["\u00e4", null]}`}, {name: "is_test", value: "true"},
			{name: "agent_type", value: "chat_agent"}, {name: "agent_id", value: "clerk"}, {name: "model_name", value: "large"},
			{name: "ignore_chat_history", value: "true"}, {name: "use_knowledgebase", value: "false"}, {name: "google_search", value: "false"},
			{name: "message", value: "Hi"},
		}, wire.Message{Content: "Hi", IsTest: true, Metadata: wire.JSON(`{"a":["ä",null]}`)}},
		{"line ends", []field{{name: "message", value: "a\r\nb\rc\nd\r\r\n\n"}}, wire.Message{Content: "a\nb\nc\nd\n\n\n"}},
		{"unknown fields", []field{{name: "colour", value: "red"}, {name: "colour", value: "\xff"}, {name: "Message", value: "No"}, {name: "photo", value: "\x00", file: "a.png"}, {name: "message", value: "Hi"}}, wire.Message{Content: "Hi"}},
		{"null metadata", []field{{name: "message", value: "Hi"}, {name: "request_metadata", value: "null"}}, wire.Message{Content: "Hi"}},
		{"the longest message", []field{{name: "message", value: strings.Repeat("😀", 1000)}}, wire.Message{Content: strings.Repeat("😀", 1000)}},
		{"the longest message of line ends", []field{{name: "message", value: "a" + strings.Repeat("\r\n", 998) + "b"}}, wire.Message{Content: "a" + strings.Repeat("\n", 998) + "b"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := s.post(as("ann"), form(t, append(test.fields, field{name: "project_id", value: project})...))
			require.Equal(t, http.StatusOK, w.Code, w.Body)
			sent := decode[wire.SendMessageResponse](t, w)
			history := decode[wire.ChatHistoryResponse](t, s.do("GET", "/project/demo/chat/"+sent.ChatID+"/all", as("ann"), ""))
			question := history.Messages[0]
			require.JSONEq(t, orNull(test.want.Metadata), orNull(question.Metadata))
			require.Equal(t, test.want.Content, question.Content)
			require.Equal(t, test.want.IsTest, question.IsTest)
		})
	}
}

func orNull(text wire.JSON) string {
	if text == nil {
		return "null"
	}
	return string(text)
}

func TestFormsThatAreWrong(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	sent := s.newChat("ann")
	before := s.everything()
	message, in := field{name: "message", value: "Hi"}, field{name: "project_id", value: project}
	with := func(name, value string) []field { return []field{message, in, {name: name, value: value}} }
	tests := []struct {
		name   string
		fields []field
		status int
		code   string
		wrong  []string
	}{
		{"no message", []field{in}, 400, wire.CodeValidation, []string{"message"}},
		{"nothing", nil, 400, wire.CodeValidation, []string{"message", "project_id"}},
		{"empty message", []field{in, {name: "message"}}, 400, wire.CodeValidation, []string{"message"}},
		{"blank message", []field{in, {name: "message", value: " \r\n\t "}}, 400, wire.CodeValidation, []string{"message"}},
		{"message too long", []field{in, {name: "message", value: strings.Repeat("a", 1001)}}, 413, wire.CodePayloadTooLarge, []string{"message"}},
		{"message far too long", []field{in, {name: "message", value: strings.Repeat("a", 1<<20)}}, 413, wire.CodePayloadTooLarge, []string{"message"}},
		{"message that is not UTF-8", []field{in, {name: "message", value: "a\xff"}}, 400, wire.CodeValidation, []string{"message"}},
		{"message with a surrogate", []field{in, {name: "message", value: "\xed\xa0\x80"}}, 400, wire.CodeValidation, []string{"message"}},
		{"message with a NUL", []field{in, {name: "message", value: "a\x00"}}, 400, wire.CodeValidation, []string{"message"}},
		{"message in a file", []field{in, {name: "message", value: "Hi", file: "a.txt"}}, 400, wire.CodeValidation, []string{"message"}},
		{"message twice", []field{message, in, message}, 400, wire.CodeValidation, []string{"message"}},
		{"is_test twice", append(with("is_test", "true"), field{name: "is_test", value: "true"}), 400, wire.CodeValidation, []string{"is_test"}},
		{"no project", []field{message}, 400, wire.CodeValidation, []string{"project_id"}},
		{"empty project", []field{message, {name: "project_id"}}, 400, wire.CodeValidation, []string{"project_id"}},
		{"another project", []field{message, {name: "project_id", value: "other"}}, 404, wire.CodeNotFound, nil},
		{"unknown chat", with("chat_id", "chat_x"), 404, wire.CodeNotFound, nil},
		{"another's chat", with("chat_id", sent.ChatID), 404, wire.CodeNotFound, nil},
		{"empty chat", with("chat_id", ""), 400, wire.CodeValidation, []string{"chat_id"}},
		{"unknown agent", with("agent_id", "other"), 404, wire.CodeNotFound, []string{"agent_id"}},
		{"empty agent", with("agent_id", ""), 400, wire.CodeValidation, []string{"agent_id"}},
		{"unknown agent type", with("agent_type", "poet"), 400, wire.CodeValidation, []string{"agent_type"}},
		{"unknown model", with("model_name", "gpt-0"), 400, wire.CodeValidation, []string{"model_name"}},
		{"metadata as a list", with("request_metadata", "[]"), 400, wire.CodeValidation, []string{"request_metadata"}},
		{"metadata as a string", with("request_metadata", `"a"`), 400, wire.CodeValidation, []string{"request_metadata"}},
		{"metadata cut short", with("request_metadata", `{"a":`), 400, wire.CodeValidation, []string{"request_metadata"}},
		{"metadata with something after it", with("request_metadata", `{}{}`), 400, wire.CodeValidation, []string{"request_metadata"}},
		{"metadata that nests", with("request_metadata", `{"a":`+strings.Repeat("[", 1<<15)), 400, wire.CodeValidation, []string{"request_metadata"}},
		{"metadata too deep", with("request_metadata", `{"a":`+strings.Repeat("[", 101)+strings.Repeat("]", 101)+"}"), 400, wire.CodeValidation, []string{"request_metadata"}},
		{"metadata with half a surrogate pair", with("request_metadata", `{"a":"\ud800"}`), 400, wire.CodeValidation, []string{"request_metadata"}},
		{"empty metadata", with("request_metadata", ""), 400, wire.CodeValidation, []string{"request_metadata"}},
		{"unknown documents", with("document_keys", `["a"]`), 404, wire.CodeNotFound, []string{"document_keys"}},
		{"documents as a string", with("document_keys", `"a"`), 400, wire.CodeValidation, []string{"document_keys"}},
		{"documents as an object", with("document_keys", `{}`), 400, wire.CodeValidation, []string{"document_keys"}},
		{"a document that is null", with("document_keys", `[null]`), 400, wire.CodeValidation, []string{"document_keys"}},
		{"documents cut short", with("document_keys", `["a"`), 400, wire.CodeValidation, []string{"document_keys"}},
		{"documents with half a surrogate pair", with("document_keys", `["\ud800"]`), 400, wire.CodeValidation, []string{"document_keys"}},
		{"empty documents", with("document_keys", ""), 400, wire.CodeValidation, []string{"document_keys"}},
		{"empty format instructions", with("format_instructions", ""), 400, wire.CodeValidation, []string{"format_instructions"}},
		{"format instructions without a model", with("format_instructions", "Short."), 400, wire.CodeFeatureDisabled, []string{"format_instructions"}},
		{"an example without a model", with("example_json", "{}"), 400, wire.CodeFeatureDisabled, []string{"example_json"}},
		{"empty example", with("example_json", ""), 400, wire.CodeValidation, []string{"example_json"}},
		{"blank example", with("example_json", " \n"), 400, wire.CodeValidation, []string{"example_json"}},
		{"an example that is a string", with("example_json", `"{}"`), 400, wire.CodeValidation, []string{"example_json"}},
		{"an example that is null", with("example_json", "null"), 400, wire.CodeValidation, []string{"example_json"}},
		{"an example cut short", with("example_json", `{"a": 1`), 400, wire.CodeValidation, []string{"example_json"}},
		{"an example with something after it", with("example_json", `{}[]`), 400, wire.CodeValidation, []string{"example_json"}},
		{"an example too deep", with("example_json", strings.Repeat("[", 101)+strings.Repeat("]", 101)), 400, wire.CodeValidation, []string{"example_json"}},
		{"an example with half a surrogate pair", with("example_json", `["\ud800"]`), 400, wire.CodeValidation, []string{"example_json"}},
		{"web search", with("google_search", "true"), 400, wire.CodeFeatureDisabled, []string{"google_search"}},
		{"invalid booleans", append(with("use_knowledgebase", "1"), field{name: "is_test", value: "True"}, field{name: "google_search", value: ""},
			field{name: "ignore_chat_history", value: "yes"}, field{name: "skip_stream", value: " true"}), 400, wire.CodeValidation,
			[]string{"use_knowledgebase", "is_test", "google_search", "ignore_chat_history", "skip_stream"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := s.post(as("bob").with("accept", "text/event-stream"), form(t, test.fields...))
			refusal(t, w, test.status, test.code, test.wrong...)
			for _, name := range test.wrong {
				if test.status != 400 {
					continue
				}
				require.Contains(t, decode[wire.ErrorBody](t, w).Error.Message, name)
			}
		})
	}
	require.Equal(t, before, s.everything(), "nothing has changed")
}

// An agent that a token does not allow looks like one that does not exist.
func TestAgentsThatATokenDoesNotAllow(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	clerk := s.token(wire.AccessTokenRequest{UserID: "ann", Agents: []string{"clerk"}})
	unknown := s.send(clerk, field{name: "agent_id", value: "nobody"})
	refusal(t, unknown, 404, wire.CodeNotFound, "agent_id")
	require.Equal(t, unknown.Body.String(), s.send(clerk, field{name: "agent_id", value: "assistant"}).Body.String())
	require.Equal(t, "clerk", decode[wire.SendMessageResponse](t, s.send(clerk)).Message.AgentID)
	refusal(t, s.send(s.token(wire.AccessTokenRequest{UserID: "ann", Agents: []string{}})), 404, wire.CodeNotFound, "agent_id")
}

func TestFormsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	before := s.everything()
	right := form(t, field{name: "message", value: "Hi"}, field{name: "project_id", value: project})
	tests := []struct {
		name, contentType string
		text              string
		status            int
		code              string
	}{
		{"no content type", "", right.text, 415, wire.CodeUnsupportedMedia},
		{"JSON", "application/json", `{"message":"Hi","project_id":"demo"}`, 415, wire.CodeUnsupportedMedia},
		{"another form", "application/x-www-form-urlencoded", "message=Hi&project_id=demo", 415, wire.CodeUnsupportedMedia},
		{"mixed parts", "multipart/mixed; boundary=border", right.text, 415, wire.CodeUnsupportedMedia},
		{"another charset", right.contentType + "; charset=latin1", right.text, 415, wire.CodeUnsupportedMedia},
		{"no boundary", "multipart/form-data", right.text, 400, wire.CodeValidation},
		{"another boundary", "multipart/form-data; boundary=other", right.text, 400, wire.CodeValidation},
		{"empty", right.contentType, "", 400, wire.CodeValidation},
		{"without its end", right.contentType, strings.TrimSuffix(right.text, "--border--\r\n"), 400, wire.CodeValidation},
		{"a part without an end to its headers", right.contentType, "--border\r\nContent-Disposition: form-data; name=\"message\"\r\n", 400, wire.CodeValidation},
		{"endless headers", right.contentType, "--border\r\n" + strings.Repeat("A: b\r\n", 20000), 413, wire.CodePayloadTooLarge},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := as("ann")
			if test.contentType != "" {
				h = h.with("content-type", test.contentType)
			}
			w := s.do("POST", "/v3/chat/message", h, test.text)
			got := decode[wire.ErrorBody](t, w)
			if test.code == wire.CodePayloadTooLarge {
				require.Contains(t, []int{400, 413}, w.Code)
				return
			}
			require.Equal(t, test.status, w.Code, got)
			require.Equal(t, test.code, got.Error.Code)
		})
	}
	for cut := range len(right.text) - len("\r\n") {
		w := s.do("POST", "/v3/chat/message", as("ann").with("content-type", right.contentType), right.text[:cut])
		require.Equal(t, 400, w.Code, "cut after %d bytes", cut)
	}
	broken := httptest.NewRequest("POST", "/v3/chat/message", io.MultiReader(strings.NewReader(right.text), failingReader{}))
	broken.Header.Set("Content-Type", right.contentType)
	refusal(t, s.serve(broken, as("ann")), 400, wire.CodeValidation)
	require.Equal(t, before, s.everything(), "nothing has changed")
}

// failingReader is a connection that breaks.
type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestFormsHaveALimit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		json        int64
		characters  int
		size        int
		want        int
		wantMessage string
	}{
		{"within", 1000, 1000, 60 << 10, 200, ""},
		{"over", 1000, 1000, 80 << 10, 413, ""},
		{"without a limit for JSON", 0, 1000, 8 << 20, 200, ""},
		{"without a limit for messages", 1000, 0, 8 << 20, 200, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, func(up *setup) {
				up.http.Limits.JSONBytes, up.http.Limits.MessageCharacters = test.json, test.characters
			})
			w := s.send(as("ann"), field{name: "filler", value: strings.Repeat("a", test.size)})
			require.Equal(t, test.want, w.Code, w.Body)
		})
	}
}

func TestSendsAreLimited(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) { up.chat.Limits.SendsPerMinute = 7 })
	for range 7 {
		require.Equal(t, 200, s.send(as("ann")).Code)
	}
	before := s.everything()
	w := s.send(as("ann"))
	refusal(t, w, 429, wire.CodeRateLimited)
	require.Equal(t, "9", w.Header().Get("Retry-After"), "60 s / 7, rounded up")
	require.Equal(t, before, s.everything(), "nothing has changed")
	require.Equal(t, 200, s.send(as("bob")).Code, "each user has their own limit")
}

// Every input gets one of the described answers, and every accepted input was a form with a
// message.
func FuzzForm(f *testing.F) {
	whole := form(f, field{name: "message", value: "Hi\r\n"}, field{name: "project_id", value: project}, field{name: "is_test", value: "true"})
	f.Add(whole.text)
	f.Add(form(f, field{name: "images", value: "x", file: "a.png"}).text)
	f.Add(form(f, field{name: "message", value: "\xff"}, field{name: "message", value: ""}).text)
	f.Add(form(f, field{name: "project_id", value: project}, field{name: "message", value: "Hi"}, field{name: "request_metadata", value: `{"a":[{}]}`}).text)
	f.Add(whole.text[:40])
	f.Add("--border\nContent-Disposition: form-data; name=message\n\nHi\n--border--")
	f.Add("--border\r\nContent-Disposition: form-data; name=message\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=48=69=\r\n--border--\r\n")
	s, right := fuzzed(f)
	f.Fuzz(func(t *testing.T, text string) {
		before := s.count(t)
		w := s.do("POST", "/v3/chat/message", as("ann").with("content-type", whole.contentType), text)
		right(t)
		if w.Code != http.StatusOK {
			require.Contains(t, []int{400, 404, 413}, w.Code)
			require.Equal(t, before, s.count(t))
			return
		}
		sent := decode[wire.SendMessageResponse](t, w)
		history, err := s.chat.ChatHistory(t.Context(), access.Caller{Scope: access.Scope{ProjectID: project}}, sent.ChatID)
		require.NoError(t, err)
		content := history.Messages[0].Content
		require.True(t, utf8.ValidString(content))
		require.NotEmpty(t, strings.TrimSpace(content))
		require.NotContains(t, content, "\r")
		if metadata := history.Messages[0].Metadata; metadata != nil {
			require.True(t, json.Valid(metadata))
		}
		w = s.do("DELETE", "/chat/delete", as("ann").json(), fmt.Sprintf(`{"project_id":"demo","chat_id":%q}`, sent.ChatID))
		require.Equal(t, http.StatusOK, w.Code)
	})
}
