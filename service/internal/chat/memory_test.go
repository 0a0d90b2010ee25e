package chat_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

// notes is a chat.Memory that remembers a line of each user and examines all
// but short messages.
type notes struct {
	woken chan struct{}
	err   error

	mu    sync.Mutex
	asked []string
	// overlooked counts messages that are nobody's.
	overlooked int
}

func newNotes() *notes { return &notes{woken: make(chan struct{}, 100)} }

func (n *notes) Recall(_ context.Context, projectID, agentID, userID string, bytes int) (string, []string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, projectID+" "+agentID+" "+userID)
	if n.err != nil || userID == "eve" {
		return "", nil, n.err
	}
	if bytes < len("About "+userID) {
		return "", nil, nil
	}
	return "About " + userID, []string{"of " + userID}, nil
}

func (n *notes) Examines(_, message string) (examines, enabled bool) { return len(message) > 5, true }

func (n *notes) Overlook(context.Context, string, string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.overlooked++
}

func (n *notes) Wake() { n.woken <- struct{}{} }

func with(n *notes) func(*chat.Config) { return func(c *chat.Config) { c.Memory = n } }

// queued are the messages that wait to be examined.
func (s *service) queued() []memory.Job {
	s.t.Helper()
	jobs, err := s.store.(*sqlite.Store).Jobs(s.t.Context(), 0, 100)
	require.NoError(s.t, err)
	return jobs
}

func TestPromptHoldsWhatIsRemembered(t *testing.T) {
	t.Parallel()
	model := newRecorder(says(words("Yes.")...))
	s := start(t, model, with(newNotes()), agents(answering.Agent{ID: "a", Instructions: "Be brief."}, answering.Agent{ID: "b"}))
	tests := []struct {
		name   string
		caller access.Caller
		send   chat.Send
		system string
		ids    []string
	}{
		{"a user", ann, chat.Send{Options: answering.Options{AgentID: "a"}}, "Be brief.\n\nAbout ann", []string{"of ann"}},
		{"without instructions", ann, chat.Send{Options: answering.Options{AgentID: "b"}}, "About ann", []string{"of ann"}},
		{"without history", ann, chat.Send{Options: answering.Options{AgentID: "a", IgnoreChatHistory: true}}, "Be brief.\n\nAbout ann", []string{"of ann"}},
		{"a test", ann, chat.Send{IsTest: true, Options: answering.Options{AgentID: "a"}}, "Be brief.\n\nAbout ann", []string{"of ann"}},
		{"a user without memories", user("eve"), chat.Send{Options: answering.Options{AgentID: "a"}}, "Be brief.", nil},
		{"nobody", admin, chat.Send{Options: answering.Options{AgentID: "a"}}, "Be brief.", nil},
	}
	for _, test := range tests {
		test.send.Message = "Really?"
		response := s.ask(test.caller, test.send)
		require.Equal(t, test.system, (<-model.prompts).System, test.name)
		require.Equal(t, test.ids, response.Message.MemoryIDs, test.name)
		require.Equal(t, test.ids, s.history(response.ChatID).Messages[1].MemoryIDs, test.name)
		require.Empty(t, s.history(response.ChatID).Messages[0].MemoryIDs)
	}
}

// A chat belongs to its owner, whoever writes in it, but what an API key writes
// there was not said by the owner.
func TestAnAPIKeyInAUsersChat(t *testing.T) {
	t.Parallel()
	n := newNotes()
	model := newRecorder(says(words("Yes.")...))
	s := start(t, model, with(n))
	chatID := s.newChat(bob)
	response := s.ask(admin, chat.Send{Message: "A long message", ChatID: chatID})
	require.Equal(t, "About bob", (<-model.prompts).System)
	require.Equal(t, []string{"of bob"}, response.Message.MemoryIDs)
	require.Empty(t, s.queued())
	require.Empty(t, n.woken)
	nobodys := s.newChat(admin)
	response = s.ask(admin, chat.Send{Message: "A long message", ChatID: nobodys})
	require.Empty(t, response.Message.MemoryIDs)
	require.Empty(t, s.queued())
	s.ask(bob, chat.Send{Message: "A long message", ChatID: chatID})
	require.Equal(t, "bob", s.queued()[0].UserID, "what the owner writes beside it is examined")

	for _, caller := range []access.Caller{ann, alien, admin} {
		_, err := s.Send(t.Context(), caller, chat.Send{Message: "A long message", ChatID: map[bool]string{true: "unknown", false: chatID}[caller.UserID == ""]})
		require.ErrorIs(t, err, fault.ErrNotFound)
	}
	require.Len(t, s.queued(), 1)
}

func TestRecallThatFails(t *testing.T) {
	t.Parallel()
	n := newNotes()
	n.err = errors.New("no disk")
	s := start(t, says(words("Yes.")...), with(n), limits(chat.Limits{StreamsPerUser: 1}))
	require.ErrorIs(t, s.refused(ann, chat.Send{Message: "A long message"}), n.err)
	n.err = nil
	s.ask(ann, chat.Send{Message: "A long message"}) // the refused one holds no place
}

