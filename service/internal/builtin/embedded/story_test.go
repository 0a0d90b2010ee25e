package embedded_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/builtin/embedded"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

const (
	storyBegins = "I know one story, and tell it slowly: reload the page meanwhile, or stop me.\n\nThe ferry that answered\n\nOn the northern side"
	storyEnds   = "waited for the letters."
)

func TestTellsAStory(t *testing.T) {
	t.Parallel()
	for _, asked := range []string{"Tell me a long story", "Tell me a long story.", "Hi! Please tell me another story", "Can you tell me a story?", "Write a tale about a cat"} {
		a := ask(t, said("Hello", asked))
		require.True(t, strings.HasPrefix(a.text, storyBegins), asked)
		require.True(t, strings.HasSuffix(a.text, storyEnds), asked)
	}
	short := ask(t, said("Hello", "Tell me a short story")).text
	require.True(t, strings.HasPrefix(short, storyBegins))
	require.Less(t, len(short), 600)
	for _, other := range []string{"Tell me my story", "Who wrote a story?", "What is the story of your life?", "I wrote a long story.", "Tell me what I said about a story"} {
		require.NotContains(t, ask(t, said("Hello", other)).text, "ferry", other)
	}
}

// Documents that mention stories are no answer to somebody who wants to hear one.
func TestTellsAStoryBesideDocuments(t *testing.T) {
	t.Parallel()
	prompt := said("Tell me a long story")
	prompt.Passages = []search.Hit{{Passage: split.Passage{Text: "Tell me a long story: a long story is told by an agent."}}}
	a := ask(t, prompt)
	require.Contains(t, a.text, storyEnds)
}

// In the demo, the story takes about a minute, and it can be stopped in the middle.
func TestAStoryIsSlow(t *testing.T) {
	t.Parallel()
	demo := embedded.Agent{Pace: 20 * time.Millisecond}
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		for _, err := range demo.Answer(t.Context(), said("Hello", "Tell me a long story")) {
			require.NoError(t, err)
		}
		took := time.Since(begun)
		require.Greater(t, took, 40*time.Second)
		require.Less(t, took, time.Minute)
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
		defer stop()
		var text string
		var last error
		for piece, err := range demo.Answer(ctx, said("Hello", "Tell me a long story")) {
			text, last = text+piece.Text, err
		}
		require.ErrorIs(t, last, context.DeadlineExceeded)
		require.Contains(t, text, "The keeper of the southern landing")
		require.NotContains(t, text, storyEnds)
	})
	var none []answering.Piece
	for piece := range (embedded.Agent{}).Answer(t.Context(), said("Tell me a long story")) { // without a pace it is told at once
		none = append(none, piece)
	}
	require.Greater(t, len(none), 400)
}
