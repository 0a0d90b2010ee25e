package sse_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/sse"
)

// vector is one entry of event-streams.json; the README in the same folder explains it.
type vector struct {
	Name   string  `json:"name"`
	Text   string  `json:"text"`
	Bytes  []byte  `json:"bytes"`
	Events []event `json:"events"`
}

// event is an sse.Event that compares and prints well.
type event struct {
	Type        string `json:"type"`
	Data        string `json:"data"`
	LastEventID string `json:"lastEventId"`
}

func (v vector) stream() []byte {
	if v.Bytes != nil {
		return v.Bytes
	}
	return []byte(v.Text)
}

func vectors(t testing.TB) []vector {
	t.Helper()
	file, err := os.ReadFile("../testdata/event-streams.json")
	require.NoError(t, err)
	var list []vector
	require.NoError(t, json.Unmarshal(file, &list))
	require.NotEmpty(t, list)
	return list
}

// decode feeds the pieces one by one. It overwrites each event's data, and the memory behind it, after
// it has copied the event, and each piece after Feed. So an event that wrongly shares memory comes out
// wrong.
func decode(d *sse.Decoder, pieces [][]byte) ([]event, error) {
	var got []sse.Event
	var err error
	for _, piece := range pieces {
		fed := append([]byte(nil), piece...)
		err = d.Feed(fed, func(e sse.Event) { got = append(got, taken(e)) })
		for i := range fed {
			fed[i] = '!'
		}
		if err != nil {
			break
		}
	}
	return plain(got), err
}

// taken returns a copy of the event, and overwrites the data of the original.
func taken(e sse.Event) sse.Event {
	given := e.Data
	e.Data = bytes.Clone(given)
	for i := range given {
		given[i] = '!'
	}
	_ = append(given, "spoiled"...)
	return e
}

func plain(list []sse.Event) []event {
	events := []event{}
	for _, e := range list {
		events = append(events, event{e.Type, string(e.Data), e.LastEventID})
	}
	return events
}

func TestVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			stream := v.stream()
			for name, pieces := range manyCuts(stream) {
				got, err := decode(&sse.Decoder{}, pieces)
				require.NoError(t, err, name)
				require.Equal(t, v.Events, got, "%s: %q", name, pieces)
			}
		})
	}
}

func TestReferenceAgreesWithVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, v.Events, reference(v.stream()))
		})
	}
}

// manyCuts yields the stream as a whole, byte by byte, cut once at every place, and cut at random
// places, which are the same in every run.
func manyCuts(stream []byte) func(yield func(string, [][]byte) bool) {
	return func(yield func(string, [][]byte) bool) {
		if !yield("whole", [][]byte{stream}) || !yield("byte by byte", every(stream, 1)) {
			return
		}
		for i := range len(stream) + 1 {
			if !yield("one cut", [][]byte{stream[:i], stream[i:]}) {
				return
			}
		}
		random := rand.New(rand.NewPCG(9, 26))
		for range 50 {
			if !yield("random cuts", cutBy(stream, func() int { return random.IntN(12) })) {
				return
			}
		}
	}
}

func every(stream []byte, size int) [][]byte {
	return cutBy(stream, func() int { return size })
}

// cutBy cuts pieces of the sizes that next returns; they may be empty.
func cutBy(stream []byte, next func() int) [][]byte {
	var pieces [][]byte
	for len(stream) > 0 {
		n := min(next(), len(stream))
		pieces = append(pieces, stream[:n])
		stream = stream[n:]
	}
	return pieces
}
