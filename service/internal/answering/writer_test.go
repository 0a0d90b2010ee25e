package answering_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// scripted is a provider that says the same to every prompt, and keeps the prompts.
type scripted struct {
	pieces  []answering.Piece
	err     error
	prompts []answering.Prompt
}

func (s *scripted) Answer(_ context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
	s.prompts = append(s.prompts, prompt)
	return func(yield func(answering.Piece, error) bool) {
		for _, piece := range s.pieces {
			if !yield(piece, nil) {
				return
			}
		}
		if s.err != nil {
			yield(answering.Piece{}, s.err)
		}
	}
}

// chatOf is a chat whose messages are in memory.
type chatOf []answering.PromptMessage

func (c chatOf) Recent(context.Context, int) ([]answering.PromptMessage, error) { return c, nil }
func (chatOf) Image(context.Context, string) (images.Image, error) {
	return images.Image{}, errors.New("no image")
}
func (chatOf) WriteImage(context.Context, io.Writer, images.Image) error {
	return errors.New("no image")
}

// written lets a provider answer, and returns what was stored.
func written(t *testing.T, provider answering.Provider, past chatOf) (draft *answering.Draft, stored []stream.Event, err error) {
	t.Helper()
	draft = &answering.Draft{Basis: answering.Basis{
		Agent: answering.Agent{ID: "a", Instructions: "Be brief."}, Question: wire.Message{ID: "q", Content: "Where is it?"}, NoHistory: past == nil,
	}}
	w := answering.Writer{
		Draft: draft, Provider: provider, Past: past, Repaired: func() {}, Log: slog.New(slog.DiscardHandler),
		Patiently: func(_ context.Context, try func() error) error { return try() },
		Store: func(events []stream.Event) error {
			stored = append(stored, events...)
			return nil
		},
	}
	err = w.Write(t.Context())
	return draft, stored, err
}

// texts joins what readers get.
func texts(stored []stream.Event) string {
	var all strings.Builder
	for _, event := range stored {
		all.WriteString(event.Type + string(event.Data) + "\n")
	}
	return all.String()
}

func TestWriterStoresWhatTheProviderSays(t *testing.T) {
	t.Parallel()
	model := &scripted{pieces: []answering.Piece{{Text: "Behind "}, {Text: "the shop."}, {FinishReason: wire.FinishStop}}}
	past := chatOf{{Role: wire.RoleUser, Text: "Hi"}, {Role: wire.RoleAssistant, Text: "Hello."}}
	draft, stored, err := written(t, model, past)
	require.NoError(t, err)
	require.Equal(t, "chunk{\"text\":\"Behind \"}\nchunk{\"text\":\"the shop.\"}\n", texts(stored))
	require.Equal(t, "Behind the shop.", draft.Text.String())
	require.Equal(t, []any{2, wire.FinishStop}, []any{draft.Chunks, draft.Finish})
	require.Equal(t, "Be brief.", model.prompts[0].System)
	require.Len(t, model.prompts[0].Messages, 3)
}

func TestWriterKeepsWhatCameBeforeAFailure(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	draft, stored, err := written(t, &scripted{pieces: []answering.Piece{{Text: "Behind"}}, err: away}, nil)
	require.ErrorIs(t, err, away)
	require.Equal(t, "chunk{\"text\":\"Behind\"}\n", texts(stored))
	require.Equal(t, "Behind", draft.Text.String())
	_, _, err = written(t, &scripted{pieces: []answering.Piece{{Text: "Behind"}}}, nil)
	require.ErrorContains(t, err, "ended before it was complete")
}

func TestWriterLeavesCallsToOthers(t *testing.T) {
	t.Parallel()
	wanted := toolcall.ModelCall{ID: "1", Name: "open_map", Arguments: "{}"}
	draft, stored, err := written(t, &scripted{pieces: []answering.Piece{{Call: &wanted}, {FinishReason: wire.FinishStop}}}, nil)
	require.NoError(t, err)
	require.Empty(t, stored)
	require.Equal(t, []toolcall.ModelCall{wanted}, draft.Calls)
}
