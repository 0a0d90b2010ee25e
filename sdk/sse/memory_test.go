package sse_test

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/sse"
)

// Not parallel, like the other test here, because it reads memory figures of the whole process.
func TestEndlessLineHoldsNoMoreThanTheCap(t *testing.T) {
	const size, total = 1 << 20, 1 << 30
	d := sse.Decoder{MaxBytes: 4 << 20}
	piece := append([]byte("data:"), bytes.Repeat([]byte{'a'}, size-len("data:"))...)
	before := allocated()
	var refused int
	for range total / size {
		if d.Feed(piece, func(sse.Event) {}) != nil {
			refused++
		}
		require.LessOrEqual(t, max(d.Held(), d.Reserved()), d.MaxBytes)
	}
	require.Equal(t, total/size-4, refused)
	require.Zero(t, d.Held()+d.Reserved())
	// It held 1 + 2 + 4 MiB while it doubled, and the test itself allocates.
	require.Less(t, allocated()-before, uint64(2*d.MaxBytes))
}

func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

// Data costs no allocation. An id or a type that changes costs a small part of one, because a block
// of copies holds more than a hundred.
func TestAllocations(t *testing.T) {
	const events = 2000
	large := strings.Repeat("a", 1000)
	tests := []struct {
		name   string
		stream string
		feed   int
		most   float64 // allocations for each event
	}{
		{"small data", "event: chunk\ndata: {\"text\":\"some words\"}\n\n", 1 << 20, 0.01},
		{"small data of many lines", "data: a\r\ndata: bc\r\ndata\r\n\r\n", 1 << 20, 0.01},
		{"small data in small feeds", "event: chunk\ndata: {\"text\":\"some words\"}\n\n", 7, 0.01},
		{"an id that changes", "id: 1001\ndata\n\nid: 1002\ndata\n\n", 1 << 20, 0.01},
		{"a type that changes", "event: x\ndata\n\nevent: y\ndata\n\n", 1 << 20, 0.01},
		{"an id and a type that stay", "id: 1001\nevent: chunk\ndata\n\n", 1 << 20, 0},
		{"comments, unknown fields and blank lines", ": ping\nretry: 10\nx\n\n\n", 1 << 20, 0},
		{"large data", "data: " + large + "\n\n", 1 << 20, 0.01},
		{"large data in small feeds", "data: " + large + "\n\n", 100, 0.01},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var d sse.Decoder
			pieces := every([]byte(strings.Repeat(test.stream, events)), test.feed)
			feed := func() {
				for _, piece := range pieces {
					_ = d.Feed(piece, func(sse.Event) {})
				}
			}
			require.LessOrEqual(t, testing.AllocsPerRun(5, feed), test.most*events)
		})
	}
}
