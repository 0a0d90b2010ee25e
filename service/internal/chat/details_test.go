package chat_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// signature is what a provider wants back. It must not be shown.
const signature = "sig-zorbex"

// twoRounds is a model that calls act and then answers. Its provider wants the first round back, and says what both took.
func twoRounds() *rounds {
	return &rounds{say: [][]answering.Piece{
		{calls("act", `{"n":1}`), {
			FinishReason: wire.FinishStop, Model: "second", Returned: wire.JSON(`{"signature":"` + signature + `"}`),
			Usage: &wire.Usage{InputTokens: 100, CachedTokens: 40, OutputTokens: 20, ReasoningTokens: 10},
		}},
		{{Text: "Done."}, {FinishReason: wire.FinishStop, Usage: &wire.Usage{InputTokens: 130, OutputTokens: 5}}},
	}}
}

// What a provider wants back with a round is given back in the next one, also after a restart, and shown to nobody.
func TestARoundIsGivenBackWhole(t *testing.T) {
	t.Parallel()
	model := twoRounds()
	approved := operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalUser})
	s := start(t, model.script(), approved, func(c *chat.Config) { c.Model = "first" })
	response := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	later := s.restarted().carried()
	later.decide(ann, response.Message.ToolCalls[0].ID, approve)
	tr := read(t, later.resume(ann, response.StreamID, 0))
	round := model.asked()[1].Rounds[0]
	require.Equal(t, []string{"second", `{"signature":"` + signature + `"}`}, []string{round.Model, string(round.Returned)})
	for _, event := range tr.events {
		require.NotContains(t, string(event.Data), signature)
	}
	require.NotContains(t, later.everything(), signature)
	require.NotContains(t, s.log.String(), signature)
	require.Equal(t, "first", later.history(response.ChatID).Messages[1].ModelName, "the one that answered last")
}

// What is too large, or no JSON, is not kept. The answer goes on without it, and the log says so.
func TestWhatCannotBeGivenBack(t *testing.T) {
	t.Parallel()
	for name, returned := range map[string]string{
		"too large": `"` + strings.Repeat("x", 1<<20) + `"`, "no JSON": `{"a":`, "no UTF-8": "\"\xff\"",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := twoRounds()
			model.say[0][1].Returned = wire.JSON(returned)
			s := start(t, model.script(), operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalNever})).carried()
			require.Equal(t, "Done.", s.ask(ann, chat.Send{Message: "Hi"}).Message.Content)
			require.Empty(t, model.asked()[1].Rounds[0].Returned)
			require.Contains(t, s.log.String(), "what a provider wants back with a round is not kept")
		})
	}
}

// An answer has the sum of what its rounds took, in the history, in complete and after a stop.
func TestUsageIsSummed(t *testing.T) {
	t.Parallel()
	s := start(t, twoRounds().script(), operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalUser})).carried()
	whole := &wire.Usage{InputTokens: 230, CachedTokens: 40, OutputTokens: 25, ReasoningTokens: 10}
	first := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	s.decide(ann, first.Message.ToolCalls[0].ID, approve)
	tr := read(t, s.resume(ann, first.StreamID, 0))
	require.Equal(t, whole, tr.complete.Message.Usage)
	require.Equal(t, whole, s.history(first.ChatID).Messages[1].Usage)

	stopped := s.waits(ann, chat.Send{Message: "Hi", Offer: knows})
	receipt, err := s.Stop(t.Context(), ann, stopped.StreamID)
	require.NoError(t, err)
	require.Equal(t, &wire.Usage{InputTokens: 100, CachedTokens: 40, OutputTokens: 20, ReasoningTokens: 10}, receipt.Message.Usage)
	require.Equal(t, "second", receipt.Message.ModelName)
}

// Without a word of the provider there is no usage, and nothing was left out.
func TestAnAnswerWithoutDetails(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hi.")...))
	message := s.ask(ann, chat.Send{Message: "Hi"}).Message
	require.Nil(t, message.Usage)
	require.Nil(t, message.LeftOut)
	require.Empty(t, message.Reasoning)
}

// leavingOut is a store whose rounds left something out.
type leavingOut struct {
	chat.Store
	out wire.LeftOut
}

func (l leavingOut) Rounds(ctx context.Context, streamID string) ([]toolcall.Round, []toolcall.Call, error) {
	rounds, calls, err := l.Store.Rounds(ctx, streamID)
	for i := range rounds {
		rounds[i].LeftOut = l.out
	}
	return rounds, calls, err
}

// An answer says what its model did not get, in the history and in complete, and so does the log.
func TestWhatWasLeftOutIsTold(t *testing.T) {
	t.Parallel()
	out := wire.LeftOut{Messages: 12, Images: 3, Tools: 1}
	s := start(t, twoRounds().script(), operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalNever}),
		func(c *chat.Config) { c.Store = leavingOut{c.Store, out} }).carried()
	tr := read(t, s.send(ann, chat.Send{Message: "Hi"}))
	require.Equal(t, &out, tr.complete.Message.LeftOut)
	require.Equal(t, &out, s.history(tr.start.ChatID).Messages[1].LeftOut)
	require.Contains(t, s.log.String(), "messages=12 images=3 tools=1")
}

// Of what the rounds of an answer left out, the most is told.
func TestTheMostOfWhatWasLeftOut(t *testing.T) {
	t.Parallel()
	rounds := []toolcall.Round{
		{Details: toolcall.Details{LeftOut: wire.LeftOut{Messages: 3}}}, {Details: toolcall.Details{LeftOut: wire.LeftOut{Messages: 1, Tools: 1}}},
	}
	require.Equal(t, &wire.LeftOut{Messages: 3, Images: 2, Tools: 1}, toolcall.LeftOut(rounds, wire.LeftOut{Images: 2}))
	require.Nil(t, toolcall.LeftOut(rounds[:0], wire.LeftOut{}))
}
