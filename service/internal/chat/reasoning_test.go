package chat_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// thinks is a model that thinks before it calls act, and again before it answers.
func thinks() *rounds {
	return &rounds{say: [][]answering.Piece{
		{{Reasoning: "Let me "}, {Reasoning: "see."}, calls("act", `{"n":1}`)},
		{{Reasoning: "I see.\xff"}, {Text: "Done."}},
	}}
}

// shown sets whether the agents show what their models think.
func shown(reasoning string) func(*chat.Config) {
	return func(c *chat.Config) { c.Agents[0].Reasoning = reasoning }
}

// reasoning is what the reasoning events of a stream say.
func (tr transcript) reasoning(t *testing.T) (text string) {
	for _, event := range tr.events {
		if event.Type == wire.EventReasoning {
			text += decode[wire.Text](t, event).Text
		}
	}
	return text
}

// What a model thinks is stored only if its agent shows it and the sender asks for it; also over a wait and a restart.
func TestReasoningIsForThoseWhoAsk(t *testing.T) {
	t.Parallel()
	const whole = "Let me see.\n\nI see.\uFFFD"
	for _, test := range []struct {
		name, agent string
		asks        bool
		want        string
	}{
		{"shown and asked for", answering.ReasoningShown, true, whole}, {"shown, not asked for", answering.ReasoningShown, false, ""},
		{"hidden", answering.ReasoningHidden, true, ""}, {"hidden by default", "", true, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			model := thinks()
			s := start(t, model.script(), operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalUser}), shown(test.agent))
			key := once.Request{Key: "k"}
			send := chat.Send{Message: "Hi", Offer: chat.Offer{Calls: true, Reasoning: test.asks}, Once: key}
			response := s.waits(ann, send)
			later := s.restarted().carried()
			later.decide(ann, response.Message.ToolCalls[0].ID, approve)
			tr := read(t, later.resume(ann, response.StreamID, 0))
			require.Equal(t, test.want, tr.reasoning(t))
			require.Equal(t, []string{"Done."}, tr.chunks, "it is no part of the text and its proof")
			require.Equal(t, test.want, tr.complete.Message.Reasoning)
			require.Equal(t, test.want, later.history(response.ChatID).Messages[1].Reasoning)
			require.Equal(t, test.want != "", model.asked()[0].Reasoning)
			require.Equal(t, test.want != "", model.asked()[1].Reasoning)
			later.clock.pass(chat.DefaultRetention)
			told := read(t, later.send(ann, send))
			require.Equal(t, test.want, told.reasoning(t), "a repeat after the events are gone")
			model.say[0] = []answering.Piece{{Text: "Yes."}}
			later.ask(ann, chat.Send{Message: "Really?", ChatID: response.ChatID})
			prompts := model.asked()
			require.NotContains(t, strings.Join(texts(prompts[len(prompts)-1]), "\n"), "see.", "it is in no later prompt")
		})
	}
}

// A regenerated answer has what its own request asks for.
func TestReasoningOfARegeneratedAnswer(t *testing.T) {
	t.Parallel()
	s := start(t, says(append([]answering.Piece{{Reasoning: "Hm."}}, words("Yes.")...)...), shown(answering.ReasoningShown))
	first := s.ask(ann, chat.Send{Message: "Hi", Offer: chat.Offer{Reasoning: true}})
	require.Equal(t, "Hm.", first.Message.Reasoning)
	for _, asks := range []bool{true, false} {
		stream, err := s.Regenerate(t.Context(), ann, chat.Regenerate{
			ChatID: first.ChatID, MessageID: first.MessageID, Offer: chat.Offer{Reasoning: asks},
		})
		require.NoError(t, err)
		require.Equal(t, map[bool]string{true: "Hm."}[asks], read(t, stream).reasoning(t))
	}
}

// An answer has a megabyte of reasoning at most; its text is whole.
func TestReasoningIsBounded(t *testing.T) {
	t.Parallel()
	long := answering.Piece{Reasoning: strings.Repeat("é", 300<<10)}
	s := start(t, says(append([]answering.Piece{long, long}, words("Yes.")...)...), shown(answering.ReasoningShown))
	tr := read(t, s.send(ann, chat.Send{Message: "Hi", Offer: chat.Offer{Reasoning: true}}))
	require.Len(t, tr.reasoning(t), 1<<20)
	require.Equal(t, tr.reasoning(t), tr.complete.Message.Reasoning)
	require.Equal(t, "Yes.", tr.text())
}

// A failed or stopped answer keeps what its readers got.
func TestReasoningOfAFailedAnswer(t *testing.T) {
	t.Parallel()
	s := start(t, failsAfter(errBusy, answering.Piece{Reasoning: "Hm."}), shown(answering.ReasoningShown))
	tr := read(t, s.send(ann, chat.Send{Message: "Hi", Offer: chat.Offer{Reasoning: true}}))
	require.Equal(t, "Hm.", tr.reasoning(t))
	require.Equal(t, "Hm.", s.history(tr.start.ChatID).Messages[1].Reasoning)
}
