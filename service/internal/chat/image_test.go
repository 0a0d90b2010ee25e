package chat_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

func TestImagesReachTheModel(t *testing.T) {
	t.Parallel()
	model := newRecorder(says(words("Nice.")...))
	s := start(t, model)
	files := [][]byte{imagetest.PNG(64, 48), imagetest.JPEG(3, 2), imagetest.WebP(300, 1), imagetest.GIF(1, 9)}
	response := s.ask(ann, chat.Send{Message: "What is this?", Images: files})
	asked := <-model.prompts
	got := asked.Messages[0].Images
	question := s.history(response.ChatID).Messages[0]
	want := []images.Image{
		{MediaType: "image/png", Width: 64, Height: 48}, {MediaType: "image/jpeg", Width: 3, Height: 2},
		{MediaType: "image/webp", Width: 300, Height: 1}, {MediaType: "image/gif", Width: 1, Height: 9},
	}
	for i, kind := range []string{"PNG", "JPEG", "WebP", "GIF"} {
		want[i].ID, want[i].Size = question.ImageURLs[i], len(files[i])
		require.Equal(t, kind, want[i].Kind())
	}
	require.Equal(t, want, got)
	for i, image := range got {
		var file bytes.Buffer
		require.NoError(t, asked.Files.WriteImage(t.Context(), &file, image))
		require.Equal(t, files[i], file.Bytes())
	}
	require.Empty(t, response.Message.ImageURLs, "they are the question's")

	s.ask(ann, chat.Send{Message: "And now?", ChatID: response.ChatID})
	prompt := <-model.prompts
	require.Equal(t, want, prompt.Messages[0].Images, "those of earlier questions are there too")
	require.Empty(t, prompt.Messages[2].Images)
	s.ask(ann, chat.Send{Message: "And now?", ChatID: response.ChatID, Options: answering.Options{IgnoreChatHistory: true}})
	require.Empty(t, (<-model.prompts).Messages[0].Images)
}

func TestRegenerateShowsTheImagesAgain(t *testing.T) {
	t.Parallel()
	model := newRecorder(says(words("Nice.")...))
	s := start(t, model)
	first := s.ask(ann, chat.Send{Message: "What is this?", Images: [][]byte{imagetest.PNG(2, 2)}})
	want := (<-model.prompts).Messages
	stream, err := s.Regenerate(t.Context(), ann, chat.Regenerate{ChatID: first.ChatID, MessageID: first.Message.ID})
	require.NoError(t, err)
	read(t, stream)
	require.Equal(t, want, (<-model.prompts).Messages)
	require.Len(t, want[0].Images, 1)
}

// A file's content decides what it is. A file that only pretends to be an
// image, or that would be too large for viewers, is refused.
func TestHostileImages(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Nice.")...))
	png := imagetest.PNG(4, 4)
	tests := []struct {
		name    string
		content []byte
		code    string
		says    string
	}{
		{"nothing", nil, wire.CodeValidation, "image 2 is not a PNG"},
		{"an SVG", []byte(imagetest.SVG), wire.CodeValidation, "image 2 is not a PNG"},
		{"a page", []byte("<!doctype html><script>alert(1)</script>"), wire.CodeValidation, "image 2 is not a PNG"},
		{"an archive", []byte("PK\x03\x04\x14\x00"), wire.CodeValidation, "image 2 is not a PNG"},
		{"a RIFF of another kind", []byte("RIFF\x24\x00\x00\x00WAVEfmt "), wire.CodeValidation, "image 2 is not a PNG"},
		{"a PNG after a space", append([]byte(" "), png...), wire.CodeValidation, "image 2 is not a PNG"},
		{"a PNG signature and a script", []byte("\x89PNG\r\n\x1a\n<script>alert(1)</script>"), wire.CodeValidation, "image 2 begins like a PNG"},
		{"only a JPEG signature", []byte("\xff\xd8\xff"), wire.CodeValidation, "image 2 begins like a JPEG"},
		{"a GIF without pixels", []byte("GIF89a\x00\x00\x00\x00\x00\x00\x00"), wire.CodeValidation, "image 2 begins like a GIF"},
		{"a WebP that is cut", imagetest.WebP(2, 2)[:22], wire.CodeValidation, "image 2 begins like a WebP"},
		{"a bomb", imagetest.HugePNG(16_000, 16_000), wire.CodePayloadTooLarge, "16000 × 16000 pixels, want at most 16384 a side and 50000000 in all"},
		{"a side too long", imagetest.HugePNG(16_385, 1), wire.CodePayloadTooLarge, "16385 × 1 pixels"},
		{"a size that overflows", imagetest.HugePNG(1<<31-1, 1<<31-1), wire.CodeValidation, "begins like a PNG"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := requireError(t, s.refused(ann, chat.Send{Message: "See?", Images: [][]byte{png, test.content}}), test.code, "images")
			require.Contains(t, err.Message, test.says)
		})
	}
	s.ask(ann, chat.Send{Message: "See?", Images: [][]byte{imagetest.HugePNG(16_384, 3_000), imagetest.WebP(16_384, 1)}})
}

