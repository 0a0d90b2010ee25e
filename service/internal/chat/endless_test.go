package chat_test

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// endless is a model that never stops, in pieces of a text. It is asked for until it is abandoned.
func endless(piece string) script {
	return func(_ context.Context, _ answering.Prompt, yield func(answering.Piece, error) bool) {
		for yield(answering.Piece{Text: piece}, nil) {
		}
	}
}

// An answer that never ends is cut at the bound, with the text so far: in small pieces, in one that
// is too large, and within a code point.
func TestAnEndlessAnswerIsCut(t *testing.T) {
	t.Parallel()
	for name, piece := range map[string]string{"small": "on and ", "large": strings.Repeat("x", 3000), "wide": "🙂"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, endless(piece), limits(chat.Limits{AnswerBytes: 1001}))
			tr := read(t, s.send(ann, chat.Send{Message: "Hi"}))
			require.Equal(t, wire.FinishLength, tr.complete.Message.FinishReason)
			require.LessOrEqual(t, len(tr.text()), 1001)
			require.Greater(t, len(tr.text()), 1001-utf8.UTFMax)
			require.True(t, utf8.ValidString(tr.text()))
			require.Equal(t, tr.complete.Message, s.history(tr.start.ChatID).Messages[1])
		})
	}
}

// The bound holds for all rounds of an answer together, and for JSON that readers get at the end.
func TestTheBoundOfAnAnswerHoldsEverywhere(t *testing.T) {
	t.Parallel()
	long := answering.Piece{Text: strings.Repeat("x", 700)}
	model := &rounds{say: [][]answering.Piece{{long, calls("act", `{"n":1}`)}, {long, long}}}
	s := start(t, model.script(), operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalNever}),
		limits(chat.Limits{AnswerBytes: 1000})).carried()
	response := s.ask(ann, chat.Send{Message: "Hi", Offer: knows})
	require.Equal(t, wire.FinishLength, response.Message.FinishReason)
	require.InDelta(t, 1000, len(response.Message.Content), 2)

	s = start(t, endless(`{"a":`), limits(chat.Limits{AnswerBytes: 1000}), func(c *chat.Config) { c.Structured = true })
	tr := read(t, s.send(ann, chat.Send{Message: "Hi", Options: answering.Options{ExampleJSON: `{"a":0}`}}))
	require.Equal(t, wire.CodeProviderFailed, tr.failure.Error.Code)
	require.LessOrEqual(t, len(tr.failure.Detail), 1000)
}

// An answer that ends just at the bound is whole.
func TestAnAnswerOfJustTheBoundIsWhole(t *testing.T) {
	t.Parallel()
	s := start(t, says(words(strings.Repeat("x", 500), strings.Repeat("y", 500))...), limits(chat.Limits{AnswerBytes: 1000}))
	require.Equal(t, wire.FinishStop, s.ask(ann, chat.Send{Message: "Hi"}).Message.FinishReason)
}