func TestWhatIsExamined(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		caller access.Caller
		send   chat.Send
		want   bool
	}{
		{"a message of a user", ann, chat.Send{Message: "A long message"}, true},
		{"a short one", ann, chat.Send{Message: "Short"}, false},
		{"a test", ann, chat.Send{Message: "A long message", IsTest: true}, false},
		{"nobody's", admin, chat.Send{Message: "A long message"}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			n := newNotes()
			s := start(t, says(words("Yes.")...), with(n))
			response := s.ask(test.caller, test.send)
			if !test.want {
				require.Empty(t, s.queued())
				require.Empty(t, n.woken)
				require.Equal(t, test.name == "nobody's", n.overlooked == 1)
				return
			}
			want := memory.Job{
				Owner:     memory.Owner{ProjectID: "project", AgentID: "assistant", UserID: "ann"},
				MessageID: s.history(response.ChatID).Messages[0].ID, Text: test.send.Message,
			}
			require.Equal(t, []memory.Job{want}, s.queued())
			require.Len(t, n.woken, 1)
		})
	}
}

// Detection begins after the answer has, or when it has failed before its
// first word.
func TestExaminingWaitsForTheAnswer(t *testing.T) {
	t.Parallel()
	n := newNotes()
	model := newLive()
	s := start(t, model, with(n))
	stream := s.send(ann, chat.Send{Message: "The first message"})
	first := <-model
	require.Empty(t, s.queued(), "nothing is said yet")
	require.Empty(t, n.woken)
	first.say("So")
	<-n.woken
	require.Len(t, s.queued(), 1)
	first.say(" it", " is")
	first.finish()
	read(t, stream)
	require.Empty(t, n.woken, "once is enough")

	stream = s.send(bob, chat.Send{Message: "The second message"})
	(<-model).fail(errBusy)
	read(t, stream)
	<-n.woken
	require.Len(t, s.queued(), 2)
}

// An answer that a crash interrupted keeps its memories.
func TestMemoriesOfABrokenAnswer(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model, with(newNotes()))
	stream := s.send(ann, chat.Send{Message: "Really?"})
	q := <-model
	page, err := s.ListChats(t.Context(), ann, 0, 1)
	require.NoError(t, err)
	answer := s.history(page.Chats[0].ChatID).Messages[1]
	require.Equal(t, []string{"of ann"}, answer.MemoryIDs)
	require.Empty(t, answer.FinishReason)
	_, err = s.store.EndBrokenTurns(t.Context(), chat.Broken(300, errors.New("killed")))
	require.NoError(t, err)
	answer = s.history(page.Chats[0].ChatID).Messages[1]
	require.Equal(t, wire.FinishError, answer.FinishReason)
	require.Equal(t, []string{"of ann"}, answer.MemoryIDs)
	q.fail(errBusy)
	read(t, stream)
}

// Memories take at most a quarter of the window. They come before the history,
// but after the parts that every prompt has.
func TestMemoriesTakeRoom(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		window   int
		question string
		system   string
		want     []string
	}{
		{12, "two", "About ann", []string{"user: one", "assistant: Yes.", "user: two"}}, // 3 of memories, 1 + 2 of history, 1 of the question
		{11, "two", "", []string{"user: one", "assistant: Yes.", "user: two"}},          // a quarter is 2
		{12, strings.Repeat("x", 24), "About ann", []string{"user: " + strings.Repeat("x", 24)}},
		// 9 of the question leave 9 bytes, 2 of them for a gap
		{12, strings.Repeat("x", 25), "", []string{"user: one", "assistant: Yes.", "user: " + strings.Repeat("x", 25)}},
		{12, strings.Repeat("x", 36), "", []string{"user: " + strings.Repeat("x", 36)}},
	} {
		model := newRecorder(says(words("Yes.")...))
		s := start(t, model, with(newNotes()), agents(answering.Agent{ID: "a", Window: test.window}))
		first := s.ask(ann, chat.Send{Message: "one"})
		<-model.prompts
		response := s.ask(ann, chat.Send{Message: test.question, ChatID: first.ChatID})
		prompt := <-model.prompts
		require.Equal(t, test.want, texts(prompt), test.window)
		require.Equal(t, test.system, prompt.System)
		require.Equal(t, test.system != "", response.Message.MemoryIDs != nil, "memory_ids are those that were in the prompt")
	}
	s := start(t, says(words("Yes.")...), with(newNotes()), agents(answering.Agent{ID: "a", Window: 4, Instructions: "So"}))
	s.ask(ann, chat.Send{Message: strings.Repeat("x", 9)})
	refused := requireError(t, s.refused(ann, chat.Send{Message: strings.Repeat("x", 10)}), wire.CodePayloadTooLarge, "message")
	require.Contains(t, refused.Message, "4 tokens beside 1 of instructions, and the window holds 4")
}

// A regenerated answer recalls memories again, but its question, which was examined before, is not
// examined again.
func TestRegenerateRecallsAndExaminesNothing(t *testing.T) {
	t.Parallel()
	n := newNotes()
	model := newRecorder(says(words("Yes.")...))
	s := start(t, model, with(n))
	old := s.ask(ann, chat.Send{Message: "A long message"}).Message
	<-model.prompts
	require.Len(t, s.queued(), 1)
	require.NoError(t, s.store.(*sqlite.Store).DropJob(t.Context(), s.queued()[0]))
	for _, caller := range []access.Caller{ann, admin} {
		tr := read(t, s.regenerate(caller, old))
		require.Equal(t, "About ann", (<-model.prompts).System, "a chat belongs to its owner, whoever regenerates")
		require.Equal(t, []string{"of ann"}, tr.complete.Message.MemoryIDs)
		require.Empty(t, s.queued())
		old = tr.complete.Message
	}
}