// An image counts as 512 tokens. A prompt has a message with all its images, or
// not at all.
func TestImagesTakeRoom(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		window int
		want   []int // images of each message of the prompt
	}{
		{"all of it", 3*512 + 4 + 3, []int{2, 0, 1}},
		{"one token less", 3*512 + 4 + 2, []int{1}},
		{"the question alone", 512 + 2, []int{1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			model := newRecorder(says(words("Ok.")...))
			s := start(t, model, agents(answering.Agent{ID: "wide"}, answering.Agent{ID: "a", Window: test.window, Instructions: "So."}))
			png := imagetest.PNG(1, 1)
			first := s.ask(ann, chat.Send{Message: "Two of them", Images: [][]byte{png, png}}) // 4 tokens, the answer 1
			<-model.prompts
			s.ask(ann, chat.Send{Message: "One", ChatID: first.ChatID, Images: [][]byte{png}, Options: answering.Options{AgentID: "a"}})
			var got []int
			for _, message := range (<-model.prompts).Messages {
				got = append(got, len(message.Images))
			}
			require.Equal(t, test.want, got)
		})
	}
	s := start(t, says(words("Ok.")...), agents(answering.Agent{ID: "a", Window: 2*512 + 2, Instructions: "So much"}))
	err := requireError(t, s.refused(ann, chat.Send{Message: "Two", Images: [][]byte{imagetest.PNG(1, 1), imagetest.PNG(1, 1)}}), wire.CodePayloadTooLarge, "message")
	require.Contains(t, err.Message, "1 tokens and 1024 of 2 images beside 3 of instructions, and the window holds 1026")
}

// Images of earlier questions are read from the newest on, up to 20 MiB together
// with the images of the question.
func TestImagesOfEarlierQuestionsHaveALimit(t *testing.T) {
	t.Parallel()
	model := newRecorder(says(words("Ok.")...))
	s := start(t, model, agents(answering.Agent{ID: "a", Window: 1 << 20}))
	megabytes := func(n int) []byte { return append(imagetest.PNG(1, 1), bytes.Repeat([]byte{0}, n<<20)...) }
	chatID := s.newChat(ann)
	var prompt answering.Prompt
	for _, size := range []int{1, 12, 5, 2} {
		s.ask(ann, chat.Send{Message: "See?", ChatID: chatID, Images: [][]byte{megabytes(size)}})
		prompt = <-model.prompts
	}
	var got []string
	for _, message := range prompt.Messages {
		_, own := apart(message.Text)
		got = append(got, own+strings.Repeat(" +", len(message.Images)))
	}
	require.Equal(t, []string{"See?", "Ok.", "See? +", "Ok.", "See? +", "Ok.", "See? +"}, got,
		"12 + 5 + 2 MB and a few bytes fit; the message before has no image")
	require.Contains(t, beside(prompt), "One image that the user sent is left out")
	s.ask(ann, chat.Send{Message: "See?", ChatID: chatID, Images: [][]byte{megabytes(25)}})
	prompt = <-model.prompts
	require.Len(t, prompt.Messages[8].Images, 1, "those of the question are always there")
	for _, message := range prompt.Messages[:8] {
		require.Empty(t, message.Images)
	}
}
