package storetest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// The scopes of the tests.
var (
	ann   = access.Scope{ProjectID: "project", UserID: "ann"}
	bob   = access.Scope{ProjectID: "project", UserID: "bob"}
	key   = access.Scope{ProjectID: "project"} // an API key that acts for no user
	alien = access.Scope{ProjectID: "elsewhere", UserID: "ann"}
)

// create makes untitled chats.
func create(t *testing.T, store chat.Store, scope access.Scope, ids ...string) {
	t.Helper()
	for _, id := range ids {
		require.NoError(t, store.CreateChat(t.Context(), scope, wire.Chat{ChatID: id, Name: chat.Untitled, CreatedAt: 100}, nil))
	}
}

// turnIn is a turn in a chat that exists. Its question is named name-q, its
// answer name-a, its stream name-s.
func turnIn(chatID, name string) chat.Turn {
	return chat.Turn{
		StreamID: name + "-s",
		Question: wire.Message{ID: name + "-q", ChatID: chatID, Role: wire.RoleUser, Content: "question " + name, CreatedAt: 200},
		Answer:   wire.Message{ID: name + "-a", ChatID: chatID, Role: wire.RoleAssistant, CreatedAt: 201, ParentID: name + "-q"},
		Events:   []chat.Event{{ID: 1, Type: wire.EventStart, Data: []byte(`{"stream_id":"x"}`)}},
	}
}

// turnInNew is a turn that makes its chat.
func turnInNew(chatID, name string) chat.Turn {
	turn := turnIn(chatID, name)
	turn.NewChat = &wire.Chat{ChatID: chatID, Name: chat.Untitled, CreatedAt: 199}
	return turn
}

// held is the right to write a stream that was begun.
func held(streamID string) stream.Lease { return stream.Lease{StreamID: streamID, Epoch: 1} }

func begin(t *testing.T, store chat.Store, scope access.Scope, turns ...chat.Turn) {
	t.Helper()
	for _, turn := range turns {
		require.NoError(t, store.BeginTurn(t.Context(), scope, turn))
	}
}

// chunks are chunk events, the first with the id first.
func chunks(first int64, texts ...string) []chat.Event {
	var events []chat.Event
	for i, text := range texts {
		data, err := json.Marshal(wire.Text{Text: text})
		if err != nil {
			panic(err)
		}
		events = append(events, chat.Event{ID: first + int64(i), Type: wire.EventChunk, Data: data})
	}
	return events
}

// end ends a turn of turnIn with content.
func end(t *testing.T, store chat.Store, turn chat.Turn, content string) {
	t.Helper()
	require.NoError(t, store.EndTurn(t.Context(), held(turn.StreamID), ended(turn, content), &chat.End{At: 300}))
}

func ended(turn chat.Turn, content string) wire.Message {
	answer := turn.Answer
	answer.Content, answer.FinishReason = content, wire.FinishStop
	return answer
}

// list is the first page of 100 chats.
func list(t *testing.T, store chat.Store, scope access.Scope) []wire.Chat {
	t.Helper()
	page, err := store.ListChats(t.Context(), scope, 0, 100)
	require.NoError(t, err)
	return page.Chats
}

// listed is list's ids, joined with spaces.
func listed(t *testing.T, store chat.Store, scope access.Scope) string {
	t.Helper()
	return ids(list(t, store, scope))
}

func ids(chats []wire.Chat) string {
	var all []string
	for _, one := range chats {
		all = append(all, one.ChatID)
	}
	return strings.Join(all, " ")
}

func history(t *testing.T, store chat.Store, scope access.Scope, chatID string) wire.ChatHistoryResponse {
	t.Helper()
	response, err := store.ChatHistory(t.Context(), scope, chatID)
	require.NoError(t, err)
	return response
}

// answerOf is the answer of a turn of turnIn as the history has it.
func answerOf(t *testing.T, store chat.Store, turn chat.Turn) wire.Message {
	t.Helper()
	for _, message := range history(t, store, key, turn.Question.ChatID).Messages {
		if message.ID == turn.Answer.ID {
			return message
		}
	}
	require.Failf(t, "no answer", "the history of %s has no message %s", turn.Question.ChatID, turn.Answer.ID)
	return wire.Message{}
}

// contents are the texts of a chat's messages.
func contents(t *testing.T, store chat.Store, chatID string) []string {
	t.Helper()
	all := []string{}
	for _, message := range history(t, store, key, chatID).Messages {
		all = append(all, message.Content)
	}
	return all
}

// everything is all that the project shows, to compare before and after.
func everything(t *testing.T, store chat.Store) []any {
	t.Helper()
	var all []any
	for _, one := range list(t, store, key) {
		all = append(all, one, history(t, store, key, one.ChatID))
	}
	return all
}
