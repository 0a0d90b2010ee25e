package sdk_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

func TestAClaimIsRenewedWhileItsCallIsCarriedOut(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		timeout, operators, every time.Duration
	}{
		{0, 0, time.Minute}, // the service does not name a timeout
		{30 * time.Second, 0, 10 * time.Second},
		{30 * time.Second, 15 * time.Second, 5 * time.Second},
		{30 * time.Second, time.Minute, 20 * time.Second},
	} {
		every := row.every
		synctest.Test(t, func(t *testing.T) {
			finish := make(chan struct{})
			tool := lookTool(func(context.Context, wire.JSON, string) (string, error) {
				<-finish
				return "", nil
			})
			tool.Timeout = row.timeout
			d := newDesk()
			d.timeout = row.operators
			d.makes(wire.CallApproved, "t1")
			l := asks(t, d.open(t, configOf(tool)))
			after(3*every + every/2)
			require.Equal(t, []time.Duration{0, every, 2 * every, 3 * every}, d.times(claims))
			close(finish)
			after(10 * time.Minute)
			require.Len(t, d.requests(claims), 4)
			require.Len(t, d.requests(results), 1)
			d.finishes("yes")
			<-l.ended
		})
	}
}

func TestAClaimThatIsLostEndsTheRun(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]reply{"another page has it": coded(409, wire.CodeConflict), "the call is gone": missing("call_id")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var ended time.Duration
				begun := time.Now()
				tool := lookTool(func(ctx context.Context, _ wire.JSON, _ string) (string, error) {
					<-ctx.Done()
					ended = time.Since(begun)
					return "late", nil
				})
				d := newDesk()
				d.makes(wire.CallApproved, "t1")
				l := asks(t, d.open(t, configOf(tool)))
				d.spoils(func(what string) *reply {
					if what == claims {
						again := refusal
						return &again
					}
					return nil
				})
				after(10 * time.Minute)
				require.Equal(t, time.Minute, ended)
				require.Empty(t, d.requests(results), "nobody waits for it")
				l.leave()
				<-l.ended
			})
		})
	}
}

// After a renewal that was lost, the next one may still be in time.
func TestARenewalThatFailsDoesNotEndTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := lookTool(func(ctx context.Context, _ wire.JSON, _ string) (string, error) {
			time.Sleep(150 * time.Second)
			return "", ctx.Err()
		})
		d := newDesk()
		d.makes(wire.CallApproved, "t1")
		l := asks(t, d.open(t, configOf(tool)))
		d.spoils(func(what string) *reply {
			if what == claims && time.Since(d.made) < 90*time.Second {
				return &reply{err: errors.New("lost")}
			}
			return nil
		})
		after(3 * time.Minute)
		require.Nil(t, resultOf(t, d.requests(results)[0]).Error)
		d.finishes("yes")
		<-l.ended
	})
}

func TestACallThatMayBeTriedAgainIsCarriedOutAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c counter
		d := newDesk()
		d.makes(wire.CallApproved, "t1")
		l := asks(t, d.open(t, configOf(c.tool())))
		require.EqualValues(t, 1, c.runs.Load())
		d.becomes("t1", wire.CallApproved) // as if the result did not arrive in time
		after(time.Minute)
		require.EqualValues(t, 2, c.runs.Load())
		made := d.requests(claims)
		require.NotEqual(t, made[0].body, made[1].body, "each attempt has its own claim")
		d.finishes("yes")
		<-l.ended
	})
}

// The service may approve a call again while the result of the last attempt is still being sent.
func TestACallThatIsApprovedAgainDuringItsAttemptIsCarriedOutAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c counter
		d := newDesk()
		d.makes(wire.CallApproved, "t1")
		d.spoils(func(what string) *reply {
			if what == results {
				return &reply{err: errors.New("lost")}
			}
			return nil
		})
		l := asks(t, d.open(t, configOf(c.tool())))
		after(10 * time.Second)
		d.becomes("t1", wire.CallApproved) // its claim was not renewed
		after(20 * time.Second)
		d.spoils(nil)
		after(time.Minute)
		require.EqualValues(t, 2, c.runs.Load())
		require.Equal(t, wire.CallDone, d.status("t1"))
		d.finishes("yes")
		<-l.ended
	})
}

