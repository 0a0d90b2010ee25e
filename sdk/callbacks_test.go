package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// heard lists the callbacks of a stream in order, with their arguments.
type heard struct {
	list []string
	errs []error
}

func (h *heard) add(format string, values ...any) {
	h.list = append(h.list, fmt.Sprintf(format, values...))
}

// options have every callback.
func (h *heard) options() sdk.SendMessageStreamOptions {
	return sdk.SendMessageStreamOptions{
		OnChunk:          func(text string) { h.add("chunk %s", text) },
		OnMessageObject:  func(object wire.JSON) { h.add("object %s", object) },
		OnComplete:       func(message sdk.Message) { h.add("complete %s", message.Content) },
		OnError:          func(err error) { h.add("error"); h.errs = append(h.errs, err) },
		OnChatNameUpdate: func(name string) { h.add("name %s", name) },
		OnDocumentChunk:  func(text string) { h.add("document %s", text) },
		OnMessageEnd:     func() { h.add("end") },
	}
}

func TestCallbacksGetTheEventsInOrder(t *testing.T) {
	t.Parallel()
	client, _ := openPage(t, streamReply(stream(everyEvent()...)))
	var h heard
	require.NoError(t, client.SendMessageStream(t.Context(), "hi", h.options()))
	require.Equal(t, []string{
		"document looking", "chunk He",
		`object {"image_urls":["https://api.example.com/1","https://x/2"],"n":12345678901234567890}`,
		"chunk llo", "name Greeting", "complete Hello", "end",
	}, h.list)
}

func TestOnStartIsCalledFirst(t *testing.T) {
	t.Parallel()
	client, _ := openPage(t, streamReply(stream(everyEvent()...)))
	var h heard
	options := h.options()
	options.OnStart = func(start wire.Start) { h.add("start %s %s", start.MessageID, start.UserMessageID) }
	require.NoError(t, client.SendMessageStream(t.Context(), "hi", options))
	require.Equal(t, "start m2 m1", h.list[0])
}

func TestCallbacksMayBeLeftOut(t *testing.T) {
	t.Parallel()
	client, _ := openPage(t, streamReply(stream(everyEvent()...)))
	require.NoError(t, client.SendMessageStream(t.Context(), "hi", sdk.SendMessageStreamOptions{}))
}

func TestCallbacksOfAFailure(t *testing.T) {
	t.Parallel()
	failed := written{event: wire.EventError, data: `{"status_code":502,"error":{"code":"PROVIDER_FAILED","message":"It broke"},"detail":"d"}`}
	tests := []struct {
		name  string
		reply reply
		want  []string
		err   sdk.APIError
	}{
		{"an error response", reply{status: 429, header: map[string]string{"x-request-id": "r-1"}, body: reads(`{"error":{"code":"RATE_LIMITED","message":"Slow down"}}`)},
			[]string{"error", "end"}, sdk.APIError{Message: "Slow down", Status: 429, Code: wire.CodeRateLimited, RequestID: "r-1"}},
		{"an error event", streamReply(stream(start(), chunk("a"), failed, end())),
			[]string{"chunk a", "error", "end"},
			sdk.APIError{Message: "It broke", Status: 502, Code: wire.CodeProviderFailed, Detail: "d", RequestID: "r-1", Partial: "a"}},
		{"an error event without an end", streamReply(stream(start(), chunk("a"), failed)),
			[]string{"chunk a", "error", "end"},
			sdk.APIError{Message: "It broke", Status: 502, Code: wire.CodeProviderFailed, Detail: "d", RequestID: "r-1", Partial: "a"}},
		{"an error event that says nothing", streamReply(stream(start(), written{event: "error", data: "{}"}, end())),
			[]string{"error", "end"},
			sdk.APIError{Message: "sendMessageStream: the service ended the answer with an error", RequestID: "r-1"}},
		{"two error events", streamReply(stream(failed, failed, end())),
			[]string{"error", "end"},
			sdk.APIError{Message: "It broke", Status: 502, Code: wire.CodeProviderFailed, Detail: "d", RequestID: "r-1"}},
		{"a completion after an error", streamReply(stream(failed, complete(), end())),
			[]string{"error", "end"},
			sdk.APIError{Message: "It broke", Status: 502, Code: wire.CodeProviderFailed, Detail: "d", RequestID: "r-1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			again := test.reply
			again.body = reads(string(test.reply.body.left[0]))
			client, _ := openPage(t, test.reply, again)
			var h heard
			require.NoError(t, client.SendMessageStream(t.Context(), "hi", h.options()))
			require.Equal(t, test.want, h.list)
			require.Equal(t, []error{&test.err}, h.errs)

			h.list = nil
			options := h.options()
			options.OnError = nil
			require.Equal(t, &test.err, client.SendMessageStream(t.Context(), "hi", options), "returned if OnError is nil")
			require.NotContains(t, h.list, "error")
			require.Equal(t, "end", h.list[len(h.list)-1])
		})
	}
}

