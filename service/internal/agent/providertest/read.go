package providertest

import (
	"iter"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// Answer is everything that a sequence yielded.
type Answer struct {
	Pieces    []string
	Reasoning string
	Calls     []toolcall.ModelCall
	Images    []images.File
	// Last is the piece with the finish reason.
	Last answering.Piece
	Err  error
}

// Text returns the whole text.
func (a Answer) Text() string { return strings.Join(a.Pieces, "") }

// Read reads a sequence to its end and checks the rules of every sequence: the finish reason or an
// error comes last, and never both.
func Read(t testing.TB, sequence iter.Seq2[answering.Piece, error]) Answer {
	t.Helper()
	var a Answer
	for piece, err := range sequence {
		require.Empty(t, a.Last.FinishReason, "a piece after the finish reason")
		require.NoError(t, a.Err, "a piece after an error")
		a.Last, a.Err = piece, err
		if piece.Text != "" {
			require.Empty(t, a.Calls, "text after a call")
			a.Pieces = append(a.Pieces, piece.Text)
		}
		a.Reasoning += piece.Reasoning
		require.True(t, utf8.ValidString(piece.Text+piece.Reasoning), "half a code point")
		if piece.Call != nil {
			a.Calls = append(a.Calls, *piece.Call)
		}
		if piece.Image != nil {
			a.Images = append(a.Images, *piece.Image)
		}
		isEmpty := piece.Text == "" && piece.Reasoning == "" && piece.Call == nil && piece.Image == nil && piece.FinishReason == ""
		require.NotEqual(t, isEmpty, err == nil, "a piece or an error, not both")
	}
	require.NotEqual(t, a.Last.FinishReason == "", a.Err == nil, "an answer has either a finish reason or an error")
	return a
}

// Question is a prompt with one message.
func Question(text string) answering.Prompt {
	return answering.Prompt{Model: "test-1", Messages: []answering.PromptMessage{{ID: "m1", Role: wire.RoleUser, Text: text}}}
}
