package sdk_test

import (
	"bytes"
	"context"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// fixed is a Transport that answers each request with a new reader.
type fixed func() io.ReadCloser

func (f fixed) Do(context.Context, *sdk.Request) (*sdk.Response, error) {
	return &sdk.Response{Status: 200, Header: reply{header: streamHeader()}.get, Body: f()}, nil
}

func openReader(t testing.TB, body io.ReadCloser) *sdk.Client {
	t.Helper()
	config := pageConfig()
	config.Transport = fixed(func() io.ReadCloser { return body })
	client, err := sdk.New(config)
	require.NoError(t, err)
	return client
}

// longAnswer is a stream with many chunks of a text.
func longAnswer(chunks int, text string) string {
	return stream(answerOf(slices.Repeat([]string{text}, chunks)...)...)
}

func TestALongAnswer(t *testing.T) {
	t.Parallel()
	const chunks = 100_000
	got := outcomeOf(t, openReader(t, io.NopCloser(strings.NewReader(longAnswer(chunks, "word ")))), sdk.SendMessageOptions{})
	require.NoError(t, got.err)
	require.Len(t, got.events, chunks+3)
	require.Equal(t, strings.Repeat("word ", chunks), got.text)
	require.Equal(t, got.text, got.complete.Content)
}

// Not parallel, because both counts are for the whole process.
func TestTheCostOfAChunkDoesNotGrow(t *testing.T) {
	for name, text := range map[string]string{"without escapes": "word ", "with short escapes": "said \"no\"\n"} {
		t.Run(name, func(t *testing.T) {
			few, many := readingOf(t, 1_000, text), readingOf(t, 21_000, text)
			allocations := testing.AllocsPerRun(3, many) - testing.AllocsPerRun(3, few)
			require.LessOrEqual(t, allocations/20_000, 0.1, "allocations of each further chunk")
			require.Less(t, float64(allocated(many)-allocated(few))/20_000, 300.0, "bytes of each further chunk")
		})
	}
}

// readingOf returns a function that reads an answer with many chunks.
func readingOf(t *testing.T, chunks int, chunk string) func() {
	text := longAnswer(chunks, chunk)
	config := pageConfig()
	config.Transport = fixed(func() io.ReadCloser { return io.NopCloser(strings.NewReader(text)) })
	client, err := sdk.New(config)
	require.NoError(t, err)
	return func() {
		events := 0
		for batch, err := range client.StreamBatches(context.Background(), "hi", sdk.SendMessageOptions{}) {
			if err != nil {
				panic(err)
			}
			for _, part := range batch {
				if part.Type == wire.EventChunk {
					events += bytes.Count(part.Texts, []byte(`","`)) // counts all chunks of a list but one
				}
			}
			events += len(batch)
		}
		if events != chunks+3 {
			panic("events were lost")
		}
	}
}

// allocated is how many bytes f allocates, freed or not: the least of some runs, since what else runs in the process allocates too.
func allocated(f func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}
