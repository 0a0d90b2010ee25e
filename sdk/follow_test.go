package sdk_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

func resumed(t *testing.T, client *sdk.Client) (types []string, text string, err error) {
	for event, failure := range client.Resume(t.Context(), "c1", sdk.ResumeOptions{}) {
		if failure != nil {
			return types, text, failure
		}
		types = append(types, event.Type)
		if event.Type == wire.EventChunk {
			text += event.Text
		}
	}
	return types, text, nil
}

func TestResumeFollowsTheAnswerThatIsBeingWritten(t *testing.T) {
	t.Parallel()
	running := `{"id":"m2","role":"assistant","content":"H","stream_id":"s1"}`
	tests := []struct {
		name, messages string
		asked          []string
	}{
		{"the one", `{"id":"m1","role":"user","content":"hi"},` + running, []string{history, resumes}},
		{"one among finished ones", `{"id":"m0","content":"a","finish_reason":"stop"},` + running + `,{"id":"m3","content":"b","finish_reason":"stop"}`, []string{history, resumes}},
		{"the last of several", `{"id":"m0","content":"a","stream_id":"s0"},` + running, []string{history, resumes}},
		{"none", `{"id":"m0","content":"a","finish_reason":"stop"},{"id":"m1","content":"","stream_id":null},` +
			`{"id":"m2","content":"","stream_id":""}`, []string{history}},
		{"no message", ``, []string{history}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			k := &keeper{events: short(), history: func() reply { return jsonReply(`{"messages":[` + test.messages + `]}`) }}
			types, text, err := resumed(t, k.open(t, retryConfig()))
			require.NoError(t, err)
			require.Equal(t, test.asked, k.log())
			if len(test.asked) == 1 {
				require.Empty(t, types)
				return
			}
			require.Equal(t, []string{"start", "chunk", "document_chunk", "chunk", "chat_name", "complete", "end"}, types)
			require.Equal(t, "Héllo 😀", text)
			require.Equal(t, []string{"", ""}, k.keys)
		})
	}
}

// runningHistory is a history with an answer of s1.
func runningHistory() reply {
	return jsonReply(`{"messages":[{"id":"m2","role":"assistant","content":"H","stream_id":"s1"}]}`)
}

func TestResumeIsResumed(t *testing.T) {
	t.Parallel()
	text := stream(short()...)
	for at := range len(text) {
		k := &keeper{events: short(), history: runningHistory, spoil: func(n int, text string) reply {
			return cutAt(text, []int{at, len(text)}[min(n, 1)], 11, nil)
		}}
		types, text, err := resumed(t, k.open(t, retryConfig()))
		require.NoError(t, err)
		require.Len(t, types, len(short()), "cut at %d", at)
		require.Equal(t, "Héllo 😀", text)
	}
}

func TestResumeOfAnAnswerThatEndedMeanwhile(t *testing.T) {
	t.Parallel()
	k := &keeper{history: runningHistory, stored: storedAs(`"content":"Hello","finish_reason":"stop"`)}
	k.spoil = func(int, string) reply { return coded(410, wire.CodeStreamGone) }
	types, text, err := resumed(t, k.open(t, retryConfig()))
	require.NoError(t, err)
	require.Equal(t, []string{"chunk", "complete", "end"}, types)
	require.Equal(t, "Hello", text)

	k = &keeper{history: runningHistory, spoil: func(int, string) reply { return coded(404, wire.CodeNotFound) }}
	_, _, err = resumed(t, k.open(t, retryConfig()))
	require.Equal(t, 404, apiError(t, err).Status, "the chat was deleted")
}

func TestResumeWithoutAHistory(t *testing.T) {
	t.Parallel()
	k := &keeper{}
	_, _, err := resumed(t, k.open(t, retryConfig()))
	require.Equal(t, 404, apiError(t, err).Status)
	require.Equal(t, []string{history}, k.log())
}

func TestLeavingAResumeStopsTheAnswer(t *testing.T) {
	t.Parallel()
	for _, detach := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			k := &keeper{events: short(), history: runningHistory, stop: receipt, spoil: func(_ int, text string) reply { return silentAt(text, twoEvents()) }}
			client := k.open(t, retryConfig())
			require.Equal(t, context.Canceled, endsWhile(t, func(ctx context.Context) error {
				return drain(client.Resume(ctx, "c1", sdk.ResumeOptions{DetachOnAbort: detach}))
			}))
			require.Equal(t, map[bool][]string{false: {history, resumes, stopsByID}, true: {history, resumes}}[detach], k.log())
		})
	}
}

func TestAnEndedContextResumesAndStopsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &keeper{events: short(), history: func() reply { return reply{hang: true} }}
		client := k.open(t, retryConfig())
		require.Equal(t, context.Canceled, endsWhile(t, func(ctx context.Context) error {
			return drain(client.Resume(ctx, "c1", sdk.ResumeOptions{}))
		}))
		require.Equal(t, []string{history}, k.log())
	})
}

func TestRegenerate(t *testing.T) {
	t.Parallel()
	const asks = "POST /v3/chat/message/regenerate"
	k := &keeper{events: short(), spoil: func(n int, text string) reply {
		return cutAt(text, []int{10, twoEvents(), len(text)}[n], 40, nil)
	}}
	var events []sdk.Event
	for event, err := range k.open(t, retryConfig()).Regenerate(t.Context(), "c1", "m0", sdk.RegenerateOptions{IdempotencyKey: "key-1"}) {
		require.NoError(t, err)
		events = append(events, event)
	}
	require.Len(t, events, len(short()))
	require.Equal(t, "s1", events[0].Start.StreamID)
	require.Equal(t, "Héllo 😀", events[5].Message.Content)
	require.Equal(t, []string{asks, asks, resumes + " 2"}, k.log())
	require.Equal(t, []string{"key-1", "key-1", ""}, k.keys)
}

func TestWhatRegenerateSends(t *testing.T) {
	t.Parallel()
	client, script := openPage(t, streamReply(stream(short()...)))
	require.NoError(t, drain(client.Regenerate(t.Context(), "c1", "m\"0", sdk.RegenerateOptions{})))
	require.Equal(t, "POST", script.requests[0].Method)
	require.JSONEq(t, `{"project_id":"p1","chat_id":"c1","message_id":"m\"0","tool_calls":true}`, string(script.requests[0].Body))
	require.Equal(t, "text/event-stream", script.requests[0].Header["accept"])
	require.Equal(t, "application/json", script.requests[0].Header["content-type"])
	require.NotEmpty(t, script.keys[0])
}