func TestNoCallbackAfterTheContextEnded(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		reply reply
	}{
		{"with more events read already", streamReply(stream(answerOf("a", "b")...))},
		{"with the completion read already", streamReply(stream(start(), chunk("a")), stream(complete("a"), end()))},
		{"with more to come", reply{header: streamHeader(), body: &body{left: [][]byte{[]byte(stream(start(), chunk("a")))}, end: errors.New("lost")}}},
		{"with an answer in one piece", jsonReply(answerText)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, _ := openPage(t, test.reply)
			ctx, cancel := context.WithCancel(t.Context())
			var h heard
			options := h.options()
			options.OnChunk = func(string) { h.add("chunk"); cancel() }
			require.Equal(t, context.Canceled, client.SendMessageStream(ctx, "hi", options))
			require.Equal(t, []string{"chunk"}, h.list)
		})
	}
}

func TestACallbackThatPanicsClosesTheStream(t *testing.T) {
	t.Parallel()
	client, script := openPage(t, streamReply(stream(answerOf("a", "b")...)))
	options := sdk.SendMessageStreamOptions{OnChunk: func(string) { panic("mine") }}
	require.PanicsWithValue(t, "mine", func() { _ = client.SendMessageStream(t.Context(), "hi", options) })
	require.Equal(t, 1, script.bodies[0].closed)
	require.ErrorIs(t, script.contexts[0].Err(), context.Canceled)
}

func TestLeavingAStreamClosesItAndEndsItsContext(t *testing.T) {
	t.Parallel()
	for left, want := range []string{"start", "chunk", "chunk", "complete", "end"} {
		t.Run("at "+want, func(t *testing.T) {
			t.Parallel()
			client, script := openPage(t, reply{header: streamHeader(), body: reads(eachByte(stream(answerOf("a", "b")...))...)})
			count := 0
			for event, err := range client.Stream(t.Context(), "hi", sdk.SendMessageOptions{DetachOnAbort: true}) {
				require.NoError(t, err)
				require.Equal(t, 0, script.bodies[0].closed)
				require.NoError(t, script.contexts[0].Err())
				if count == left {
					require.Equal(t, want, event.Type)
					break
				}
				count++
			}
			require.Equal(t, 1, script.bodies[0].closed)
			require.ErrorIs(t, script.contexts[0].Err(), context.Canceled)
		})
	}
}

// A browser shows a response that was not read to its end as cancelled.
func TestAStreamThatEndedIsReadToTheEndOfItsBody(t *testing.T) {
	t.Parallel()
	body := reads(stream(answerOf("a")...), ": more")
	client, script := openPage(t, reply{header: streamHeader(), body: body})
	got := outcomeOf(t, client, sdk.SendMessageOptions{})
	require.NoError(t, got.err)
	script.open.Wait()
	require.Empty(t, body.left)
}

func TestNobodyWaitsForTheBodyOfAStreamThatEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, script := openPage(t, reply{header: streamHeader(), body: &body{left: reads(stream(answerOf("a")...)).left, hang: true}})
		begun := time.Now()
		require.NoError(t, outcomeOf(t, client, sdk.SendMessageOptions{}).err)
		require.Zero(t, time.Since(begun))
		script.open.Wait()
		require.Equal(t, time.Second, time.Since(begun))
	})
}

func TestEachLoopOverAStreamSendsAgain(t *testing.T) {
	t.Parallel()
	client, script := openPage(t, streamReply(stream(answerOf("a")...)), streamReply(stream(answerOf("b")...)))
	all := client.Stream(t.Context(), "hi", sdk.SendMessageOptions{})
	var texts string
	for range 2 {
		for event, err := range all {
			require.NoError(t, err)
			if event.Type == wire.EventChunk {
				texts += event.Text
			}
		}
	}
	require.Equal(t, "ab", texts)
	require.Len(t, script.requests, 2)
}

func TestBatchesHoldTheEventsOfOneRead(t *testing.T) {
	t.Parallel()
	all := answerOf("a", "b\n", "c")
	client, _ := openPage(t, streamReply(stream(all[:3]...), stream(all[3:4]...)[:9], stream(all[3:4]...)[9:]+stream(all[4:]...)))
	var batches []string
	for batch, err := range client.StreamBatches(t.Context(), "hi", sdk.SendMessageOptions{}) {
		require.NoError(t, err)
		var events []string
		for _, part := range batch {
			text := part.Type
			if text == wire.EventChunk {
				text = fmt.Sprint(part.ID, string(part.Texts))
			}
			events = append(events, text)
		}
		batches = append(batches, strings.Join(events, " "))
	}
	require.Equal(t, []string{`start 2["a","b\n"]`, `4["c"] complete end`}, batches)
}

func TestAPlainResponseIsReadAsAStream(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body, types, content string
	}{
		{"with a new name", answerText, "start chunk chat_name complete end", "hello"},
		{"without one", `{"message":"hello"}`, "start chunk complete end", "hello"},
		{"without a text", `{"message":{"id":"m2","content":""},"chat_id":"c1"}`, "start complete end", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, _ := openPage(t, jsonReply(test.body))
			got := outcomeOf(t, client, sdk.SendMessageOptions{SkipStream: true})
			require.NoError(t, got.err)
			require.Equal(t, test.types, got.types())
			require.Equal(t, test.content, got.text)
			require.Equal(t, test.content, got.complete.Content)
			require.NotNil(t, got.events[0].Start)
		})
	}
}
