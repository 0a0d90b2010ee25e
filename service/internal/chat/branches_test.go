package chat_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

func TestAnEditedQuestion(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	first := s.answered(model, chat.Send{Message: "One?"}, "One.")
	old := s.answered(model, chat.Send{Message: "Two?", ChatID: first.ChatID, Images: [][]byte{imagetest.PNG(2, 3)}}, "Two.")
	s.answered(model, chat.Send{Message: "Three?", ChatID: first.ChatID}, "Three.")
	before := s.history(first.ChatID).Messages[2]
	require.Len(t, before.ImageURLs, 1)

	stream := s.send(ann, chat.Send{Message: "Zwei?", ChatID: first.ChatID, Edits: before.ID})
	q := <-model
	require.Equal(t, []string{"user: One?", "assistant: One.", "user: Zwei?"}, texts(q.prompt))
	q.say("Zwei.")
	q.finish()
	read(t, stream)
	now := s.history(first.ChatID).Messages
	require.Len(t, now, 4)
	require.Equal(t, []any{"Zwei?", before.ImageURLs, first.ID, []string{before.ID, now[2].ID}},
		[]any{now[2].Content, now[2].ImageURLs, now[2].ParentID, now[2].Siblings}, "the images stay")

	stream = s.send(ann, chat.Send{Message: "Deux?", ChatID: first.ChatID, Edits: before.ID, Images: [][]byte{imagetest.PNG(4, 5)}})
	(<-model).finish()
	read(t, stream)
	now = s.history(first.ChatID).Messages
	require.NotEqual(t, before.ImageURLs, now[2].ImageURLs)
	require.Len(t, now[2].Siblings, 3)
	last, _, err := s.SelectBranch(t.Context(), ann, first.ChatID, old.ID, once.Request{})
	require.NoError(t, err)
	require.Equal(t, "Three.", s.history(first.ChatID).Messages[5].Content)
	require.Equal(t, last, s.history(first.ChatID).Messages[5].ID)
}

func TestAMessageFollowsTheAnswerThatItNames(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	first := s.answered(model, chat.Send{Message: "One?"}, "One.")
	s.answered(model, chat.Send{Message: "Two?", ChatID: first.ChatID}, "Two.")
	stream := s.send(ann, chat.Send{Message: "Other?", ChatID: first.ChatID, ParentID: first.ID})
	q := <-model
	require.Equal(t, []string{"user: One?", "assistant: One.", "user: Other?"}, texts(q.prompt))
	q.finish()
	read(t, stream)
	require.Equal(t, "Other?", s.history(first.ChatID).Messages[2].Content)
}

func TestWhereAMessageMayBeAdded(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	first := s.answered(model, chat.Send{Message: "One?"}, "One.")
	question := s.history(first.ChatID).Messages[0]
	for _, test := range []struct {
		name        string
		send        chat.Send
		code, field string
	}{
		{"after a question", chat.Send{ChatID: first.ChatID, ParentID: question.ID}, wire.CodeValidation, "parent_id"},
		{"after an unknown message", chat.Send{ChatID: first.ChatID, ParentID: "msg_none"}, wire.CodeNotFound, "parent_id"},
		{"after an answer, without a chat", chat.Send{ParentID: first.ID}, wire.CodeValidation, "chat_id"},
		{"beside an answer", chat.Send{ChatID: first.ChatID, Edits: first.ID}, wire.CodeValidation, "edits"},
		{"beside an unknown message", chat.Send{ChatID: first.ChatID, Edits: "msg_none"}, wire.CodeNotFound, "edits"},
		{"beside a question, without a chat", chat.Send{Edits: question.ID}, wire.CodeValidation, "chat_id"},
		{"in an unknown chat", chat.Send{ChatID: "chat_none", Edits: question.ID}, wire.CodeNotFound, ""},
		{"beside and after", chat.Send{ChatID: first.ChatID, Edits: question.ID, ParentID: first.ID}, wire.CodeValidation, "parent_id"},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := s.everything()
			test.send.Message = "Hi"
			_, err := s.Send(t.Context(), ann, test.send)
			if test.field == "" {
				requireError(t, err, test.code)
			} else if test.name == "beside and after" {
				requireError(t, err, test.code, "parent_id", "edits")
			} else {
				requireError(t, err, test.code, test.field)
			}
			require.Equal(t, before, s.everything())
		})
	}
}
