package sdk_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

func eachByte(text string) []string { return strings.Split(text, "") }

// ends are the ways in which a connection closes.
func ends() map[string]error {
	return map[string]error{
		"politely":             nil,
		"in the middle":        io.ErrUnexpectedEOF,
		"with a broken socket": errors.New("connection reset by peer"),
	}
}

func TestAStreamThatIsCutAnywhere(t *testing.T) {
	t.Parallel()
	whole := stream(numbered(start(), chunk("Hé"), chunk("llo 😀"), written{event: "chat_name", data: `{"name":"N"}`}, complete("Hé", "llo 😀"), end())...)
	for _, lineEnd := range []string{"\n", "\r\n", "\r"} {
		text := strings.ReplaceAll(whole, "\n", lineEnd)
		for how, err := range ends() {
			t.Run(how+", lines ended by "+map[string]string{"\n": "LF", "\r\n": "CRLF", "\r": "CR"}[lineEnd], func(t *testing.T) {
				t.Parallel()
				cutEverywhere(t, text, lineEnd, err)
			})
		}
	}
}

func cutEverywhere(t *testing.T, text, lineEnd string, end error) {
	// An event is complete after its blank line. With CRLF, the CR of the blank line is enough.
	blank := strings.TrimSuffix(lineEnd, "\n")
	if blank == "" {
		blank = "\n"
	}
	completion := strings.Index(text, "event: complete")
	completed := completion + strings.Index(text[completion:], lineEnd+lineEnd) + len(lineEnd+blank)
	for at := range len(text) {
		client, _ := openPage(t, reply{header: streamHeader(), body: &body{left: pieces(text[:at], 7), end: end}})
		got := outcomeOf(t, client, sdk.SendMessageOptions{})
		if at >= completed {
			require.NoError(t, got.err, "cut at %d", at)
			require.Equal(t, "start chunk chunk chat_name complete end", got.types())
			require.Equal(t, "Hé"+"llo 😀", got.complete.Content)
			continue
		}
		requireCut(t, got.err)
		require.Nil(t, got.complete, "cut at %d", at)
		require.NotContains(t, got.types(), "end")
		require.True(t, strings.HasPrefix("Héllo 😀", got.text), "cut at %d: %q", at, got.text)
	}
}

func pieces(text string, size int) [][]byte {
	var list [][]byte
	for len(text) > 0 {
		n := min(size, len(text))
		list = append(list, []byte(text[:n]))
		text = text[n:]
	}
	return list
}

func TestTheCauseSaysHowAStreamWasCut(t *testing.T) {
	t.Parallel()
	for how, end := range ends() {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			client, _ := openPage(t, reply{header: streamHeader(), body: &body{end: end}})
			got := outcomeOf(t, client, sdk.SendMessageOptions{})
			requireCut(t, got.err)
			if end == nil {
				end = io.ErrUnexpectedEOF
			}
			require.ErrorIs(t, got.err, end)
		})
	}
}

func TestACutIsReportedOnce(t *testing.T) {
	t.Parallel()
	client, _ := openPage(t, streamReply(stream(start(), chunk("a"))), streamReply(stream(start(), chunk("a"), complete("a"))))
	var h heard
	require.NoError(t, client.SendMessageStream(t.Context(), "hi", h.options()))
	require.Equal(t, []string{"chunk a", "error", "end"}, h.list)
	h.list = nil
	require.NoError(t, client.SendMessageStream(t.Context(), "hi", h.options()))
	require.Equal(t, []string{"chunk a", "complete a", "end"}, h.list, "cut between the completion and the end")
}

func TestStreamsThatCannotBeUnderstoodAreCut(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, stream string }{
		{"an end without a completion", stream(start(), chunk("a"), end())},
		{"only an end", stream(end())},
		{"data that is not JSON", stream(start(), written{event: "chunk", data: "hello"}, complete("hello"), end())},
		{"data that is cut short", stream(start(), written{event: "chunk", data: `{"text":"a`}, complete("a"), end())},
		{"data that is not an object", stream(start(), written{event: "chunk", data: `"a"`}, complete("a"), end())},
		{"data with a control character", stream(start(), written{event: "chunk", data: "{\"text\":\"a\x01\\n\"}"}, complete("a"), end())},
		{"data of two values", stream(start(), written{event: "chunk", data: `{"text":"a"}{}`}, complete("a"), end())},
		{"data that is nested too deep", stream(start(), written{event: "message_object", data: `{"a":` + strings.Repeat("[", 1<<20)}, complete(), end())},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, _ := openPage(t, streamReply(test.stream))
			got := outcomeOf(t, client, sdk.SendMessageOptions{})
			requireCut(t, got.err)
			require.Nil(t, got.complete)
			require.NotContains(t, got.err.(*sdk.APIError).Cause.Error(), "hello", "an error contains no text of the answer")
		})
	}
}

func TestAReadMayReturnBytesAndItsEndTogether(t *testing.T) {
	t.Parallel()
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF} {
		for at, want := range map[int]string{2: "start chunk", 3: "start chunk complete end", 4: "start chunk complete end"} {
			text := stream(answerOf("a")[:at]...)
			client := openReader(t, io.NopCloser(dataAndEnd{strings.NewReader(text), end}))
			got := outcomeOf(t, client, sdk.SendMessageOptions{})
			require.Equal(t, want, got.types())
			require.Equal(t, at == 2, got.err != nil)
		}
	}
}

// dataAndEnd returns the end together with the last bytes.
type dataAndEnd struct {
	*strings.Reader
	end error
}

func (d dataAndEnd) Read(p []byte) (int, error) {
	n, _ := d.Reader.Read(p)
	if d.Len() == 0 {
		return n, d.end
	}
	return n, nil
}

func TestEventsOfDataInSeveralLines(t *testing.T) {
	t.Parallel()
	text := "event: chunk\ndata: {\"text\":\ndata: \"a\"}\n\n" + stream(complete("a"), end())
	client, _ := openPage(t, streamReply(text))
	got := outcomeOf(t, client, sdk.SendMessageOptions{})
	require.NoError(t, got.err)
	require.Equal(t, []string{wire.EventChunk, "a"}, []string{got.events[0].Type, got.events[0].Text})
}
