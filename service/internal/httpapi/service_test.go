package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/apitest"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite/sqlitetest"
)

const (
	project = "demo"
	key     = "key"
	secret  = "a secret of at least thirty-two bytes"
	older   = "another secret of more than that much"
)

// noon is what the clock shows.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// service is the whole service in a test, on a real database, with a scripted
// model. Each of its answers is checked against openapi.yaml.
type service struct {
	http.Handler
	t     testing.TB
	store *sqlite.Store
	chat  *chat.Service
	// now is what its clock shows.
	now *clock
	log *logbook
	// config is what the handler was made with.
	config httpapi.Config
}

// setup is what a test changes before it starts a service.
type setup struct {
	http   httpapi.Config
	chat   chat.Config
	memory memory.Config
	// knowledge reads in this process, and when a test says so.
	knowledge knowledge.Config
	provider  script
}

// script is a scripted model.
type script func(ctx context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error]

// Answer plays the script.
func (s script) Answer(ctx context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
	return s(ctx, prompt)
}

// say is a model that says the same to everything.
func say(pieces ...answering.Piece) script {
	return func(context.Context, answering.Prompt) iter.Seq2[answering.Piece, error] {
		return func(yield func(answering.Piece, error) bool) {
			for _, piece := range pieces {
				if !yield(piece, nil) {
					return
				}
			}
		}
	}
}

// failing is a model that says a word and fails.
func failing(err error) script {
	return func(context.Context, answering.Prompt) iter.Seq2[answering.Piece, error] {
		return func(yield func(answering.Piece, error) bool) {
			if yield(answering.Piece{Text: "Well"}, nil) {
				yield(answering.Piece{}, err)
			}
		}
	}
}

// start starts a service and checks each of its answers.
func start(t testing.TB, change func(*setup)) *service {
	s := newService(t, change)
	s.serveChecked()
	return s
}

// serveChecked serves what config says.
func (s *service) serveChecked() { s.Handler = apitest.Handler(s.t, httpapi.New(s.config)) }

