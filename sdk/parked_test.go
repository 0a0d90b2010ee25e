package sdk_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

func TestAParkedAnswerIsReadFor30SecondsAndThenPolled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		l := asks(t, d.open(t, pageConfig()))
		after(time.Minute)
		require.Equal(t, []string{sends}, d.whats(), "an answer that is being written is read as long as it takes")
		d.makes(wire.CallAwaiting, "t1")
		after(30*time.Second - 1)
		require.NoError(t, d.requests("")[0].ctx.Err())
		after(1)
		require.Error(t, d.requests("")[0].ctx.Err(), "the connection is closed")
		after(time.Hour)
		times := d.times(asksCalls)
		require.Equal(t, []time.Duration{95 * time.Second, 100 * time.Second, 105 * time.Second}, times[:3])
		require.Len(t, times, 12*60, "every 5 s, however long it takes")

		d.becomes("t1", wire.CallDenied)
		d.finishes("no")
		after(5 * time.Second)
		<-l.ended
		require.NoError(t, l.err)
		require.Equal(t, "start, t1 awaiting, t1 denied, chunk no, complete, end", l.list())
		require.Equal(t, resumes+" 2", d.whats()[len(d.whats())-1], "after the last event that was read")
	})
}

func TestAParkedAnswerIsReadAgainAfterAChange(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*desk)
		heard  string
	}{
		{"a status", func(d *desk) { d.becomes("t1", wire.CallApproved) }, "start, t1 awaiting, t1 approved"},
		{"a call that it has not seen", func(d *desk) { d.makes(wire.CallAwaiting, "t2") }, "start, t1 awaiting, t2 awaiting"},
		{"no call is open", func(d *desk) { d.becomes("t1", wire.CallExpired) }, "start, t1 awaiting, t1 expired"},
		{"no call is left", func(d *desk) { d.forgets() }, "start, t1 awaiting"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				d.makes(wire.CallAwaiting, "t1")
				l := asks(t, d.open(t, pageConfig()))
				after(time.Minute + time.Second)
				require.Empty(t, d.requests(resumes))
				test.change(d)
				after(4 * time.Second)
				require.Equal(t, []time.Duration{65 * time.Second}, d.times(resumes+" 2"))
				require.Equal(t, test.heard, l.list())
				l.leave()
			})
		})
	}
}

func TestAConnectionThatEndsWhileTheAnswerIsParkedIsNotACut(t *testing.T) {
	t.Parallel()
	for _, status := range []string{wire.CallAwaiting, wire.CallApproved, wire.CallRunning} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				d.makes(status, "t1")
				l := asks(t, d.open(t, pageConfig())) // without retries and resuming
				after(time.Second)
				d.sendAway()
				after(time.Hour)
				require.Equal(t, []time.Duration{time.Second, 6 * time.Second, 11 * time.Second}, d.times(asksCalls)[:3])
				d.becomes("t1", wire.CallDone)
				d.finishes("yes")
				<-l.ended
				require.NoError(t, l.err)
				require.Equal(t, "start, t1 "+status+", t1 done, chunk yes, complete, end", l.list())
			})
		})
	}
}

func TestAnAnswerThatIsNoLongerParkedCanBeCut(t *testing.T) {
	t.Parallel()
	for _, status := range []string{wire.CallDone, wire.CallFailed, wire.CallUnknown, wire.CallDenied, wire.CallExpired} {
		synctest.Test(t, func(t *testing.T) {
			d := newDesk()
			d.makes(wire.CallAwaiting, "t1")
			d.becomes("t1", status)
			l := asks(t, d.open(t, pageConfig()))
			d.sendAway()
			<-l.ended
			require.Equal(t, wire.CodeStreamCut, apiError(t, l.err).Code, status)
		})
	}
}