func TestLeavingDoesNotEndACallThatIsCarriedOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := lookTool(func(ctx context.Context, _ wire.JSON, _ string) (string, error) {
			time.Sleep(10 * time.Second)
			return "kept", ctx.Err()
		})
		d := newDesk()
		d.makes(wire.CallApproved, "t1")
		l := asks(t, d.open(t, configOf(tool)))
		l.leave()
		<-l.ended
		after(time.Minute)
		require.Equal(t, "kept", *resultOf(t, d.requests(results)[0]).Result)
	})
}

func TestAResultIsSentUntilItIsAccepted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		fails func() reply
		lasts time.Duration
		heard bool
	}{
		{"no network for a minute", unreachable, time.Minute, true},
		{"a busy service", func() reply { return coded(503, wire.CodeUnavailable) }, 5 * time.Minute, true},
		{"for longer than any claim lasts", unreachable, time.Hour, false},
		{"it is refused", func() reply { return coded(409, wire.CodeConflict) }, time.Minute, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var c counter
				d := newDesk()
				d.makes(wire.CallApproved, "t1")
				d.spoils(func(what string) *reply {
					if what != results || time.Since(d.made) >= test.lasts {
						return nil
					}
					fails := test.fails()
					return &fails
				})
				l := asks(t, d.open(t, configOf(c.tool())))
				after(2 * time.Hour)
				require.EqualValues(t, 1, c.runs.Load())
				require.Equal(t, test.heard, d.status("t1") == wire.CallDone)
				if test.name == "it is refused" {
					require.Len(t, d.requests(results), 1)
				}
				l.leave()
				<-l.ended
			})
		})
	}
}

func TestWhatIsTooLongIsCut(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, result, want string
		truncated          bool
	}{
		{"a result that fits", strings.Repeat("x", sdk.MaxResult), strings.Repeat("x", sdk.MaxResult), false},
		{"a byte more", strings.Repeat("x", sdk.MaxResult+1), strings.Repeat("x", sdk.MaxResult), true},
		{"cut inside a character", "x" + strings.Repeat("😀", sdk.MaxResult/4), "x" + strings.Repeat("😀", sdk.MaxResult/4-1), true},
		{"invalid UTF-8", "a\xffb", "a\uFFFDb", false},
		{"nothing", "", "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, body, _ := carriedOut(t, func() (string, error) { return test.result, nil })
			got := resultOf(t, arrival{body: string(body)})
			require.Equal(t, test.want, *got.Result)
			require.Equal(t, test.truncated, got.Truncated)
			require.Nil(t, got.Error)
		})
	}
	for _, said := range []string{"it failed", strings.Repeat("é", 1000), strings.Repeat("é", 1001)} {
		_, body, _ := carriedOut(t, func() (string, error) { return "", errorText(said) })
		got := resultOf(t, arrival{body: string(body)})
		require.True(t, strings.HasPrefix(said, *got.Error))
		require.Equal(t, min(1000, utf8.RuneCountInString(said)), utf8.RuneCountInString(*got.Error))
		require.Nil(t, got.Result)
	}
}

func TestARunThatIsDetachedReportsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		d.makes(wire.CallApproved, "t1")
		l := asks(t, d.open(t, configOf(lookTool(func(context.Context, wire.JSON, string) (string, error) { return "", sdk.ErrDetached }))))
		after(time.Minute)
		require.Len(t, d.requests(claims), 1)
		require.Empty(t, d.requests(results))
		l.leave()
		<-l.ended
	})
}
