package sdk_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// A service cuts answers at 8 MiB by default, but that may be more, and escapes make them longer.
func TestAnAnswerOfMoreThan16MiB(t *testing.T) {
	t.Parallel()
	for name, chunks := range map[string][]string{
		"in many chunks": slices.Repeat([]string{strings.Repeat("word ", 1<<16)}, 60),
		"in one chunk":   {strings.Repeat("word ", 60<<16)},
		"of escapes":     slices.Repeat([]string{strings.Repeat("\x01", 1<<16)}, 64),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := stream(answerOf(chunks...)...)
			require.Greater(t, len(text), 20<<20)
			client, script := openPage(t, reply{header: streamHeader(), body: &body{left: pieces(text, 1<<16)}})
			got := outcomeOf(t, client, sdk.SendMessageOptions{})
			require.NoError(t, got.err)
			require.Equal(t, strings.Join(chunks, ""), got.complete.Content)
			require.Len(t, script.requests, 1)
		})
	}
}

// Another connection would bring the same event, so none is opened.
func TestAnEventTooLargeToRead(t *testing.T) {
	t.Parallel()
	text := stream(numbered(start(), chunk("a"))...) + "id: 3\nevent: complete\ndata: " + strings.Repeat("x", 65<<20)
	client, script := openPage(t, reply{header: streamHeader(), body: &body{left: pieces(text, 1<<20)}})
	got := outcomeOf(t, client, sdk.SendMessageOptions{})
	failure := apiError(t, got.err)
	require.Equal(t, wire.CodeStreamCut, failure.Code)
	require.Equal(t, "sendMessageStream: the answer has more than 67108864 bytes", failure.Message)
	require.Equal(t, "a", failure.Partial)
	require.Len(t, script.requests, 1)
}
