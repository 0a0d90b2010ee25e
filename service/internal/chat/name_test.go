package chat_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

func TestFirstQuestionNamesChat(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 60)
	tests := []struct{ name, question, want string }{
		{"short", "Hi", "Hi"},
		{"spaces in one", "  What \t is\u00a0this? ", "What is this?"},
		{"the first line", "\n\nFirst line\nSecond line", "First line"},
		{"as long as allowed", strings.Repeat("x", 48), strings.Repeat("x", 48)},
		{"cut between words", "Please tell me everything that you know about lighthouses", "Please tell me everything that you know about…"},
		{"cut after a whole word", strings.Repeat("abcdefg ", 8), "abcdefg abcdefg abcdefg abcdefg abcdefg abcdefg…"},
		{"no comma before the ellipsis", "We were on a walk through the old town yesterday, talking", "We were on a walk through the old town…"},
		{"a comma is removed", "We were on a walk through that old town's park, talking", "We were on a walk through that old town's park…"},
		{"a long word is cut", "See " + long, "See " + strings.Repeat("x", 43) + "…"},
		{"one long word", long, strings.Repeat("x", 47) + "…"},
		{"code points, not bytes", strings.Repeat("日本", 30), strings.Repeat("日本", 23) + "日…"},
		{"HTML stays text", "<b>bold</b> & more", "<b>bold</b> & more"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, says(words("Hello")...))
			response := s.ask(ann, chat.Send{Message: test.question})
			require.Equal(t, test.want, response.ChatName)
			require.Equal(t, test.want, s.history(response.ChatID).Name)
			require.LessOrEqual(t, utf8.RuneCountInString(test.want), 48)
		})
	}
}

func TestNameKeepsToItsLimit(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]string{
		1: "…", 2: "T…", 9: "The quic…", 10: "The quick…", 12: "The quick…", 19: "The quick brown fox", 0: "The quick brown fox", 200: "The quick brown fox",
	} {
		s := start(t, says(words("Hello")...), limits(chat.Limits{NameCharacters: limit}))
		require.Equal(t, want, s.ask(ann, chat.Send{Message: "The quick brown fox"}).ChatName, "limit %d", limit)
	}
	s := start(t, says(words("Hello")...), limits(chat.Limits{NameCharacters: 200}))
	require.Len(t, s.ask(ann, chat.Send{Message: strings.Repeat("a b ", 50)}).ChatName, 47+len("…"))
}

func TestOnlyTheFirstExchangeNames(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hello")...))
	chatID := s.newChat(ann)
	require.Equal(t, "One", s.ask(ann, chat.Send{Message: "One", ChatID: chatID}).ChatName)
	require.Empty(t, s.ask(ann, chat.Send{Message: "Two", ChatID: chatID}).ChatName)
	require.Equal(t, "start complete end", read(t, s.send(ann, chat.Send{Message: "Three", ChatID: chatID})).types())
	require.Equal(t, "One", s.history(chatID).Name)
}

func TestNameOfUserStays(t *testing.T) {
	t.Parallel()
	for _, title := range []string{"Mine", chat.Untitled} {
		model := newLive()
		s := start(t, model)
		stream := s.send(ann, chat.Send{Message: "Hi"})
		chatID := decode[wire.Start](t, readUntil(t, stream, 1)[0]).ChatID
		q := <-model
		require.NoError(t, s.RenameChat(t.Context(), ann, chatID, title))
		q.finish()
		tr := read(t, stream)
		require.Equal(t, "start chat_name complete end", tr.types())
		require.Equal(t, title, decode[wire.ChatName](t, tr.events[1]).Name, "the user's name, and no other")
		require.Equal(t, title, s.history(chatID).Name)
	}
	s := start(t, says(words("Hello")...))
	made, _, err := s.CreateChat(t.Context(), ann, wire.CreateChatRequest{Name: "Given"}, once.Request{})
	require.NoError(t, err)
	require.Empty(t, s.ask(ann, chat.Send{Message: "Hi", ChatID: made.ChatID}).ChatName)
}

func TestFailedExchangeNamesNothing(t *testing.T) {
	t.Parallel()
	s := start(t, script(func(_ context.Context, prompt answering.Prompt, yield func(answering.Piece, error) bool) {
		if len(prompt.Messages) == 1 {
			yield(answering.Piece{Text: "One"}, nil)
			return
		}
		yield(answering.Piece{Text: "Two", FinishReason: wire.FinishStop}, nil)
	}))
	failed := read(t, s.send(ann, chat.Send{Message: "First"}))
	require.Equal(t, "start error end", failed.types())
	require.Equal(t, "Second", s.ask(ann, chat.Send{Message: "Second", ChatID: failed.start.ChatID}).ChatName)
}

func TestTwoFirstExchangesNameOnce(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	chatID := s.newChat(ann)
	streams := []*chat.Stream{s.send(ann, chat.Send{Message: "a", ChatID: chatID}), s.send(ann, chat.Send{Message: "b", ChatID: chatID})}
	for _, q := range model.questions(t, 2) {
		go q.finish()
	}
	var names []string
	for _, stream := range streams {
		read(t, stream)
		response, err := stream.Response(t.Context())
		require.NoError(t, err)
		if response.ChatName != "" {
			names = append(names, response.ChatName)
		}
	}
	require.Equal(t, []string{s.history(chatID).Name}, names)
}

// Whoever renames a chat while an answer is written is told in its stream, at once, and the end says
// nothing else.
func TestARenameIsToldInTheRunningAnswer(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	stream := s.send(ann, chat.Send{Message: "Hi there"})
	begun := decode[wire.Start](t, readUntil(t, stream, 1)[0])
	q := <-model
	q.say("One")
	readUntil(t, stream, 2)
	for i, caller := range []access.Caller{ann, {Scope: access.Scope{ProjectID: ann.Scope.ProjectID}}} {
		name := fmt.Sprint("Name ", i)
		require.NoError(t, s.RenameChat(t.Context(), caller, begun.ChatID, name))
		told := readUntil(t, stream, 3+i)[2+i]
		require.Equal(t, wire.EventChatName, told.Type)
		require.Equal(t, name, decode[wire.ChatName](t, told).Name)
	}
	q.say(" two")
	q.finish()
	tr := read(t, stream)
	require.Equal(t, "start chat_name chat_name complete end", tr.types())
	require.Equal(t, "One two", tr.text())
	require.Equal(t, tr, read(t, s.resume(ann, begun.StreamID, 0)))
	response, err := stream.Response(t.Context())
	require.NoError(t, err)
	require.Equal(t, "Name 1", response.ChatName)
	require.Equal(t, "Name 1", s.history(begun.ChatID).Name)
}
