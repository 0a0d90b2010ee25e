package sdk_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// storedReply is the stored answer, and historyReply is a history that ends with it.
const (
	storedReply  = `{"id":"m2","role":"assistant","content":"stored","finish_reason":"stop","later":1}`
	historyReply = `{"id":"c1","chat_id":"c1","messages":[{"id":"m1","role":"user","content":"hi","finish_reason":"stop"},` + storedReply + `]}`
)

// mismatches are streams that differ from their proof in one thing each.
func mismatches() []struct{ name, stream string } {
	alter := func(change func(*wire.Complete)) string {
		w := complete("a", "b")
		data := w.data.(wire.Complete)
		change(&data)
		w.data = data
		return stream(start(), chunk("a"), chunk("b"), w, end())
	}
	whole := answerOf("a", "b")
	return []struct{ name, stream string }{
		{"a lost chunk", stream(numbered(whole[0], whole[1], whole[3], whole[4])...)},
		{"a chunk twice, without an id", stream(start(), chunk("a"), chunk("b"), chunk("b"), complete("a", "b"), end())},
		{"an empty chunk too many", stream(start(), chunk("a"), chunk(""), chunk("b"), complete("a", "b"), end())},
		{"chunks in another order", stream(start(), chunk("b"), chunk("a"), complete("a", "b"), end())},
		{"a chunk of another text", stream(start(), chunk("a"), chunk("c"), complete("a", "b"), end())},
		{"no chunks at all", stream(start(), complete("a", "b"), end())},
		{"another count", alter(func(c *wire.Complete) { c.Chunks = 3 })},
		{"another length", alter(func(c *wire.Complete) { c.Bytes = 3 })},
		{"another checksum", alter(func(c *wire.Complete) { c.CRC32 = "00000000" })},
		{"an empty checksum", alter(func(c *wire.Complete) { c.CRC32 = "" })},
		{"another content of that length", alter(func(c *wire.Complete) { c.Message.Content = "ac" })},
		{"a longer content", alter(func(c *wire.Complete) { c.Message.Content = "abc" })},
		{"an empty content", alter(func(c *wire.Complete) { c.Message.Content = "" })},
	}
}

func TestAnAnswerThatDiffersFromItsProofIsReplacedByTheStoredMessage(t *testing.T) {
	t.Parallel()
	for _, test := range mismatches() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, script := openPage(t, streamReply(test.stream), jsonReply(storedReply))
			got := outcomeOf(t, client, sdk.SendMessageOptions{})
			require.NoError(t, got.err)
			require.Equal(t, "stored", got.complete.Content)
			require.JSONEq(t, storedReply, string(got.complete.Raw))
			require.True(t, strings.HasSuffix(got.types(), "complete end"))
			require.Equal(t, []string{"https://api.example.com/v3/chat/message", "https://api.example.com/project/p1/chat/c1/message/m2"}, urls(script))
		})
	}
}

func TestAnAnswerThatMatchesItsProofNeedsNoStoredMessage(t *testing.T) {
	t.Parallel()
	named := stream(start(), chunk("a"), written{event: "complete", data: `{"message":{"id":"m2","response":"a"},"chunks":1,"bytes":1,"crc32":"e8b7be43"}`}, end())
	tests := []struct{ name, stream, want string }{
		{"of several chunks", stream(answerOf("Hel", "lo", "")...), "Hello"},
		{"of no chunk", stream(answerOf()...), ""},
		{"of other scripts and escapes", stream(answerOf("ü漢", "😀\x00", "\"\\\n\u2028</script>")...), "ü漢😀\x00\"\\\n\u2028</script>"},
		{"of a text that is named response", named, "a"},
		{"that is not given", stream(start(), chunk("a"), written{event: "complete", data: `{"message":{"content":"other"}}`}, end()), "other"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, script := openPage(t, streamReply(test.stream))
			got := outcomeOf(t, client, sdk.SendMessageOptions{})
			require.NoError(t, got.err)
			require.Equal(t, test.want, got.complete.Content)
			require.Len(t, script.requests, 1)
		})
	}
}

func TestAnAnswerThatDiffersFromItsProofWithoutAStoredMessageIsCut(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	tests := []struct {
		name   string
		stored reply
	}{
		{"that cannot be reached", reply{err: lost}},
		{"that breaks off", reply{body: &body{left: [][]byte{[]byte(`{"id":`)}, end: io.ErrUnexpectedEOF}}},
		{"that is refused", reply{status: 404, body: reads(`{"error":{"code":"ENTITY_NOT_FOUND","message":"Message not found","invalid_fields":["message_id"]}}`)}},
		{"that is not JSON", reply{body: reads("<html>")}},
		{"that is empty", jsonReply(`{}`)},
		{"that is still being written", jsonReply(`{"id":"m2","content":"x","stream_id":"s1"}`)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, script := openPage(t, streamReply(mismatches()[0].stream), test.stored)
			var h heard
			require.NoError(t, client.SendMessageStream(t.Context(), "hi", h.options()))
			require.Equal(t, []string{"chunk a", "error", "end"}, h.list)
			requireCut(t, h.errs[0])
			require.Len(t, script.requests, 2)
		})
	}
}

