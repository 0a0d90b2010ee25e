package sdk_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// faults spoils connections at random, in the same way for the same seed.
type faults struct {
	random *rand.Rand
	gone   int // from this connection on, the service no longer has the events
}

func (f *faults) connection(n int, text string) reply {
	if n >= f.gone && n > 0 {
		return coded(410, wire.CodeStreamGone)
	}
	switch f.random.IntN(9) {
	case 0:
		return reply{err: errors.New("connection reset")}
	case 1:
		return proxied([]int{408, 429, 500, 502, 503, 504}[f.random.IntN(6)])
	case 2:
		return silentAt(text, f.random.IntN(len(text)+1))
	case 3:
		return f.cut(f.doubled(text), len(text))
	case 4:
		return f.cut(f.dropped(text), len(text))
	case 5:
		return f.cut(text, len(text))
	}
	return f.cut(text, f.random.IntN(len(text)+1))
}

// cut ends a connection in one of three ways, in pieces of any size.
func (f *faults) cut(text string, at int) reply {
	end := []error{nil, io.ErrUnexpectedEOF, errors.New("reset")}[f.random.IntN(3)]
	return cutAt(text, at, 1+f.random.IntN(300), end)
}

func eventsOf(text string) []string {
	return slices.DeleteFunc(strings.SplitAfter(text, "\n\n"), func(event string) bool { return event == "" })
}

// doubled sends some events a second time.
func (f *faults) doubled(text string) string {
	events := eventsOf(text)
	for range f.random.IntN(4) {
		if len(events) == 0 {
			break
		}
		from := f.random.IntN(len(events))
		to := from + f.random.IntN(len(events)-from+1)
		events = slices.Insert(events, to, slices.Clone(events[from:to])...)
	}
	return strings.Join(events, "")
}

// dropped leaves an event out.
func (f *faults) dropped(text string) string {
	events := eventsOf(text)
	if len(events) > 0 {
		at := f.random.IntN(len(events))
		events = slices.Delete(events, at, at+1)
	}
	return strings.Join(events, "")
}

// randomAnswer is an answer of up to 20 chunks, with other events between them.
func randomAnswer(random *rand.Rand) (events []written, text string) {
	events = []written{start()}
	var chunks []string
	for i := range random.IntN(20) {
		if random.IntN(4) == 0 {
			events = append(events, written{event: wire.EventDocumentChunk, data: `{"text":"` + strconv.Itoa(i) + `"}`})
		}
		chunks = append(chunks, strings.Repeat("é😀\n", random.IntN(5))+strconv.Itoa(i))
		events = append(events, chunk(chunks[len(chunks)-1]))
	}
	return numbered(append(events, complete(chunks...), end())...), strings.Join(chunks, "")
}

// Whatever the connections do, the reader gets every event once and in order, or an error with exactly
// the text that had arrived.
func TestAnyFaultsGiveAWholeAnswerOrAnError(t *testing.T) {
	t.Parallel()
	var whole, failed, fromStored int
	for seed := range uint64(1000) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 4))
			events, text := randomAnswer(random)
			f := &faults{random: random, gone: 1 + random.IntN(12)}
			k := &keeper{events: events, spoil: f.connection}
			if random.IntN(3) > 0 {
				k.stored = func() reply {
					return jsonReply(string(sdk.AppendString([]byte(`{"id":"m2","finish_reason":"stop","content":`), text)) + `}`)
				}
			}
			config := retryConfig()
			config.MaxRetries = 1 + random.IntN(3)
			got := outcomeOf(t, k.open(t, config), sdk.SendMessageOptions{})
			switch {
			case got.err != nil:
				failed++
				require.Equal(t, got.text, apiError(t, got.err).Partial, "seed %d", seed)
				require.Nil(t, got.complete, "seed %d", seed)
				requireBeginning(t, events, got.events, seed)
			case slices.Contains(k.log(), stored):
				fromStored++
				require.Equal(t, text, got.text, "seed %d", seed)
				require.Equal(t, text, got.complete.Content, "seed %d", seed)
				require.True(t, strings.HasSuffix(got.types(), "complete end"), "seed %d", seed)
			default:
				whole++
				require.Equal(t, text, got.text, "seed %d", seed)
				requireWhole(t, events, got, "seed %d", seed)
			}
			for i, key := range k.keys {
				require.Equal(t, strings.HasPrefix(k.asked[i], "POST"), key != "", "seed %d", seed)
				require.True(t, key == "" || key == k.keys[0], "seed %d: another key", seed)
			}
		})
	}
	require.Greater(t, whole, 100)
	require.Greater(t, failed, 50)
	require.Greater(t, fromStored, 20)
}

// requireBeginning checks that the reader got the first events, each once.
func requireBeginning(t *testing.T, events []written, got []sdk.Event, seed uint64) {
	for i, event := range got {
		require.EqualValues(t, i+1, event.ID, "seed %d", seed)
		require.Equal(t, events[i].event, event.Type, "seed %d", seed)
	}
}
