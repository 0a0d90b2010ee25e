package chat_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// png returns an image that a model or a tool gives.
func png(t *testing.T, width, height int) images.File {
	t.Helper()
	files, err := images.Read([][]byte{imagetest.PNG(width, height)})
	require.NoError(t, err)
	return files[0]
}

func TestImagesOfAModelAreKeptAndGivenAgain(t *testing.T) {
	t.Parallel()
	drawn := png(t, 640, 480)
	model := newRecorder(func(_ context.Context, prompt answering.Prompt, yield func(answering.Piece, error) bool) {
		_ = yield(answering.Piece{Text: "Here."}, nil) && (len(prompt.Messages) > 1 || yield(answering.Piece{Image: &drawn}, nil)) &&
			yield(answering.Piece{FinishReason: wire.FinishStop}, nil)
	})
	s := start(t, model)
	stream, err := s.Send(t.Context(), ann, chat.Send{Message: "A cat"})
	require.NoError(t, err)
	told := read(t, stream)
	require.Contains(t, told.types(), wire.EventMessageObject)
	response := s.whole(told.start.StreamID)
	require.Equal(t, []string{drawn.ID}, response.Message.ImageURLs)
	answer := s.history(response.ChatID).Messages[1]
	require.Equal(t, []string{drawn.ID}, answer.ImageURLs)
	kept, err := s.Image(t.Context(), "project", drawn.ID)
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, s.WriteImage(t.Context(), &file, kept))
	require.Equal(t, drawn.Content, file.Bytes())

	s.ask(ann, chat.Send{Message: "In blue", ChatID: response.ChatID})
	<-model.prompts
	messages := (<-model.prompts).Messages
	require.Equal(t, "Here.\n[image, which the next message has again if there is room]", messages[1].Text)
	require.Empty(t, messages[1].Images)
	require.Equal(t, []images.Image{drawn.Image}, messages[2].Images)
}

func TestAnAnswerOfAnImageAloneIsWhole(t *testing.T) {
	t.Parallel()
	drawn := png(t, 2, 2)
	s := start(t, (&rounds{say: [][]answering.Piece{{{Image: &drawn}}}}).script())
	response := s.ask(ann, chat.Send{Message: "A cat"})
	require.Equal(t, []string{drawn.ID}, response.Message.ImageURLs)
	require.Equal(t, wire.FinishStop, response.Message.FinishReason)
}

func TestImagesOfAToolReachTheUserAndTheModel(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		takes int
		want  int
	}{"a model that sees": {0, 2}, "a model that sees nothing": {answering.NoImages, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := []images.File{png(t, 64, 48), png(t, 3, 2)}
			did := &counter{outcome: func(tool.Call) tool.Outcome {
				return tool.Outcome{Status: wire.CallDone, Result: "[image 1][image 2]", Images: given}
			}}
			model := oneCall()
			s := start(t, model.script(), operatorTools(t, did, nil, map[string]string{"act": wire.ApprovalNever}), func(c *chat.Config) {
				c.Abilities = func(answering.Agent, string) answering.Abilities { return answering.Abilities{Images: test.takes} }
			}).carried()
			response := s.ask(ann, chat.Send{Message: "Look", Offer: knows})
			require.Equal(t, "Done.", response.Message.Content)
			require.Equal(t, images.IDs(given), response.Message.ImageURLs)
			require.Equal(t, images.IDs(given), s.history(response.ChatID).Messages[1].ImageURLs)
			past := model.asked()[1].Rounds[0].Calls[0]
			require.Len(t, past.Images, test.want)
			if test.want > 0 {
				require.Equal(t, []images.Image{given[0].Image, given[1].Image}, past.Images)
			}
			require.Contains(t, past.Outcome, "[image 1][image 2]")
		})
	}
}
