package sse_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/sse"
)

func TestEventsComeAtTheEndOfTheirBlankLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		stream string
		at     []int // how many bytes were fed when each event came
	}{
		{"at the LF", "data:a\n\ndata:b\n\n", []int{8, 16}},
		{"at the CR, without waiting for an LF", "data:a\r\rdata:b\r\r", []int{8, 16}},
		{"at the CR of a CRLF", "data:a\r\n\r\ndata:b\r\n\r\n", []int{9, 19}},
		{"at the last CR of the stream", "data:a\n\r", []int{8}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var d sse.Decoder
			var at []int
			for i := range test.stream {
				require.NoError(t, d.Feed([]byte(test.stream[i:i+1]), func(sse.Event) { at = append(at, i+1) }))
			}
			require.Equal(t, test.at, at)
		})
	}
}

func TestEmptyFeedChangesNothing(t *testing.T) {
	t.Parallel()
	var pieces [][]byte
	for _, b := range []byte("\uFEFFdata: a\r\ndata: \u00E9\r\n\r\n") {
		pieces = append(pieces, nil, []byte{b}, []byte{})
	}
	got, err := decode(&sse.Decoder{}, pieces)
	require.NoError(t, err)
	require.Equal(t, []event{{"message", "a\n\u00E9", ""}}, got)
}

func TestTheReceiverMayOverwriteTheData(t *testing.T) {
	t.Parallel()
	var d sse.Decoder
	var got []sse.Event
	for range 2 {
		require.NoError(t, d.Feed([]byte("event: x\nid: 1\ndata: aaaa\n\ndata: bbbb\n\n"), func(e sse.Event) { got = append(got, taken(e)) }))
	}
	require.Equal(t, []event{{"x", "aaaa", "1"}, {"message", "bbbb", "1"}, {"x", "aaaa", "1"}, {"message", "bbbb", "1"}}, plain(got))
}

func TestEventsOfALongStreamDoNotChange(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 3000 {
		digits := strconv.Itoa(i)
		fmt.Fprintf(&text, "id: %s\nevent: type%d\ndata: %s\n\n", strings.Repeat(digits, i%200), i%7, strings.Repeat(digits, i%300))
	}
	long := strings.Repeat("a", 10_000)
	fmt.Fprintf(&text, "id: %s\nevent: %s\ndata: %s\n\n", long, long, long)
	stream := []byte(text.String())
	var d sse.Decoder
	got, err := decode(&d, every(stream, 1000))
	require.NoError(t, err)
	require.Equal(t, reference(stream), got)
	require.LessOrEqual(t, d.Blocks(), 8<<10)
}

func TestPanicInEmitLosesOnlyThatFeed(t *testing.T) {
	t.Parallel()
	var d sse.Decoder
	require.Panics(t, func() {
		_ = d.Feed([]byte("event: x\ndata: a\n\ndata: b\n\n"), func(sse.Event) { panic("emit") })
	})
	got, err := decode(&d, [][]byte{[]byte("data: c\n\n")})
	require.NoError(t, err)
	require.Equal(t, []event{{"message", "c", ""}}, got)
}

func TestCap(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		stream string
		max    int
		events []event
		fails  bool
	}{
		{"an event of just the cap passes", "data:12345\n\n", 10, []event{{"message", "12345", ""}}, false},
		{"one byte more fails", "data:123456\n\n", 10, []event{}, true},
		{"an unfinished line of just the cap passes", "data:12345", 10, []event{}, false},
		{"an unfinished line that is longer fails", "data:123456", 10, []event{}, true},
		{"a comment counts", ":1234567890\n\n", 10, []event{}, true},
		{"an unknown field counts", "12345678901\n\n", 10, []event{}, true},
		{"data lines add up, each with its LF", "data:1\ndata:2\ndata\n\n", 8, []event{{"message", "1\n2\n", ""}}, false},
		{"data lines add up to too much", "data:1\ndata:2\ndata:\n\n", 8, []event{}, true},
		{"the type adds up", "event:xx\ndata:12\n\n", 8, []event{}, true},
		{"the id adds up", "id:xx\ndata:12\n\n", 8, []event{}, true},
		{"an id that is replaced stops counting", "id:xxxx\nid\ndata:123\n\n", 8, []event{{"message", "123", ""}}, false},
		{"a type of ill-formed bytes counts as decoded", "event:\xFF\xFF\xFF\ndata:\n\n", 9, []event{}, true},
		{"nothing remains of a dispatched event", strings.Repeat("data:1\n\n", 3), 6, []event{{"message", "1", ""}, {"message", "1", ""}, {"message", "1", ""}}, false},
		{"events before the error are emitted", "data:1\n\ndata:12345\n\n", 8, []event{{"message", "1", ""}}, true},
		{"line ends don't count", "data:1\r\n\r\n", 6, []event{{"message", "1", ""}}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for name, pieces := range manyCuts([]byte(test.stream)) {
				got, err := decode(&sse.Decoder{MaxBytes: test.max}, pieces)
				require.Equal(t, test.events, got, "%s: %q", name, pieces)
				require.Equal(t, test.fails, err != nil, "%s: %q", name, pieces)
			}
		})
	}
}

func TestErrorOfTheCapStays(t *testing.T) {
	t.Parallel()
	d := sse.Decoder{MaxBytes: 8}
	none := func(e sse.Event) { t.Errorf("event after the error: %v", e) }
	err := d.Feed([]byte("data: 123"), none)
	require.EqualError(t, err, "event stream: an event, or one line, is larger than 8 bytes: "+
		"raise MaxBytes, or have the server send smaller events")
	var tooLarge sse.TooLargeError
	require.ErrorAs(t, err, &tooLarge)
	require.Equal(t, 8, tooLarge.MaxBytes)
	require.Equal(t, err, d.Feed([]byte("\n\ndata: 1\n\n"), none))
	require.Equal(t, err, d.Feed(nil, none))
	require.Zero(t, d.Held()+d.Reserved())
}

func TestCapIs16MiBByDefault(t *testing.T) {
	t.Parallel()
	ignore := func(sse.Event) {}
	line := bytes.Repeat([]byte{'a'}, 16<<20)
	var d sse.Decoder
	require.NoError(t, d.Feed(line, ignore))
	require.Equal(t, sse.TooLargeError{MaxBytes: 16 << 20}, d.Feed(line[:1], ignore))
}

func TestRawDataIsLeftAsItCame(t *testing.T) {
	t.Parallel()
	for _, raw := range []bool{true, false} {
		decoder := sse.Decoder{Raw: raw}
		var got []string
		keep := func(event sse.Event) { got = append(got, event.Type+" "+string(event.Data)) }
		require.NoError(t, decoder.Feed([]byte("event: \xc3x\ndata: \xc3\n\ndata: \xa4\n\n"), keep))
		want := []string{"\uFFFDx \uFFFD", "message \uFFFD"}
		if raw {
			want = []string{"\uFFFDx \xc3", "message \xa4"}
		}
		require.Equal(t, want, got)
	}
}
