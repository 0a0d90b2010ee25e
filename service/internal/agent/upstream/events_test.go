package upstream_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/sse"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
)

// An event that does not end fails, however short its lines are; any number of events that end does
// not.
func TestAnEventHasABound(t *testing.T) {
	t.Parallel()
	line := "data: " + strings.Repeat("x", 1<<20)
	for _, end := range []string{"\n", "\r\n", "\r"} {
		read := func(text string) error {
			require.ErrorIs(t, upstream.ReadEvents(iotest.OneByteReader(strings.NewReader(text[:min(len(text), 64)]))), io.EOF)
			return upstream.ReadEvents(strings.NewReader(text))
		}
		require.ErrorIs(t, read(strings.Repeat(line+end+end, 50)), io.EOF)
		require.ErrorAs(t, read(strings.Repeat(line+end, 50)), new(sse.TooLargeError))
	}
}
