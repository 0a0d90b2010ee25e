package sse_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/chatsdk/chatsdk/sdk/sse"
)

// BenchmarkDecoder reports its time and allocations for each event too.
func BenchmarkDecoder(b *testing.B) {
	small := answer(10_000)
	benchmarks := []struct {
		name   string
		stream []byte
		size   int // of each feed
	}{
		{"small events in reads of 64 KiB", small, 64 << 10},
		{"small events in reads of 1 KiB", small, 1 << 10},
		{"small events byte by byte", small, 1},
		{"small events with CRLF", bytes.ReplaceAll(small, []byte("\n"), []byte("\r\n")), 64 << 10},
		{"small events with CR", bytes.ReplaceAll(small, []byte("\n"), []byte("\r")), 64 << 10},
		{"an event of 1 MiB in reads of 1 KiB", long(1<<20, 1<<20), 1 << 10},
		{"an event of 4 MiB in reads of 1 KiB", long(4<<20, 4<<20), 1 << 10},
		{"an event of 1 MiB in lines of 100", long(1<<20, 100), 1 << 10},
		{"an event of 1 MiB byte by byte", long(1<<20, 1<<20), 1},
	}
	for _, bench := range benchmarks {
		b.Run(bench.name, func(b *testing.B) {
			pieces := every(bench.stream, bench.size)
			var events int
			emit := func(sse.Event) { events++ }
			b.SetBytes(int64(len(bench.stream)))
			b.ReportAllocs()
			for b.Loop() {
				var d sse.Decoder
				for _, piece := range pieces {
					if err := d.Feed(piece, emit); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
		})
	}
}

func answer(chunks int) []byte {
	var stream bytes.Buffer
	for i := range chunks {
		fmt.Fprintf(&stream, "id: %d\nevent: chunk\ndata: {\"text\":\"word%d \"}\n\n", i+1, i)
	}
	return stream.Bytes()
}

func long(size, line int) []byte {
	return []byte(strings.Repeat("data: "+strings.Repeat("a", line)+"\n", size/line) + "\n")
}
