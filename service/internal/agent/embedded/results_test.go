package embedded_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/chat"
)

func TestResultsOfASearchAreShown(t *testing.T) {
	t.Parallel()
	results := []chat.Result{
		{Title: "Rain", URL: "https://a.example/", Snippet: "It rains."}, {Title: "Sun", URL: "https://b.example/", Snippet: "It shines."},
		{Title: "Snow", URL: "https://c.example/", Snippet: "It snows."}, {Title: "Hail", URL: "https://d.example/", Snippet: "It hails."},
	}
	prompt := said("Hi", "How is the weather in Rome?")
	prompt.Results = results
	require.Equal(t, "A web search found this, which nobody has checked:\n1. “It rains.” (Rain, https://a.example/)\n"+
		"2. “It shines.” (Sun, https://b.example/)\n3. “It snows.” (Snow, https://c.example/)", ask(t, prompt).text)
	prompt = said("My name is Anna.", "What is my name?")
	prompt.Results = results[:1]
	require.Equal(t, "Your name is Anna. You said: “My name is Anna.”\n\nA web search found this, which nobody has checked:\n1. “It rains.” (Rain, https://a.example/)",
		ask(t, prompt).text)
}
