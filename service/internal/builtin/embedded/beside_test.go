package embedded_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

func TestImagesAreDescribed(t *testing.T) {
	t.Parallel()
	shot := images.Image{MediaType: "image/png", Width: 640, Height: 480}
	dot, photo := images.Image{MediaType: "image/gif", Width: 1, Height: 1}, images.Image{MediaType: "image/jpeg", Width: 4000, Height: 3000}
	const shown = "You sent a PNG image of 640 × 480. Describing images takes a model."
	tests := []struct {
		name   string
		text   string
		images []images.Image
		want   string
	}{
		{"instead of no answer", "What is in this picture?", []images.Image{shot}, shown},
		{"instead of no work", "Draw a map of it", []images.Image{shot}, shown},
		{"beside an answer", "What is my name?", []images.Image{shot}, "Your name is Anna.\n\n" + shown},
		{"beside a greeting", "Hello", []images.Image{shot}, "Hello again! Tell me something, or ask me about what was said in this chat.\n\n" + shown},
		{"several", "What is this?", []images.Image{shot, dot, photo},
			"You sent a PNG image of 640 × 480, a GIF image of 1 × 1 and a JPEG image of 4000 × 3000. Describing images takes a model."},
		{"two", "What is this?", []images.Image{dot, {MediaType: "image/webp", Width: 2, Height: 3}},
			"You sent a GIF image of 1 × 1 and a WebP image of 2 × 3. Describing images takes a model."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			prompt := said("My name is Anna.", test.text)
			prompt.Messages[2].Images = test.images
			require.Equal(t, test.want, ask(t, prompt).text)
		})
	}
	prompt := said("Look at this.", "And now?")
	prompt.Messages[0].Images = []images.Image{shot}
	require.NotContains(t, ask(t, prompt).text, "640", "only those of the question")
}

func TestResultsOfASearchAreShown(t *testing.T) {
	t.Parallel()
	results := []answering.Result{
		{Title: "Rain", URL: "https://a.example/", Snippet: "It rains."}, {Title: "Sun", URL: "https://b.example/", Snippet: "It shines."},
		{Title: "Snow", URL: "https://c.example/", Snippet: "It snows."}, {Title: "Hail", URL: "https://d.example/", Snippet: "It hails."},
	}
	prompt := said("Hi", "How is the weather in Rome?")
	prompt.Results = results
	require.Equal(t, "A web search found this, which nobody has checked:\n1. “It rains.” (Rain, https://a.example/)\n"+
		"2. “It shines.” (Sun, https://b.example/)\n3. “It snows.” (Snow, https://c.example/)", ask(t, prompt).text)
	prompt = said("My name is Anna.", "What is my name?")
	prompt.Results = results[:1]
	require.Equal(t, "Your name is Anna.\n\nA web search found this, which nobody has checked:\n1. “It rains.” (Rain, https://a.example/)", ask(t, prompt).text)
}
