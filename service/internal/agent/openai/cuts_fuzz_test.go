package openai_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	hasReason = regexp.MustCompile(`"(finish_reason|finishReason)":"[^"]`)
	hasMore   = regexp.MustCompile(`"(content|text|name|arguments)":"[^"]|"content":\["`)
)

// isEnded reports whether a part of a stream has a finish reason at or behind all of the answer, or one
// anywhere and [DONE] behind it.
func isEnded(stream string) bool {
	reason, more := -1, -1
	events := strings.Split(stream, "\n\n")
	for i, event := range events[:len(events)-1] { // the last one is cut, or empty
		if strings.Contains(event, "[DONE]") {
			return reason >= 0
		}
		if hasMore.MatchString(event) {
			more = i
		}
		if hasReason.MatchString(event) {
			reason = i
		}
	}
	return reason >= 0 && reason >= more
}

// Wherever a stream is cut, the answer is whole up to a reason, or an error: never a success without a
// reason or [DONE] behind all of its text and calls.
func FuzzCuts(f *testing.F) {
	recordings := []string{
		recording("\n"),
		parts(head(0, "c1", "lookup", "")) + parts(more(0, `{"key":"a"}`)) + ends("tool_calls") + parts(head(1, "c2", "order", "")) +
			parts(more(1, `{"n":2}`)) + ends("tool_calls") + done,
		piece(`"Let me see."`) + ends("stop") + parts(head(0, "c1", "lookup", `{"key":"a"}`)) + ends("tool_calls") + done,
	}
	for _, test := range wild {
		if strings.HasPrefix(test.stream, "data: {") && !strings.Contains(test.stream, "<th") && !test.fails {
			recordings = append(recordings, test.stream)
		}
	}
	for i, stream := range recordings {
		for part := range 8 {
			f.Add(uint8(i), uint16(len(stream)*(part+1)/8))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, at uint16) {
		stream := recordings[int(which)%len(recordings)]
		whole := read(t, newModel(t, streams(stream, closed)).provider(t).Answer(t.Context(), withTools()))
		require.NoError(t, whole.err)
		stream = stream[:int(at)%(len(stream)+1)]
		got := read(t, newModel(t, streams(stream, closed)).provider(t).Answer(t.Context(), withTools()))
		require.True(t, strings.HasPrefix(whole.text(), got.text()))
		if got.err != nil {
			require.Empty(t, got.calls)
			return
		}
		require.True(t, isEnded(stream), "a success without an end: %q", stream)
		for i, call := range got.calls {
			require.Equal(t, whole.calls[i], call)
		}
	})
}
