package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

var queueRules = []rule{
	{"a message is put into the queue with its turn", queuedWithTurn},
	{"only messages of users with memory on are examined", whoIsExamined},
	{"a message waits until its answer has begun or ended", waitsForAnswer},
	{"an owner's messages are examined one after another", oneAfterAnother},
	{"a message that is put off waits", putOff},
	{"a dropped message does not come back", dropped},
	{"deleting and turning off empty the queue", emptied},
}

func scopeOf(owner memory.Owner) access.Scope {
	return access.Scope{ProjectID: owner.ProjectID, UserID: owner.UserID}
}

// turn is a turn in a separate chat, with a question to examine for an agent
// whose memory is on. Its question is called name-q, its stream name-s.
func turn(chatID, name string) chat.Turn {
	return chat.Turn{
		NewChat: &wire.Chat{ChatID: chatID, Name: chat.Untitled}, StreamID: name + "-s",
		Question: wire.Message{ID: name + "-q", ChatID: chatID, Role: wire.RoleUser, Content: "question " + name},
		Answer:   wire.Message{ID: name + "-a", ChatID: chatID, Role: wire.RoleAssistant},
		Events:   []chat.Event{{ID: 1, Type: wire.EventStart, Data: []byte(`{}`)}},
		Examine:  &chat.Examine{AgentID: "assistant", Enabled: true},
	}
}

func begin(t *testing.T, store Store, scope access.Scope, turns ...chat.Turn) {
	t.Helper()
	for _, turn := range turns {
		require.NoError(t, store.BeginTurn(t.Context(), scope, turn))
	}
}

// answer begins the answer of a turn.
func answer(t *testing.T, store Store, name string) {
	t.Helper()
	first := []chat.Event{{ID: 2, Type: wire.EventChunk, Data: []byte(`{"text":"x"}`)}}
	require.NoError(t, store.AppendEvents(t.Context(), stream.Lease{StreamID: name + "-s", Epoch: 1}, first))
}

// queue begins a turn for each name, in a separate chat, with an answer that
// has begun.
func queue(t *testing.T, store Store, owner memory.Owner, names ...string) {
	t.Helper()
	for _, name := range names {
		one := turn("chat-"+name, name)
		one.Examine.AgentID = owner.AgentID
		begin(t, store, scopeOf(owner), one)
		answer(t, store, name)
	}
}

func due(t *testing.T, store Store, now float64) []string {
	t.Helper()
	jobs, err := store.Jobs(t.Context(), now, 100)
	require.NoError(t, err)
	list := []string{}
	for _, job := range jobs {
		list = append(list, job.MessageID)
	}
	return list
}

func requireBacklog(t *testing.T, store Store, want int) {
	t.Helper()
	count, err := store.CountJobs(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, count)
}

func job(owner memory.Owner, name string) memory.Job {
	return memory.Job{Owner: owner, MessageID: name + "-q", Text: "question " + name}
}

func queuedWithTurn(t *testing.T, store Store) {
	queue(t, store, ann, "one")
	queue(t, store, bob, "two")
	jobs, err := store.Jobs(t.Context(), 0, 100)
	require.NoError(t, err)
	require.Equal(t, []memory.Job{job(ann, "one"), job(bob, "two")}, jobs)
	jobs, err = store.Jobs(t.Context(), 0, 1)
	require.NoError(t, err)
	require.Equal(t, []memory.Job{job(ann, "one")}, jobs, "first come, first served")
	requireBacklog(t, store, 2)

	refused := turn("chat-one", "three")
	require.Error(t, store.BeginTurn(t.Context(), scopeOf(ann), refused), "the chat exists")
	requireBacklog(t, store, 2)
}

func whoIsExamined(t *testing.T, store Store) {
	on, off, key := true, false, access.Scope{ProjectID: "project"}
	set := func(enabled *bool) {
		_, err := store.SetMemorySettings(t.Context(), "project", "assistant", wire.MemorySettings{MemoryEnabled: enabled})
		require.NoError(t, err)
	}
	seven := 7
	_, err := store.SetMemorySettings(t.Context(), "project", "assistant", wire.MemorySettings{MaxMemories: &seven})
	require.NoError(t, err)
	asks := func(name string, scope access.Scope, chatID string, enabled, want bool) {
		one := turn(chatID, name)
		if chatID != "chat-"+name {
			one.NewChat = nil
		}
		one.Examine.Enabled = enabled
		begin(t, store, scope, one)
		answer(t, store, name)
		require.Equal(t, want, len(due(t, store, 0)) == 1, name)
		require.NoError(t, store.DropJob(t.Context(), job(ann, name)))
	}
	asks("off by default", scopeOf(ann), "chat-off by default", false, false)
	asks("on by default", scopeOf(ann), "chat-on by default", true, true)
	asks("nobody", key, "chat-nobody", true, false)
	asks("in nobody's chat", key, "chat-nobody", true, false)
	asks("in the user's chat", key, "chat-on by default", true, true)
	set(&on)
	asks("turned on", scopeOf(ann), "chat-turned on", false, true)
	set(&off)
	asks("turned off", scopeOf(ann), "chat-turned off", true, false)

	unwanted := turn("chat-u", "u")
	unwanted.Examine = nil
	begin(t, store, scopeOf(ann), unwanted)
	requireBacklog(t, store, 0)
}

