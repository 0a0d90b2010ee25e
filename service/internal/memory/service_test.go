package memory_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite/sqlitetest"
)

// The callers in the tests.
var (
	ann     = user("ann")
	bob     = user("bob")
	apiKey  = access.Caller{Scope: access.Scope{ProjectID: "project"}}
	review  = access.Caller{Scope: access.Scope{ProjectID: "project", UserID: "eve"}, Admin: true, Agents: []string{"assistant"}}
	noAgent = access.Caller{Scope: access.Scope{ProjectID: "project", UserID: "ann"}, Agents: []string{}}
	alien   = access.Caller{Scope: access.Scope{ProjectID: "elsewhere", UserID: "ann"}, Admin: true}
)

func user(id string) access.Caller {
	return access.Caller{Scope: access.Scope{ProjectID: "project", UserID: id}}
}

// noon is the clock's first time.
const noon = 1_795_176_000.0

// service is a memory.Service on a real database.
type service struct {
	*memory.Service
	t     testing.TB
	store *sqlite.Store
	clock *clock
	log   *logbook
	turns int
}

func start(t testing.TB, detector memory.Detector, changes ...func(*memory.Config)) *service {
	t.Helper()
	store, err := sqlite.Open(t.Context(), sqlitetest.File(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	on := true
	s := &service{t: t, store: store, clock: &clock{now: time.Unix(noon, 0)}, log: &logbook{}}
	config := memory.Config{
		Store: store, Detector: detector, Agents: []string{"assistant", "other"}, HashKey: key,
		Defaults: map[string]wire.MemorySettings{"assistant": {MemoryEnabled: &on}, "other": {MemoryEnabled: &on}},
		Log:      slog.New(slog.NewTextHandler(s.log, nil)), Now: s.clock.Now,
	}
	for _, change := range changes {
		change(&config)
	}
	s.Service = memory.New(config)
	return s
}

// tell queues a message of a user in a separate chat, and returns the ids of
// both.
func (s *service) tell(userID, agentID, message string) (chatID, messageID string) {
	s.t.Helper()
	s.turns++
	name := fmt.Sprint(s.turns)
	chatID, messageID = "chat"+name, "msg"+name
	_, enabled := s.Examines(agentID, message)
	require.NoError(s.t, s.store.BeginTurn(s.t.Context(), access.Scope{ProjectID: "project", UserID: userID}, chat.Turn{
		NewChat: &wire.Chat{ChatID: chatID, Name: chat.Untitled}, StreamID: "s" + name,
		Question: wire.Message{ID: messageID, ChatID: chatID, Role: wire.RoleUser, Content: message},
		Answer:   wire.Message{ID: "a" + name, ChatID: chatID, Role: wire.RoleAssistant},
		Events:   []chat.Event{{Type: wire.EventStart, Data: []byte("{}")}, {Type: wire.EventChunk, Data: []byte(`{"text":"x"}`)}},
		Examine:  &chat.Examine{AgentID: agentID, Enabled: enabled},
	}))
	return chatID, messageID
}

// learn has a user's message to the assistant examined, and returns the agent's
// memories of the user, newest first.
func (s *service) learn(userID, message string) []wire.Memory {
	s.t.Helper()
	s.tell(userID, "assistant", message)
	require.NoError(s.t, s.WorkOff(s.t.Context()))
	return s.of(userID)
}

func (s *service) of(userID string) []wire.Memory {
	s.t.Helper()
	list, _, err := s.List(s.t.Context(), user(userID), "assistant", memory.Filter{})
	require.NoError(s.t, err)
	return list
}

func (s *service) backlog() int {
	s.t.Helper()
	count, err := s.Backlog(s.t.Context())
	require.NoError(s.t, err)
	return count
}

func (s *service) set(settings wire.MemorySettings) {
	s.t.Helper()
	_, err := s.UpdateSettings(s.t.Context(), apiKey, "assistant", settings)
	require.NoError(s.t, err)
}

func to[T any](value T) *T { return &value }

// says finds each whole message as a fact.
type says struct{}

func (says) Detect(_ context.Context, message string, _ []string) ([]memory.Finding, error) {
	return []memory.Finding{{Type: wire.MemoryFact, Content: message, Confidence: 0.8, Start: 0, End: len(message)}}, nil
}

// asUser is a Detector that makes "User has a cat" of "I have a cat".
type asUser struct{}

func (asUser) Detect(_ context.Context, message string, _ []string) ([]memory.Finding, error) {
	content := strings.NewReplacer("I have", "User has", "I live", "User lives").Replace(message)
	return []memory.Finding{{Type: wire.MemoryFact, Content: content, Confidence: 0.8, Start: 0, End: len(message)}}, nil
}

// detects is a function as a Detector.
type detects func(ctx context.Context, message string) ([]memory.Finding, error)

func (d detects) Detect(ctx context.Context, message string, _ []string) ([]memory.Finding, error) {
	return d(ctx, message)
}

// contents are the statements of memories.
func contents(memories []wire.Memory) []string {
	list := []string{}
	for _, one := range memories {
		list = append(list, one.MemoryContent)
	}
	return list
}

func TestSettingsHaveDefaults(t *testing.T) {
	t.Parallel()
	none := func(c *memory.Config) { c.Defaults = nil }
	s := start(t, says{}, none)
	settings, err := s.Settings(t.Context(), ann, "assistant")
	require.NoError(t, err)
	want := wire.MemorySettings{
		MemoryEnabled: to(false), MaxMemories: to(50), AutoApprove: to(false),
		MemoryTypes: []string{wire.MemoryPreference, wire.MemoryFact, wire.MemoryContext},
	}
	require.Equal(t, want, settings)

	s = start(t, says{}, func(c *memory.Config) {
		c.Defaults = map[string]wire.MemorySettings{"assistant": {MaxMemories: to(7), MemoryTypes: []string{}}}
	})
	got, err := s.UpdateSettings(t.Context(), apiKey, "assistant", wire.MemorySettings{MemoryEnabled: to(true)})
	require.NoError(t, err)
	want.MemoryEnabled, want.MaxMemories, want.MemoryTypes = to(true), to(7), []string{}
	require.Equal(t, want, got)
	s.set(wire.MemorySettings{MaxMemories: to(1000), MemoryTypes: []string{wire.MemoryFact}})
	want.MaxMemories, want.MemoryTypes = to(1000), []string{wire.MemoryFact}
	got, err = s.Settings(t.Context(), ann, "assistant")
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestInvalidSettingsAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, says{})
	was, err := s.Settings(t.Context(), apiKey, "assistant")
	require.NoError(t, err)
	for name, test := range map[string]struct {
		settings wire.MemorySettings
		field    string
	}{
		"no memories":       {wire.MemorySettings{MaxMemories: to(0)}, "max_memories"},
		"too many":          {wire.MemorySettings{MaxMemories: to(1001), AutoApprove: to(true)}, "max_memories"},
		"a negative number": {wire.MemorySettings{MaxMemories: to(-1)}, "max_memories"},
		"an unknown type":   {wire.MemorySettings{MemoryTypes: []string{wire.MemoryFact, "mood"}}, "memory_types"},
		"an empty type":     {wire.MemorySettings{MemoryTypes: []string{""}}, "memory_types"},
		"one type twice":    {wire.MemorySettings{MemoryTypes: []string{wire.MemoryFact, wire.MemoryFact}}, "memory_types"},
	} {
		_, err := s.UpdateSettings(t.Context(), apiKey, "assistant", test.settings)
		requireError(t, err, wire.CodeValidation, test.field)
		now, err := s.Settings(t.Context(), apiKey, "assistant")
		require.NoError(t, err)
		require.Equal(t, was, now, name)
	}
}

func TestListsAreNarrowed(t *testing.T) {
	t.Parallel()
	s := start(t, says{})
	cat := s.learn("ann", "User has a cat")[0]
	s.learn("ann", "User has a dog")
	s.learn("bob", "User has a boat")
	_, err := s.Decide(t.Context(), ann, cat.ID, wire.MemoryActionRequest{Action: wire.ActionApprove}, once.Request{})
	require.NoError(t, err)
	list := func(filter memory.Filter) []string {
		memories, _, err := s.List(t.Context(), apiKey, "assistant", filter)
		require.NoError(t, err)
		return contents(memories)
	}
	require.Equal(t, []string{"User has a boat", "User has a dog", "User has a cat"}, list(memory.Filter{}))
	require.Equal(t, []string{"User has a cat"}, list(memory.Filter{Status: wire.MemoryApproved}))
	require.Equal(t, []string{"User has a boat"}, list(memory.Filter{UserID: "bob"}))
	require.Equal(t, []string{}, list(memory.Filter{Type: wire.MemoryContext}))
	memories, _, err := s.ListUser(t.Context(), apiKey, "assistant", "ann", memory.Filter{Status: wire.MemoryPending})
	require.NoError(t, err)
	require.Equal(t, []string{"User has a dog"}, contents(memories))
	stats, err := s.Stats(t.Context(), apiKey, "assistant", "")
	require.NoError(t, err)
	examined := &wire.MemoryDetection{Detector: wire.DetectorModel}
	require.Equal(t, wire.MemoryStats{Total: 3, Approved: 1, Pending: 2, Users: 2, Detection: examined}, stats)

	for field, filter := range map[string]memory.Filter{"status": {Status: "gone"}, "type": {Type: "mood"}} {
		_, _, err := s.List(t.Context(), apiKey, "assistant", filter)
		requireError(t, err, wire.CodeValidation, field)
	}
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