func newService(t testing.TB, change func(*setup)) *service {
	s := &service{t: t, log: &logbook{}, now: &clock{noon}}
	logger := slog.New(slog.NewJSONHandler(s.log, nil))
	set := httpapi.NewMetrics()
	up := setup{
		http: httpapi.Config{
			ProjectID: project, APIKey: key, APISecrets: []string{secret, older}, Version: "test",
			Limits: httpapi.Limits{JSONBytes: 64 << 10, MessageCharacters: 1000, DocumentBytes: 64 << 10},
			Log:    logger, Now: s.now.read, Metrics: set,
		},
		chat: chat.Config{
			Agents: []answering.Agent{{ID: "assistant", Name: "Assistant"}, {ID: "clerk", Name: "Clerk", Model: "small"}},
			Model:  "large", Limits: chat.Limits{MessageCharacters: 1000, NameCharacters: 200},
			Log: logger, Now: s.now.read, Ended: httpapi.CountAnswers(set), Called: httpapi.CountCalls(set),
		},
		memory: memory.Config{
			Detector: memory.Embedded{}, Agents: []string{"assistant", "clerk"}, HashKey: memory.HashKey("a key for hashes"), Log: logger, Now: s.now.read,
		},
		knowledge: knowledge.Config{
			Reader: inProcess{}, Agents: []knowledge.Agent{{ID: "assistant"}, {ID: "clerk", Documents: []string{}}},
			Bytes: 64 << 10, Log: logger, Now: s.now.read,
		},
		provider: say(answering.Piece{Text: "Hello "}, answering.Piece{Text: "you", FinishReason: wire.FinishStop}),
	}
	if change != nil {
		change(&up)
	}
	store, err := sqlite.Open(context.Background(), sqlitetest.File(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	if up.memory.Store == nil {
		up.memory.Store = store
	}
	up.http.Memory = memory.New(up.memory)
	up.chat.Store, up.chat.Provider, up.chat.Memory = store, up.provider, up.http.Memory
	up.knowledge.Store = store
	up.http.Knowledge = knowledge.New(up.knowledge)
	up.chat.Knowledge = up.http.Knowledge
	s.store, s.chat = store, chat.New(up.chat)
	t.Cleanup(func() { s.chat.Close(cancelled()) })
	up.http.Chat = s.chat
	s.config = up.http
	return s
}

// clock is what tells the time in a service. Nothing may run while it is set.
type clock struct{ at time.Time }

func (c *clock) read() time.Time { return c.at }

func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// headers of a request, by name.
type headers map[string]string

// asServer returns the headers of the project's administrator, and as those of a user.
func asServer() headers { return headers{"x-api-key": key, "x-api-secret": secret} }
func as(user string) headers {
	return headers{"x-api-key": key, "x-api-secret": secret, "x-user-id": user}
}
func bearer(t string) headers   { return headers{"authorization": "Bearer " + t} }
func (h headers) json() headers { return h.with("content-type", "application/json") }

func (h headers) with(name, value string) headers {
	more := headers{name: value}
	for name, value := range h {
		if _, set := more[name]; !set {
			more[name] = value
		}
	}
	return more
}

// do serves one request.
func (s *service) do(method, target string, h headers, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	return s.serve(r, h)
}

func (s *service) serve(r *http.Request, h headers) *httptest.ResponseRecorder {
	for name, value := range h {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// field is a form field; if it is a file, file is the file's name.
type field struct{ name, value, file string }

// send posts a message to the project, with more fields.
func (s *service) send(h headers, fields ...field) *httptest.ResponseRecorder {
	return s.post(h, form(s.t, append([]field{{name: "message", value: "Hi"}, {name: "project_id", value: project}}, fields...)...))
}

func (s *service) post(h headers, form body) *httptest.ResponseRecorder {
	return s.do("POST", "/v3/chat/message", h.with("content-type", form.contentType), form.text)
}

// body is a request's body with its type.
type body struct{ text, contentType string }

func form(t testing.TB, fields ...field) body {
	var text bytes.Buffer
	w := multipart.NewWriter(&text)
	require.NoError(t, w.SetBoundary("border"))
	for _, field := range fields {
		var part io.Writer
		var err error
		if field.file == "" {
			part, err = w.CreateFormField(field.name)
		} else {
			part, err = w.CreateFormFile(field.name, field.file)
		}
		require.NoError(t, err)
		_, err = io.WriteString(part, field.value)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return body{text.String(), w.FormDataContentType()}
}

// newChat makes a chat for a user, with a question and its answer.
func (s *service) newChat(user string) wire.SendMessageResponse {
	w := s.send(as(user))
	require.Equal(s.t, http.StatusOK, w.Code, w.Body)
	return decode[wire.SendMessageResponse](s.t, w)
}

func decode[T any](t testing.TB, w *httptest.ResponseRecorder) (value T) {
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &value), w.Body.String())
	return value
}

// refusal requires an answer to be an error. For a 404 the fields may be left out:
// TestWhatWasNotFound has them all.
func refusal(t testing.TB, w *httptest.ResponseRecorder, status int, code string, fields ...string) {
	t.Helper()
	got := decode[wire.ErrorBody](t, w)
	require.Equal(t, status, w.Code, got)
	require.Equal(t, code, got.Error.Code, got)
	if status != http.StatusNotFound || len(fields) > 0 {
		require.ElementsMatch(t, fields, got.Error.InvalidFields, got)
	}
}

// everything returns all that is stored.
func (s *service) everything() string {
	scope := access.Scope{ProjectID: project}
	page, err := s.store.ListChats(context.Background(), scope, 0, 100)
	require.NoError(s.t, err)
	require.False(s.t, page.HasMore, "more chats than the comparison reads")
	all := []any{page}
	for _, one := range page.Chats {
		history, err := s.store.ChatHistory(context.Background(), scope, one.ChatID)
		require.NoError(s.t, err)
		all = append(all, history)
	}
	memories, _, err := s.store.Memories(context.Background(), memory.Query{ProjectID: project})
	require.NoError(s.t, err)
	all = append(all, memories)
	for _, agent := range []string{"assistant", "clerk"} {
		settings, err := s.store.MemorySettings(context.Background(), project, agent)
		require.NoError(s.t, err)
		all = append(all, settings)
	}
	text, err := json.Marshal(all)
	require.NoError(s.t, err)
	return string(text)
}

// token makes an access token.
func (s *service) token(request wire.AccessTokenRequest) headers {
	token, err := httpapi.MintToken(s.config, request)
	require.NoError(s.t, err)
	return bearer(token.AccessToken)
}

// faults collects what is wrong with answers while fuzzing, when the test that started the service
// must not be failed from inside the fuzz target.
type faults struct {
	testing.TB
	all []string
}

// Errorf notes a fault.
func (f *faults) Errorf(format string, values ...any) {
	f.all = append(f.all, fmt.Sprintf(format, values...))
}

// fuzzed starts a service for a fuzz test, and returns a function that
// requires all of its answers so far to be right.
func fuzzed(f *testing.F) (*service, func(*testing.T)) {
	s := newService(f, func(up *setup) { up.http.Limits = httpapi.Limits{JSONBytes: 1000, MessageCharacters: 100} })
	found := &faults{TB: f}
	s.Handler = apitest.Handler(found, httpapi.New(s.config))
	return s, func(t *testing.T) { require.Empty(t, found.all) }
}

// count is how many chats there are.
func (s *service) count(t *testing.T) int {
	page, err := s.store.ListChats(context.Background(), access.Scope{ProjectID: project}, 0, 100)
	require.NoError(t, err)
	return len(page.Chats)
}
