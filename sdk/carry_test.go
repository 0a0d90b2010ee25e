package sdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// runs is a Run that returns a result at once.
func runs(result string) func(context.Context, wire.JSON, string) (string, error) {
	return func(context.Context, wire.JSON, string) (string, error) { return result, nil }
}

// lookTool is the page's tool of a desk.
func lookTool(run func(context.Context, wire.JSON, string) (string, error)) sdk.Tool {
	return sdk.Tool{Name: "look", Description: "D", Parameters: wire.JSON(`{"type":"object"}`), Run: run}
}

// configOf is the configuration of a page with these tools.
func configOf(tools ...sdk.Tool) sdk.Config {
	config := pageConfig()
	config.Tools = tools
	return config
}

// counter is a Run that counts its calls and returns its arguments.
type counter struct{ runs atomic.Int32 }

func (c *counter) run(_ context.Context, arguments wire.JSON, callID string) (string, error) {
	c.runs.Add(1)
	return callID + " " + string(arguments), nil
}

func (c *counter) tool() sdk.Tool { return lookTool(c.run) }

// resultOf decodes the body of a result request.
func resultOf(t *testing.T, request arrival) wire.ResultRequest {
	t.Helper()
	var result wire.ResultRequest
	require.NoError(t, json.Unmarshal([]byte(request.body), &result))
	return result
}

func TestThePageThatAskedCarriesOutACallAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c counter
		d := newDesk()
		l := asks(t, d.open(t, configOf(c.tool())))
		after(time.Second)
		d.makes(wire.CallAwaiting, "t1")
		after(time.Second)
		require.Zero(t, c.runs.Load(), "nobody has approved it")
		d.becomes("t1", wire.CallApproved)
		after(0)
		require.EqualValues(t, 1, c.runs.Load())
		require.Equal(t, []string{sends, claims, results, asksCalls, resumes + " 3"}, d.whats())
		for _, one := range d.requests("")[1:] {
			require.Equal(t, 2*time.Second, one.at)
			require.Zero(t, one.reading, "no connection is held meanwhile")
		}
		require.Equal(t, `t1 {"at":"t1"}`, *resultOf(t, d.requests(results)[0]).Result)
		d.finishes("yes")
		<-l.ended
		require.Equal(t, "start, t1 awaiting, t1 approved, t1 running, t1 done, chunk yes, complete, end", l.list())
	})
}

func TestAnotherPageCarriesOutACallAfter5Seconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c counter
		d := newDesk()
		d.makes(wire.CallApproved, "t1")
		l := follows(t, d.open(t, configOf(c.tool())))
		after(5*time.Second - 1)
		require.Empty(t, d.requests(claims))
		after(1)
		require.EqualValues(t, 1, c.runs.Load())
		d.finishes("yes")
		<-l.ended
		require.NoError(t, l.err)
	})
}

// A page that sent a message and returns to the answer is still the page that asked.
func TestThePageThatAskedIsRecognised(t *testing.T) {
	t.Parallel()
	parked := func() *reply {
		r := jsonReply(`{"message":{"id":"m2","content":""},"chat_id":"c1","message_id":"m2","stream_id":"s1"}`)
		r.status = 202
		return &r
	}
	for name, ask := range map[string]func(*testing.T, *desk, *sdk.Client){
		"after it left the answer": func(t *testing.T, d *desk, client *sdk.Client) {
			d.makes(wire.CallAwaiting, "t1")
			l := asks(t, client)
			l.leave()
			<-l.ended
			d.becomes("t1", wire.CallApproved)
		},
		"after a response without the end of the answer": func(t *testing.T, d *desk, client *sdk.Client) {
			d.spoils(func(string) *reply { return parked() })
			_, err := client.SendMessage(t.Context(), "hi", sdk.SendMessageOptions{})
			require.NoError(t, err)
			d.spoils(nil)
			d.makes(wire.CallApproved, "t1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var c counter
				d := newDesk()
				client := d.open(t, configOf(c.tool()))
				ask(t, d, client)
				after(time.Minute)
				require.Zero(t, c.runs.Load(), "nobody follows the answer")
				l := follows(t, client)
				require.EqualValues(t, 1, c.runs.Load())
				d.finishes("yes")
				<-l.ended
			})
		})
	}
}

func TestOnlyOneOfTwoPagesCarriesOutACall(t *testing.T) {
	t.Parallel()
	const inOnePage = "twice in one page"
	for name, open := range map[string]func(*testing.T, *sdk.Client, *sdk.Client) (one, other *listener){
		"two tabs that ask with one key": func(t *testing.T, a, b *sdk.Client) (one, other *listener) { return asks(t, a), asks(t, b) },
		"two that were opened later":     func(t *testing.T, a, b *sdk.Client) (one, other *listener) { return follows(t, a), follows(t, b) },
		inOnePage:                        func(t *testing.T, a, _ *sdk.Client) (one, other *listener) { return asks(t, a), asks(t, a) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var c counter
				d := newDesk()
				one, other := open(t, d.open(t, configOf(c.tool())), d.open(t, configOf(c.tool())))
				d.makes(wire.CallApproved, "t1")
				after(time.Minute)
				require.EqualValues(t, 1, c.runs.Load())
				require.Len(t, d.requests(results), 1)
				if name == inOnePage {
					require.Len(t, d.requests(claims), 1)
				}
				d.finishes("yes")
				<-one.ended
				<-other.ended
				require.NoError(t, errors.Join(one.err, other.err))
				require.Equal(t, one.list(), other.list())
			})
		})
	}
}

