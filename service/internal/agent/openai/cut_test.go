package openai_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// recorded is a stream as a provider sends it, each event with its text.
var recorded = []struct{ event, text string }{
	{": connected\n\n", ""},
	{first(), ""},
	{piece(`"Grüße"`), "Grüße"},
	{piece(`" an \"alle\" \ud83d\ude42"`), ` an "alle" 🙂`},
	{piece(`"."`), "."},
	{ends("stop"), ""},
	{"data: {\"id\":\"chatcmpl-7\",\"object\":\"chat.completion.chunk\",\"choices\":[],\"usage\":{\"total_tokens\":9}}\n\n", ""},
	{done, ""},
}

// finishing is the index of the event with the finish reason.
const finishing = 5

func recording(lineEnd string) string {
	var stream strings.Builder
	for _, r := range recorded {
		stream.WriteString(strings.ReplaceAll(r.event, "\n", lineEnd))
	}
	return stream.String()
}

// whole says what the first n bytes of a recording hold: the text of the complete events, and
// whether the finish reason is among them. An event with CRLF is complete before its last LF, since
// a CR alone also ends a line.
func whole(n int, lineEnd string) (text string, finished bool) {
	end := 0
	for i, r := range recorded {
		end += len(strings.ReplaceAll(r.event, "\n", lineEnd))
		if n < end-(len(lineEnd)-1) {
			return text, false
		}
		text += r.text
		if i == finishing {
			return text, true
		}
	}
	return text, false
}

func TestAStreamCutAnywhereFailsUnlessTheFinishReasonCame(t *testing.T) {
	t.Parallel()
	for _, lines := range []struct{ name, end string }{{"LF", "\n"}, {"CRLF", "\r\n"}} {
		for _, end := range []ending{closed, dropped, reset} {
			t.Run("lines end with "+lines.name+", "+string(end), func(t *testing.T) {
				t.Parallel()
				if end == reset && runtime.GOOS != "linux" {
					t.Skip("a reset may overtake what was sent before it")
				}
				stream := recording(lines.end)
				var steps []step
				for n := range len(stream) + 1 {
					steps = append(steps, streams(stream[:n], end))
				}
				m := newModel(t, steps...)
				p := m.provider(t)
				for n := range steps {
					got := read(t, p.Answer(t.Context(), question("Hello?")))
					text, finished := whole(n, lines.end)
					requireCut(t, got, text, finished, n)
					require.Len(t, m.asked(), n+1, "after its response a call is not retried")
				}
			})
		}
	}
}

// requireCut requires, for an answer that was cut after n bytes, the complete events before the
// cut, and an error exactly if the finish reason is not among them.
func requireCut(t *testing.T, got answer, text string, finished bool, n int) {
	t.Helper()
	require.Equal(t, text, got.text(), "cut after %d bytes", n)
	if finished {
		require.NoError(t, got.err, "cut after %d bytes", n)
		require.Equal(t, wire.FinishStop, got.finish)
		return
	}
	requireCode(t, wire.CodeProviderFailed, got.err)
}

func TestDoneWithoutAFinishReasonFails(t *testing.T) {
	t.Parallel()
	got := newModel(t, says(first(), piece(`"Half an answer"`))).ask(t)
	failure := requireCode(t, wire.CodeProviderFailed, got.err)
	require.Equal(t, "The model's answer broke off", failure.Message)
	require.ErrorContains(t, got.err, "without a finish reason")
	require.Equal(t, "Half an answer", got.text())
}

func TestAnAnswerThatEndedOtherwiseFailsWithItsText(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, reason, message, cause string }{
		{"a content filter", "content_filter", "content filter", `"content_filter"`},
		{"tool calls", "tool_calls", "tool", `"tool_calls"`},
		{"a function call", "function_call", "tool", `"function_call"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := newModel(t, says(first(), piece(`"So far"`), ends(test.reason))).ask(t)
			failure := requireCode(t, wire.CodeProviderFailed, got.err)
			require.Contains(t, failure.Message, test.message)
			require.ErrorContains(t, failure.Cause, test.cause)
			require.Equal(t, "So far", got.text())
		})
	}
}