// Requests for the calls of a parked answer that fail are repeated without a limit.
func TestAParkedAnswerWaitsWithoutALimit(t *testing.T) {
	t.Parallel()
	stalled := func() reply { return reply{hang: true} }
	later := func() reply {
		busy := coded(429, wire.CodeRateLimited)
		busy.header = map[string]string{"retry-after": "90"}
		return busy
	}
	tests := []struct {
		name  string
		fails func() reply
		every time.Duration
	}{
		{"no network", unreachable, 5 * time.Second},
		{"a gateway's 502", func() reply { return proxied(502) }, 5 * time.Second},
		{"a busy service", func() reply { return coded(503, wire.CodeUnavailable) }, 5 * time.Second},
		{"a busy service that says when", later, 90 * time.Second},
		{"silence", stalled, 30 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				d.makes(wire.CallAwaiting, "t1")
				l := asks(t, d.open(t, pageConfig()))
				d.spoils(func(string) *reply {
					fails := test.fails()
					return &fails
				})
				after(time.Hour)
				times := d.times(asksCalls)
				require.Equal(t, test.every, times[2]-times[1])
				require.Empty(t, d.requests(resumes))
				d.spoils(nil)
				d.becomes("t1", wire.CallDenied)
				d.finishes("no")
				after(2 * time.Minute)
				<-l.ended
				require.NoError(t, l.err)
			})
		})
	}
}

// A service that closes each connection does not get more requests because of it.
func TestAParkedAnswerDoesNotFloodTheService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		d.makes(wire.CallAwaiting, "t1")
		l := asks(t, d.open(t, pageConfig()))
		d.alters("t1", func(call *wire.ToolCall) { call.Status = wire.CallApproved }) // without an event
		d.spoils(func(what string) *reply {
			if !isReading(what) {
				return nil
			}
			empty := streamReply("")
			return &empty
		})
		d.sendAway()
		after(10 * time.Minute)
		require.LessOrEqual(t, len(d.requests("GET")), 2*10*12+2)
		l.leave()
		<-l.ended
	})
}

func TestARefusalEndsAParkedAnswer(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]reply{
		"its chat is deleted": missing("chat_id"), "the token is no longer valid": coded(401, wire.CodeInvalidToken),
		"the response is not an object": jsonReply("[]"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				d.tell(wire.EventChunk, wire.Text{Text: "so far"})
				d.makes(wire.CallAwaiting, "t1")
				l := asks(t, d.open(t, pageConfig()))
				d.spoils(func(string) *reply { return &refusal })
				after(35 * time.Second)
				<-l.ended
				failure := apiError(t, l.err)
				require.Equal(t, max(refusal.status, 200), failure.Status)
				require.Equal(t, "so far", failure.Partial)
				require.Equal(t, []string{sends, asksCalls}, d.whats(), "nothing is stopped")
			})
		})
	}
}

// The rest of an answer in one piece that parks is read from its stream.
func TestAnAnswerInOnePieceThatParks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		d.makes(wire.CallAwaiting, "t1")
		parked := jsonReply(`{"message":{"id":"m2","content":"","tool_calls":[{"id":"t1"}]},"chat_id":"c1","message_id":"m2","stream_id":"s1"}`)
		parked.status = 202
		d.spoils(func(what string) *reply {
			if what == sends {
				return &parked
			}
			return nil
		})
		l := listen(t, func(ctx context.Context) iter.Seq2[sdk.Event, error] {
			return d.open(t, pageConfig()).Stream(ctx, "hi", sdk.SendMessageOptions{SkipStream: true})
		})
		d.becomes("t1", wire.CallDenied)
		d.finishes("no")
		<-l.ended
		require.NoError(t, l.err)
		require.Equal(t, "start, t1 awaiting, t1 denied, chunk no, complete, end", l.list())
		require.Equal(t, []string{sends, resumes}, d.whats())
	})
}

func TestSendMessageReturnsAParkedAnswer(t *testing.T) {
	t.Parallel()
	parked := jsonReply(`{"message":{"id":"m2","content":"","tool_calls":[{"id":"t1","status":"awaiting"}]},"chat_id":"c1","message_id":"m2","stream_id":"s1"}`)
	parked.status = 202
	client, script := openPage(t, parked)
	got, err := client.SendMessage(t.Context(), "hi", sdk.SendMessageOptions{})
	require.NoError(t, err)
	require.Equal(t, "s1", got.StreamID)
	require.Empty(t, got.Message.FinishReason)
	require.Equal(t, wire.CallAwaiting, got.Message.ToolCalls[0].Status)
	require.Len(t, script.requests, 1)
}