// requireCut checks that err is exactly a STREAM_CUT.
func requireCut(t testing.TB, err error) {
	t.Helper()
	failure, ok := err.(*sdk.APIError)
	require.True(t, ok, "%T: %v", err, err)
	require.Equal(t, wire.CodeStreamCut, failure.Code)
	require.Zero(t, failure.Status)
	require.Equal(t, "sendMessageStream: the stream was cut before the answer was complete", failure.Message)
	require.Equal(t, "r-1", failure.RequestID)
	require.Error(t, failure.Cause)
	var argument *sdk.ArgumentError
	require.NotErrorAs(t, err, &argument)
}

func TestACompletionWithoutAUsableMessageIsACut(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, stream string }{
		{"no chat", stream(chunk("x"), written{event: "complete", data: `{"message":{"id":"m2","content":"a"},"chunks":1,"bytes":1,"crc32":"e8b7be43"}`})},
		{"no message id", stream(start(), chunk("x"), written{event: "complete", data: `{"message":{"content":"a"},"chunks":1,"bytes":1,"crc32":"e8b7be43"}`})},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, script := openPage(t, streamReply(test.stream))
			got := outcomeOf(t, client, sdk.SendMessageOptions{})
			requireCut(t, got.err)
			require.Nil(t, got.complete)
			require.Len(t, script.requests, 1)
		})
	}
}

func TestTheChatOfTheStartIsUsedIfTheCompletionNamesNone(t *testing.T) {
	t.Parallel()
	client, script := openPage(t, streamReply(stream(start(), written{event: "complete", data: `{"message":{"id":"m2","content":"a"},"crc32":"0"}`}, end())), jsonReply(storedReply))
	got := outcomeOf(t, client, sdk.SendMessageOptions{})
	require.NoError(t, got.err)
	require.Equal(t, "stored", got.complete.Content)
	require.Equal(t, "https://api.example.com/project/p1/chat/c1/message/m2", script.requests[1].URL)
}

// oldService has the responses of servers that do not have getMessage.
func oldService() map[string]reply {
	return map[string]reply{
		"a service of the first version":   coded(404, wire.CodeNotFound),
		"a service without such a method":  coded(405, wire.CodeMethodNotAllowed),
		"a gateway that lists other paths": proxied(404),
		"a 404 without a body":             {status: 404},
	}
}

func TestTheStoredMessageOfAnOldServiceIsInItsHistory(t *testing.T) {
	t.Parallel()
	const chat = "https://api.example.com/project/p1/chat/c1/"
	for name, refusal := range oldService() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, script := openPage(t, streamReply(mismatches()[0].stream), refusal, jsonReply(historyReply))
			got := outcomeOf(t, client, sdk.SendMessageOptions{})
			require.NoError(t, got.err)
			require.Equal(t, "stored", got.complete.Content)
			require.Equal(t, []string{"https://api.example.com/v3/chat/message", chat + "message/m2", chat + "all"}, urls(script))
		})
	}
}

func TestAnOldServiceWithoutTheMessage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		history reply
	}{
		{"its history has none", jsonReply(`{"messages":[]}`)},
		{"its history has others", jsonReply(`{"messages":[{"id":"m3","content":"x","finish_reason":"stop"}]}`)},
		{"the message is still being written", jsonReply(`{"messages":[{"id":"m2","content":"x","stream_id":"s1"}]}`)},
		{"the chat is not there", missing("chat_id")},
		{"the history cannot be reached", reply{err: errors.New("lost")}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, script := openPage(t, streamReply(mismatches()[0].stream), coded(404, wire.CodeNotFound), test.history)
			requireCut(t, outcomeOf(t, client, sdk.SendMessageOptions{}).err)
			require.Len(t, script.requests, 3)
		})
	}
}

func TestTheContextEndsWhileTheStoredMessageIsRead(t *testing.T) {
	t.Parallel()
	client, script := openPage(t, streamReply(stream(start(), chunk("a")), stream(complete("b"), end())), reply{hang: true})
	ctx, cancel := context.WithCancel(t.Context())
	var h heard
	ended := make(chan error)
	go func() { ended <- client.SendMessageStream(ctx, "hi", h.options()) }()
	<-script.hanging
	cancel()
	require.Equal(t, context.Canceled, <-ended)
	require.Equal(t, []string{"chunk a"}, h.list)
}