func waitsForAnswer(t *testing.T, store Store) {
	begin(t, store, scopeOf(ann), turn("c1", "one"))
	begin(t, store, scopeOf(bob), turn("c2", "two"))
	require.Empty(t, due(t, store, 0))
	requireBacklog(t, store, 2)
	answer(t, store, "one")
	require.Equal(t, []string{"one-q"}, due(t, store, 0))
	ended := turn("c2", "two").Answer
	ended.FinishReason = wire.FinishError
	require.NoError(t, store.EndTurn(t.Context(), stream.Lease{StreamID: "two-s", Epoch: 1}, ended, &chat.End{At: 300}))
	require.Equal(t, []string{"one-q", "two-q"}, due(t, store, 0))

	begin(t, store, access.Scope{ProjectID: "project", UserID: "eve"}, turn("c3", "three"))
	_, err := store.EndBrokenTurns(t.Context(), chat.End{At: 300})
	require.NoError(t, err)
	require.Equal(t, []string{"one-q", "two-q", "three-q"}, due(t, store, 0), "a restart ends what was broken off")
}

func oneAfterAnother(t *testing.T, store Store) {
	begin(t, store, scopeOf(ann), turn("c0", "zero"))
	queue(t, store, ann, "one")
	queue(t, store, bob, "two")
	queue(t, store, annOther, "three")
	require.Equal(t, []string{"two-q", "three-q"}, due(t, store, 0), "the first of ann has no answer yet")
	answer(t, store, "zero")
	require.Equal(t, []string{"zero-q", "two-q", "three-q"}, due(t, store, 0))
	require.NoError(t, store.PutOff(t.Context(), job(ann, "zero"), 50))
	require.Equal(t, []string{"two-q", "three-q"}, due(t, store, 0), "those after it wait with it")
	require.NoError(t, store.DropJob(t.Context(), job(ann, "zero")))
	require.Equal(t, []string{"one-q", "two-q", "three-q"}, due(t, store, 0))
}

func putOff(t *testing.T, store Store) {
	queue(t, store, ann, "one")
	for failures := range 3 {
		jobs, err := store.Jobs(t.Context(), 10, 1)
		require.NoError(t, err)
		require.Equal(t, failures, jobs[0].Failures)
		require.NoError(t, store.PutOff(t.Context(), jobs[0], 10))
		require.Empty(t, due(t, store, 9.999999))
	}
	requireBacklog(t, store, 1)
}

func dropped(t *testing.T, store Store) {
	queue(t, store, ann, "one", "two")
	require.NoError(t, store.DropJob(t.Context(), job(ann, "one")))
	require.NoError(t, store.DropJob(t.Context(), job(ann, "one")), "gone is gone")
	require.NoError(t, store.PutOff(t.Context(), job(ann, "one"), 0))
	require.Equal(t, []string{"two-q"}, due(t, store, 0))
}

func emptied(t *testing.T, store Store) {
	off, on := false, true
	for name, test := range map[string]struct {
		do   func() error
		want []string
	}{
		"deleting a memory": {func() error {
			add(t, store, ann, pending(ann, "p"))
			return store.DeleteMemory(t.Context(), ann, "p", marks("p"), receipt)
		}, []string{"bob-q", "other-q"}},
		"deleting all": {func() error {
			_, err := store.DeleteMemories(t.Context(), ann, receipt)
			return err
		}, []string{"bob-q", "other-q"}},
		"deleting the chat": {func() error { return store.DeleteChat(t.Context(), scopeOf(ann), "chat-ann", 1) }, []string{"bob-q", "other-q"}},
		"turning off": {func() error {
			_, err := store.SetMemorySettings(t.Context(), "project", "assistant", wire.MemorySettings{MemoryEnabled: &off})
			return err
		}, []string{"other-q"}},
		"other settings": {func() error {
			_, err := store.SetMemorySettings(t.Context(), "project", "assistant", wire.MemorySettings{MemoryEnabled: &on, AutoApprove: &off})
			return err
		}, []string{"ann-q", "bob-q", "other-q"}},
	} {
		queue(t, store, ann, "ann")
		queue(t, store, bob, "bob")
		queue(t, store, annOther, "other")
		require.NoError(t, test.do(), name)
		require.Equal(t, test.want, due(t, store, 0), name)
		for _, chatID := range []string{"chat-ann", "chat-bob", "chat-other"} {
			_ = store.DeleteChat(t.Context(), access.Scope{ProjectID: "project"}, chatID, 1) // one may be gone
		}
		require.NoError(t, store.Sweep(t.Context(), 0, 0))
		_, err := store.SetMemorySettings(t.Context(), "project", "assistant", wire.MemorySettings{MemoryEnabled: &on})
		require.NoError(t, err)
	}
	requireBacklog(t, store, 0)
}
