package openai_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// An event that does not end fails, however short its lines are; any number of events that end does
// not.
func TestAnEventHasABound(t *testing.T) {
	t.Parallel()
	line := "data: " + strings.Repeat("x", 1<<20)
	for _, end := range []string{"\n", "\r\n", "\r"} {
		read := func(text string) error {
			_, err := io.Copy(io.Discard, openai.Bounded(iotest.OneByteReader(strings.NewReader(text[:min(len(text), 64)]))))
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, openai.Bounded(strings.NewReader(text)))
			return err
		}
		require.NoError(t, read(strings.Repeat(line+end+end, 50)))
		require.Equal(t, wire.CodeProviderFailed, fault.Of(read(strings.Repeat(line+end, 50))).Code)
	}
}