func TestWhatThisPageDoesNotCarryOut(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		make func(*desk)
	}{
		{"it was carried out before", func(d *desk) {
			d.makes(wire.CallApproved, "t1")
			d.becomes("t1", wire.CallRunning)
			d.becomes("t1", wire.CallDone)
			d.makes(wire.CallAwaiting, "t2")
		}},
		{"somebody carries it out", func(d *desk) {
			d.makes(wire.CallApproved, "t1")
			d.becomes("t1", wire.CallRunning)
		}},
		{"it waits for a decision", func(d *desk) { d.makes(wire.CallAwaiting, "t1") }},
		{"it is the service's", func(d *desk) {
			d.makes(wire.CallAwaiting, "t1")
			d.alters("t1", func(call *wire.ToolCall) { call.Kind = wire.ToolHTTP })
			d.becomes("t1", wire.CallApproved)
		}},
		{"this page does not have the tool", func(d *desk) {
			d.makes(wire.CallAwaiting, "t1")
			d.alters("t1", func(call *wire.ToolCall) { call.Name = "other" })
			d.becomes("t1", wire.CallApproved)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var c counter
				d := newDesk()
				test.make(d)
				l := asks(t, d.open(t, configOf(c.tool())))
				after(time.Minute)
				require.Zero(t, c.runs.Load())
				require.Empty(t, d.requests(claims))
				l.leave()
				<-l.ended
			})
		})
	}
}

func TestACallThatChangesWithin5SecondsIsNotClaimed(t *testing.T) {
	t.Parallel()
	for _, status := range []string{wire.CallRunning, wire.CallDone, wire.CallDenied} {
		synctest.Test(t, func(t *testing.T) {
			var c counter
			d := newDesk()
			d.makes(wire.CallApproved, "t1")
			d.makes(wire.CallAwaiting, "t2")
			l := follows(t, d.open(t, configOf(c.tool())))
			after(4 * time.Second)
			d.becomes("t1", status)
			after(time.Minute)
			require.Empty(t, d.requests(claims))
			l.leave()
			<-l.ended
		})
	}
}

func TestACallIsRunOnlyIfItsClaimIsAccepted(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]reply{
		"another page's":     coded(409, wire.CodeConflict),
		"another definition": {status: 409, body: reads(`{"status_code":409,"error":{"code":"CONFLICT","message":"m","invalid_fields":["definition"]}}`)},
		"an unknown call":    missing("call_id"),
		"not permitted":      coded(403, wire.CodePermissionDenied),
		"not JSON":           jsonReply("<"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var c counter
				d := newDesk()
				d.makes(wire.CallApproved, "t1")
				d.spoils(func(what string) *reply {
					if what == claims {
						again := refusal
						return &again
					}
					return nil
				})
				l := asks(t, d.open(t, configOf(c.tool())))
				after(10 * time.Minute)
				require.Zero(t, c.runs.Load())
				require.Len(t, d.requests(claims), 1, "it is not tried again")
				if name == "another definition" {
					require.LessOrEqual(t, len(d.requests(resumes)), 2, "the answer is not read again and again")
				}
				l.leave()
				<-l.ended
			})
		})
	}
}

// If the service accepted a claim but its response was lost, the claim still belongs to this page.
func TestAClaimWhoseResponseIsLostIsMadeAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c counter
		d := newDesk()
		d.makes(wire.CallApproved, "t1")
		lost := 0
		d.spoils(func(what string) *reply {
			if what != claims || lost == 2 {
				return nil
			}
			if lost++; lost == 1 {
				d.changes("t1", "claim", []byte(d.requests(claims)[0].body))
			}
			return &reply{err: errors.New("lost")}
		})
		l := asks(t, d.open(t, configOf(c.tool())))
		after(time.Minute)
		require.EqualValues(t, 1, c.runs.Load())
		made := d.requests(claims)
		require.Len(t, made, 3)
		require.Equal(t, made[0].body, made[2].body)
		d.finishes("yes")
		<-l.ended
	})
}

// Claims and results are tried again like any request that may be repeated.
func TestAClaimAndAResultAreTriedAgain(t *testing.T) {
	t.Parallel()
	for _, lost := range []string{claims, results} {
		synctest.Test(t, func(t *testing.T) {
			var c counter
			config := configOf(c.tool())
			config.MaxRetries, config.RetryDelay = 0, 0
			d := newDesk()
			d.makes(wire.CallApproved, "t1")
			d.spoils(func(what string) *reply {
				if what == lost && len(d.requests(lost)) == 1 {
					return &reply{err: errors.New("lost")}
				}
				return nil
			})
			l := asks(t, d.open(t, config))
			after(sdk.DefaultRetryDelay)
			require.Equal(t, wire.CallDone, d.status("t1"))
			d.finishes("yes")
			<-l.ended
		})
	}
}

// A call can be claimed, lost and approved again between two requests for the calls.
func TestACallThatIsApprovedAgainUnseenIsCarriedOutAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		runs := 0
		l := asks(t, d.open(t, configOf(lookTool(func(context.Context, wire.JSON, string) (string, error) {
			if runs++; runs == 1 {
				return "", sdk.ErrDetached
			}
			return "done", nil
		}))))
		d.makes(wire.CallApproved, "t1")
		after(3 * time.Second)
		require.Equal(t, wire.CallRunning, d.status("t1"))
		d.becomes("t1", wire.CallApproved) // its claim has ended
		after(time.Minute)
		require.Equal(t, wire.CallDone, d.status("t1"))
		require.Equal(t, 2, runs)
		d.finishes("yes")
		<-l.ended
		require.NoError(t, l.err)
	})
}

func TestAPageThatLeavesClaimsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c counter
		d := newDesk()
		d.makes(wire.CallApproved, "t1")
		l := follows(t, d.open(t, configOf(c.tool())))
		after(4 * time.Second)
		l.leave()
		<-l.ended
		after(time.Minute)
		require.Empty(t, d.requests(claims))
	})
}
