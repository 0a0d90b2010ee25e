package chat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite/sqlitetest"
)

// The callers in the tests.
var (
	ann   = user("ann")
	bob   = user("bob")
	alien = access.Caller{Scope: access.Scope{ProjectID: "elsewhere", UserID: "ann"}}
	admin = user("") // an API key without a user
)

func user(id string) access.Caller {
	return access.Caller{Scope: access.Scope{ProjectID: "project", UserID: id}}
}

// noon is the clock's first time.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// service is a chat.Service on a real database with a scripted model.
type service struct {
	*chat.Service
	t      *testing.T
	store  chat.Store
	clock  *clock
	log    *logbook
	ended  *outcomes
	config chat.Config
}

// start starts a service that is closed with the test.
func start(t *testing.T, model answering.Provider, changes ...func(*chat.Config)) *service {
	t.Helper()
	s := &service{t: t, clock: &clock{now: noon}, log: &logbook{}, ended: &outcomes{}}
	s.config = chat.Config{
		Store: openStore(t), Provider: model, Agents: []answering.Agent{{ID: "assistant", Name: "Assistant"}},
		Log: slog.New(slog.NewTextHandler(s.log, nil)), Now: s.clock.Now, Ended: s.ended.add,
	}
	for _, change := range changes {
		change(&s.config)
	}
	s.store = s.config.Store
	s.Service = chat.New(s.config)
	t.Cleanup(func() { s.Close(cancelled()) })
	return s
}

func openStore(t *testing.T) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), sqlitetest.File(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// agents changes the agents of a service.
func agents(all ...answering.Agent) func(*chat.Config) {
	return func(c *chat.Config) { c.Agents = all }
}

// limits changes the limits of a service.
func limits(l chat.Limits) func(*chat.Config) {
	return func(c *chat.Config) { c.Limits = l }
}

// send sends a message that is accepted.
func (s *service) send(caller access.Caller, send chat.Send) *chat.Stream {
	s.t.Helper()
	stream, err := s.Send(s.t.Context(), caller, send)
	require.NoError(s.t, err)
	return stream
}

// ask sends a message and waits for its answer.
func (s *service) ask(caller access.Caller, send chat.Send) wire.SendMessageResponse {
	s.t.Helper()
	response, err := s.send(caller, send).Response(s.t.Context())
	require.NoError(s.t, err)
	return response
}

// refused sends a message that is refused, and requires that nothing of it is
// stored.
func (s *service) refused(caller access.Caller, send chat.Send) error {
	s.t.Helper()
	before := s.everything()
	stream, err := s.Send(s.t.Context(), caller, send)
	require.Error(s.t, err)
	require.Nil(s.t, stream)
	require.Equal(s.t, before, s.everything(), "a refusal stores nothing")
	return err
}

// history is a chat with its messages, as its project's administrator has it.
func (s *service) history(chatID string) wire.ChatHistoryResponse {
	s.t.Helper()
	history, err := s.ChatHistory(s.t.Context(), admin, chatID)
	require.NoError(s.t, err)
	return history
}

// everything is all that the project shows.
func (s *service) everything() string {
	s.t.Helper()
	page, err := s.ListChats(s.t.Context(), admin, 0, 100)
	require.NoError(s.t, err)
	all := []any{page}
	for _, one := range page.Chats {
		all = append(all, s.history(one.ChatID))
	}
	text, err := json.Marshal(all)
	require.NoError(s.t, err)
	return string(text)
}

// requireError requires an error to be a fault.Error with this code and these
// fields, and returns it.
func requireError(t *testing.T, err error, code string, fields ...string) *fault.Error {
	t.Helper()
	var known *fault.Error
	require.ErrorAs(t, err, &known)
	require.Equal(t, code, known.Code, known)
	require.ElementsMatch(t, fields, known.Fields, known)
	return known
}

func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// clock shows the time that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// logbook holds the logged lines.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// outcomes are the arguments of the calls of Config.Ended.
type outcomes struct {
	mu  sync.Mutex
	all []string
}

func (o *outcomes) add(outcome string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, outcome)
}

func (o *outcomes) list() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string{}, o.all...)
}
