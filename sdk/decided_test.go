package sdk_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

func TestAWakeAsksAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		d.makes(wire.CallAwaiting, "t1")
		client := d.open(t, pageConfig())
		l := asks(t, client)
		after(36 * time.Second)
		client.Wake()
		after(0)
		require.Equal(t, []time.Duration{35 * time.Second, 36 * time.Second}, d.times(asksCalls))

		d.spoils(func(string) *reply { return &reply{hang: true} })
		after(6 * time.Second)
		d.spoils(nil)
		client.Wake()
		after(0)
		require.Equal(t, []time.Duration{41 * time.Second, 42 * time.Second}, d.times(asksCalls)[2:], "a request that hangs is given up")
		l.leave()
		<-l.ended
	})
}

func TestADecisionIsFollowedAtOnce(t *testing.T) {
	t.Parallel()
	for name, waits := range map[string]time.Duration{"while it is read": time.Second, "while its calls are polled": 36 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				d.makes(wire.CallAwaiting, "t1", "t2")
				client := d.open(t, pageConfig())
				l := asks(t, client)
				after(waits)
				_, err := client.DenyToolCall(t.Context(), "t1", "no", sdk.DenyToolCallOptions{})
				require.NoError(t, err)
				after(0)
				require.Equal(t, "start, t1 awaiting, t2 awaiting, t1 denied", l.list())
				asked := d.requests("")
				require.Equal(t, []string{decides, asksCalls, resumes + " 3"}, d.whats()[len(asked)-3:])
				for _, one := range asked[len(asked)-3:] {
					require.Equal(t, waits, one.at)
					require.Zero(t, one.reading, "no connection is held meanwhile")
				}
				l.leave()
				<-l.ended
			})
		})
	}
}

// A program may decide about a call in the loop that reads the call's event.
func TestADecisionInTheLoopThatReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		d.makes(wire.CallAwaiting, "t1")
		client := d.open(t, pageConfig())
		var heard []string
		for event, err := range client.Stream(t.Context(), "hi", sdk.SendMessageOptions{}) {
			require.NoError(t, err)
			if event.ToolCall == nil {
				continue
			}
			heard = append(heard, event.ToolCall.Status)
			if event.ToolCall.Status == wire.CallAwaiting {
				_, err := client.ApproveToolCall(t.Context(), "t1", sdk.ApproveToolCallOptions{})
				require.NoError(t, err)
				d.becomes("t1", wire.CallRunning)
				d.becomes("t1", wire.CallDone)
				d.finishes("yes")
			}
		}
		require.Equal(t, []string{"awaiting", "approved", "running", "done"}, heard)
		require.Zero(t, time.Since(d.made))
	})
}

func TestLeavingAParkedAnswerStopsNothing(t *testing.T) {
	t.Parallel()
	for name, waits := range map[string]time.Duration{"while it is read": time.Second, "while its calls are polled": 36 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				d.makes(wire.CallAwaiting, "t1")
				l := asks(t, d.open(t, pageConfig()))
				after(waits)
				l.leave()
				<-l.ended
				after(time.Minute)
				require.Equal(t, context.Canceled, l.err)
				require.Empty(t, d.requests("POST /v3/chat/st"), "a stop")
			})
		})
	}
}

func TestLeavingAnAnswerThatContinuesStopsIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		d.makes(wire.CallAwaiting, "t1")
		l := asks(t, d.open(t, pageConfig()))
		d.becomes("t1", wire.CallDenied)
		after(time.Second)
		l.leave()
		<-l.ended
		after(time.Second)
		require.Equal(t, []string{sends, stopsByID}, d.whats())
	})
}

func TestOnlyStopStopsAParkedAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		d.makes(wire.CallAwaiting, "t1")
		client := d.open(t, pageConfig())
		l := asks(t, client)
		after(36 * time.Second)
		d.becomes("t1", wire.CallDenied)
		d.finishes("")
		_, err := client.Stop(t.Context(), "s1", "")
		require.NoError(t, err)
		<-l.ended
		require.NoError(t, l.err)
		require.Equal(t, 36*time.Second, time.Since(d.made), "the stop is followed at once")
	})
}

// A stop does not change a call that is being carried out, so the calls do not show that the answer ended.
func TestAStopWhileACallIsCarriedOut(t *testing.T) {
	t.Parallel()
	for name, ours := range map[string]bool{"by this program": true, "by another": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				d.makes(wire.CallRunning, "t1")
				client := d.open(t, pageConfig())
				l := asks(t, client)
				after(36 * time.Second)
				d.finishes("")
				if ours {
					_, err := client.Stop(t.Context(), "s1", "")
					require.NoError(t, err)
				}
				<-l.ended
				require.NoError(t, l.err)
				if ours {
					require.Equal(t, 36*time.Second, time.Since(d.made))
				} else {
					require.LessOrEqual(t, time.Since(d.made), 100*time.Second)
				}
			})
		})
	}
}

// A decision about a call of another answer does not close the connection that reads this answer.
func TestADecisionElsewhereDoesNotCloseAConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		d.makes(wire.CallAwaiting, "t1")
		client := d.open(t, pageConfig())
		l := asks(t, client)
		d.spoils(func(string) *reply { return &reply{err: errors.New("lost")} })
		_, err := client.ApproveToolCall(t.Context(), "t9", sdk.ApproveToolCallOptions{})
		require.Equal(t, wire.CodeNetwork, apiError(t, err).Code)
		after(0)
		require.NoError(t, d.requests("")[0].ctx.Err())
		l.leave()
		<-l.ended
	})
}

// The bytes that were read right before the connection ended may have settled the last open call.
func TestADecisionThatClosesTheConnectionOfAnAnswerThatContinues(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		d.makes(wire.CallAwaiting, "t1")
		client := d.open(t, pageConfig()) // without retries and resuming
		l := asks(t, client)
		d.mutex.Lock()
		d.before = func() {
			_, err := client.DenyToolCall(t.Context(), "t1", "", sdk.DenyToolCallOptions{})
			require.NoError(t, err)
		}
		d.mutex.Unlock()
		d.tell(wire.EventMessageObject, `{}`)
		after(0)
		require.Equal(t, []string{sends, decides, resumes + " 4"}, d.whats())
		d.finishes("no")
		<-l.ended
		require.NoError(t, l.err)
		require.Equal(t, "start, t1 awaiting, message_object, t1 denied, chunk no, complete, end", l.list())
	})
}
