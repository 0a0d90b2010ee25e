package chat_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// unread is a store whose chats may not be read completely.
type unread struct{ chat.Store }

func (unread) ChatHistory(context.Context, access.Scope, string) (wire.ChatHistoryResponse, error) {
	return wire.ChatHistoryResponse{}, errors.New("somebody reads the whole chat")
}

// A chat may be very long: a question only reads what its window holds.
func TestNoAnswerReadsAWholeChat(t *testing.T) {
	t.Parallel()
	model := newRecorder(says(words("Yes.")...))
	s := start(t, model, func(c *chat.Config) { c.Store = unread{c.Store} })
	first := s.ask(ann, chat.Send{Message: "One?"})
	second := s.ask(ann, chat.Send{Message: "Two?", ChatID: first.ChatID})
	stream, err := s.Regenerate(t.Context(), ann, chat.Regenerate{ChatID: first.ChatID, MessageID: second.MessageID})
	require.NoError(t, err)
	require.Nil(t, read(t, stream).failure)
	<-model.prompts
	<-model.prompts
	require.Equal(t, []string{"user: One?", "assistant: Yes.", "user: Two?"}, texts(<-model.prompts))
}
