package chat_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

func TestCreateChat(t *testing.T) {
	t.Parallel()
	s := start(t, says(), limits(chat.Limits{NameCharacters: 5}))
	at := float64(noon.Unix())
	tests := []struct{ name, given, want string }{
		{"a name", "Mine", "Mine"},
		{"spaces around it are removed", " \tM e\n", "M e"},
		{"no name", "", chat.Untitled},
		{"a blank name", " \u2003", chat.Untitled},
		{"as many code points as allowed", "🙂🙂🙂🙂🙂", "🙂🙂🙂🙂🙂"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			made, _, err := s.CreateChat(t.Context(), ann, wire.CreateChatRequest{
				Name: test.given, DocumentKeys: []string{"d1"}, Metadata: wire.JSON(`{"a":1}`),
			}, once.Request{})
			require.NoError(t, err)
			require.Equal(t, wire.Chat{
				ChatID: made.ChatID, Name: test.want, DocumentKeys: []string{"d1"}, Metadata: wire.JSON(`{"a":1}`),
				UserID: "ann", CreatedAt: at, UpdatedAt: at,
			}, made)
			history := s.history(made.ChatID)
			require.Equal(t, test.want, history.Name)
			require.Equal(t, []string{"d1"}, history.DocumentKeys)
		})
	}
	before := s.everything()
	_, _, err := s.CreateChat(t.Context(), ann, wire.CreateChatRequest{Name: "123456"}, once.Request{})
	require.Contains(t, requireError(t, err, wire.CodePayloadTooLarge, "name").Message, "name has 6 characters, want at most 5")
	require.Equal(t, before, s.everything())
}

func TestRenameChat(t *testing.T) {
	t.Parallel()
	s := start(t, says(), limits(chat.Limits{NameCharacters: 5}))
	chatID := s.newChat(ann)
	s.clock.pass(1500 * time.Millisecond)
	require.NoError(t, s.RenameChat(t.Context(), ann, chatID, " New "))
	page, err := s.ListChats(t.Context(), ann, 0, 10)
	require.NoError(t, err)
	require.Equal(t, "New", page.Chats[0].Name)
	require.Equal(t, float64(noon.Unix())+1.5, page.Chats[0].UpdatedAt)

	before := s.everything()
	for _, blank := range []string{"", " \u2003\n"} {
		requireError(t, s.RenameChat(t.Context(), ann, chatID, blank), wire.CodeValidation, "title")
	}
	requireError(t, s.RenameChat(t.Context(), ann, chatID, strings.Repeat("x", 6)), wire.CodePayloadTooLarge, "title")
	require.ErrorIs(t, s.RenameChat(t.Context(), bob, chatID, "His"), fault.ErrNotFound)
	require.ErrorIs(t, s.DeleteChat(t.Context(), bob, chatID), fault.ErrNotFound)
	require.Equal(t, before, s.everything())
}

func TestSetFeedback(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hello")...))
	sent := s.ask(ann, chat.Send{Message: "Hi"})
	question := s.history(sent.ChatID).Messages[0].ID
	require.NoError(t, s.SetFeedback(t.Context(), ann, sent.ChatID, sent.MessageID, false))
	require.False(t, *s.history(sent.ChatID).Messages[1].Feedback)
	require.NoError(t, s.SetFeedback(t.Context(), ann, sent.ChatID, sent.MessageID, true))
	before := s.everything()
	require.ErrorIs(t, s.SetFeedback(t.Context(), ann, sent.ChatID, question, true), chat.ErrNotAnswer)
	require.ErrorIs(t, s.SetFeedback(t.Context(), bob, sent.ChatID, sent.MessageID, false), fault.ErrNotFound)
	require.ErrorIs(t, s.SetFeedback(t.Context(), ann, s.newChat(bob), sent.MessageID, false), fault.ErrNotFound)
	require.True(t, *s.history(sent.ChatID).Messages[1].Feedback)
	require.NotEqual(t, before, s.everything(), "only bob's chat is new")
}

// A reader may rate an answer while it is being written; the rating outlives
// its end.
func TestFeedbackDuringAnswer(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	stream := s.send(ann, chat.Send{Message: "Hi"})
	begun := decode[wire.Start](t, readUntil(t, stream, 1)[0])
	q := <-model
	require.NoError(t, s.SetFeedback(t.Context(), ann, begun.ChatID, begun.MessageID, true))
	q.finish()
	read(t, stream)
	require.True(t, *s.history(begun.ChatID).Messages[1].Feedback)
}

func TestListChats(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hello")...))
	a, b := s.newChat(ann), s.newChat(ann)
	s.newChat(bob)
	s.ask(ann, chat.Send{Message: "Hi", ChatID: a})
	page, err := s.ListChats(t.Context(), ann, 0, 1)
	require.NoError(t, err)
	require.True(t, page.HasMore)
	require.Equal(t, a, page.Chats[0].ChatID, "the newest activity first")
	page, err = s.ListChats(t.Context(), ann, page.NextCursor, 1)
	require.NoError(t, err)
	require.False(t, page.HasMore)
	require.Equal(t, b, page.Chats[0].ChatID)
}

func TestAgents(t *testing.T) {
	t.Parallel()
	s := start(t, says(), agents(
		answering.Agent{ID: "a", Name: "A", Instructions: "Secret.", Model: "small"},
		answering.Agent{ID: "b", Name: "B", Type: wire.AgentChat, Model: "large"},
		answering.Agent{ID: "c", Name: "C", Model: "small"},
	), func(c *chat.Config) { c.Model = "large" })
	a := wire.Agent{ID: "a", Name: "A", Type: wire.AgentChat, Model: "small", Models: []string{"small", "large"}}
	b := wire.Agent{ID: "b", Name: "B", Type: wire.AgentChat, Model: "large", Models: []string{"large", "small"}}
	c := wire.Agent{ID: "c", Name: "C", Type: wire.AgentChat, Model: "small", Models: []string{"small", "large"}}
	models := []string{"large", "small"}
	require.Equal(t, wire.ListAgentsResponse{Agents: []wire.Agent{a, b, c}, Models: models}, s.Agents(ann))
	require.Equal(t, wire.ListAgentsResponse{Agents: []wire.Agent{a, c}, Models: models}, s.Agents(only(ann, "c", "a", "gone")))
	require.Equal(t, wire.ListAgentsResponse{Agents: []wire.Agent{}, Models: models}, s.Agents(only(ann)))
	require.Equal(t, []string{}, start(t, says()).Agents(ann).Models)
}

// Missing settings of a Config have defaults.
func TestDefaultConfig(t *testing.T) {
	t.Parallel()
	s := chat.New(chat.Config{
		Store: openStore(t), Provider: failsAfter(errBusy), Agents: []answering.Agent{{ID: "a"}},
	})
	defer s.Close(t.Context())
	before := float64(time.Now().Add(-time.Second).Unix())
	stream, err := s.Send(t.Context(), ann, chat.Send{Message: "Hi"})
	require.NoError(t, err)
	tr := read(t, stream)
	history, err := s.ChatHistory(t.Context(), ann, tr.start.ChatID)
	require.NoError(t, err)
	require.Greater(t, history.CreatedAt, before)
}
