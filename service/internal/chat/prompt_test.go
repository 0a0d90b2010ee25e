package chat_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

func TestPromptHoldsTheChat(t *testing.T) {
	t.Parallel()
	model := newRecorder(says(words("So ", "it is.")...))
	s := start(t, model, agents(answering.Agent{ID: "a", Instructions: "Be brief."}))
	first := s.ask(ann, chat.Send{Message: "One?"})
	require.Equal(t, []string{"user: One?"}, texts(<-model.prompts))
	s.ask(ann, chat.Send{Message: "Two?", ChatID: first.ChatID})
	require.Equal(t, []string{"user: One?", "assistant: So it is.", "user: Two?"}, texts(<-model.prompts))
	s.ask(bob, chat.Send{Message: "Elsewhere?"})
	others := <-model.prompts
	require.Equal(t, []string{"user: Elsewhere?"}, texts(others))
	require.Equal(t, bob.UserID, others.User)
	s.ask(ann, chat.Send{Message: "Three?", ChatID: first.ChatID, Options: answering.Options{IgnoreChatHistory: true}})
	prompt := <-model.prompts
	require.Equal(t, []string{"user: Three?"}, texts(prompt))
	require.Equal(t, "Be brief.", prompt.System, "instructions are not history")

	s.ask(ann, chat.Send{Message: "Four?", ChatID: first.ChatID})
	prompt = <-model.prompts
	var ids, want []string
	for _, message := range prompt.Messages {
		ids = append(ids, message.ID)
	}
	for _, message := range s.history(first.ChatID).Messages[:7] {
		want = append(want, message.ID)
	}
	require.Equal(t, want, ids, "each under its id")
}

// Running answers and their questions are left out; what was finished when the
// prompt was made is in the order of the history.
func TestPromptHoldsWhatWasFinished(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	chatID := s.newChat(ann)
	send := func(message string) (*chat.Stream, *question) {
		return s.send(ann, chat.Send{Message: message, ChatID: chatID}), <-model
	}
	first, one := send("1")
	second, two := send("2")
	require.Equal(t, []string{"user: 2"}, texts(two.prompt))
	two.say("second")
	two.finish()
	read(t, second)
	third, three := send("3")
	require.Equal(t, []string{"user: 2", "assistant: second", "user: 3"}, texts(three.prompt))
	one.say("first")
	one.finish()
	read(t, first)
	three.fail(errBusy)
	read(t, third)
	fourth, four := send("4")
	require.Equal(t, []string{"user: 1", "assistant: first", "user: 2", "assistant: second", "user: 3", "user: 4"},
		texts(four.prompt), "the question of an answer that failed before its first word stays")
	four.say("part")
	four.fail(errors.New("odd"))
	read(t, fourth)
	_, five := send("5")
	require.Equal(t, []string{"user: 3", "user: 4", "assistant: part", "user: 5"}, texts(five.prompt)[4:])
}

// The window counts three bytes of UTF-8 as a token, rounded up for each text.
func TestPromptFitsTheWindow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		window int
		want   []string
	}{
		{"all of it", 2 + 2*3 + 2*2 + 2, []string{"user: q1q1q1q", "assistant: é1é", "user: q2q2q2q", "assistant: é2é", "user: 4444"}},
		{"one token less", 2 + 2*3 + 2*2 + 1, []string{"user: q2q2q2q", "assistant: é2é", "user: 4444"}},
		{"no answer without its question", 2 + 3 + 2*2 + 2, []string{"user: q2q2q2q", "assistant: é2é", "user: 4444"}},
		{"one exchange", 2 + 3 + 2 + 2, []string{"user: q2q2q2q", "assistant: é2é", "user: 4444"}},
		{"no exchange that fits", 2 + 3 + 2 + 1, []string{"user: 4444"}},
		{"the question alone", 2 + 2, []string{"user: 4444"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			model := newRecorder(says(words("é1é")...)) // 5 bytes, 2 tokens
			s := start(t, model, agents(answering.Agent{ID: "wide"}, answering.Agent{ID: "a", Instructions: "System", Window: test.window}))
			chatID := s.ask(ann, chat.Send{Message: "q1q1q1q"}).ChatID // 7 bytes, 3 tokens
			model.script = says(words("é2é")...)
			s.ask(ann, chat.Send{Message: "q2q2q2q", ChatID: chatID})
			<-model.prompts
			<-model.prompts
			s.ask(ann, chat.Send{Message: "4444", ChatID: chatID, Options: answering.Options{AgentID: "a"}})
			prompt := <-model.prompts
			require.Equal(t, test.want, texts(prompt))
			require.Equal(t, "System", prompt.System)
			require.Len(t, s.history(chatID).Messages, 6, "the history itself is whole")
		})
	}
}

func TestDefaultWindow(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hello")...))
	s.ask(ann, chat.Send{Message: strings.Repeat("x", 3*answering.DefaultWindow)})
	requireError(t, s.refused(ann, chat.Send{Message: strings.Repeat("x", 3*answering.DefaultWindow+1)}), wire.CodePayloadTooLarge, "message")
}

func TestMessageTooLongForTheWindow(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hello")...), agents(answering.Agent{ID: "a", Instructions: "Be brief!", Window: 10}))
	for _, message := range []string{strings.Repeat("x", 22), strings.Repeat("日", 8)} {
		err := requireError(t, s.refused(ann, chat.Send{Message: message}), wire.CodePayloadTooLarge, "message")
		require.Contains(t, err.Message, "8 tokens beside 3 of instructions, and the window holds 10")
	}
	s.ask(ann, chat.Send{Message: strings.Repeat("x", 21)})
	s.ask(ann, chat.Send{Message: strings.Repeat("日", 7)})
}
