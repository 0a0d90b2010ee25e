package sdk_test

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

const (
	stopsByID  = "POST /v3/chat/stream/s1/stop"
	stopsByKey = "POST /v3/chat/stop"
)

// receipt is the response to a stop.
func receipt() reply {
	return jsonReply(`{"stopped":true,"message":{"id":"m2","content":"a","finish_reason":"stopped"},"last_event_id":4,"bytes":1,"crc32":"e8b7be43"}`)
}

// follow reads a stream and calls each with the number of events so far.
func follow(events iter.Seq2[sdk.Event, error], each func(n int) bool) (n int, err error) {
	for _, err := range events {
		if err != nil {
			return n, err
		}
		if n++; !each(n) {
			break
		}
	}
	return n, nil
}

// twoEvents is how many bytes the first two events of short take.
func twoEvents() int { return len(stream(short()[:2]...)) }

// afterEach lists the requests if a reader of short leaves after the n-th event of the stream.
func afterEach(n int) []string {
	if n < 6 { // before the completion
		return []string{sends, stopsByID}
	}
	return []string{sends}
}

func TestLeavingAfterAnyEvent(t *testing.T) {
	t.Parallel()
	ways := map[string]func(events iter.Seq2[sdk.Event, error], at int, cancel func()) (int, error){
		"the context ends": func(events iter.Seq2[sdk.Event, error], at int, cancel func()) (int, error) {
			return follow(events, func(n int) bool {
				if n == at {
					cancel()
				}
				return true
			})
		},
		"the loop is left": func(events iter.Seq2[sdk.Event, error], at int, _ func()) (int, error) {
			return follow(events, func(n int) bool { return n < at })
		},
	}
	for way, leave := range ways {
		for at := 1; at <= len(short()); at++ {
			for _, detach := range []bool{false, true} {
				for _, together := range []bool{false, true} { // all events in one read, or each in its own
					t.Run(way+" "+strconv.Itoa(at), func(t *testing.T) {
						t.Parallel()
						synctest.Test(t, func(t *testing.T) {
							k := &keeper{events: short(), stop: receipt, spoil: func(_ int, text string) reply {
								if together {
									return streamReply(text)
								}
								return streamReply(eventsOf(text)...)
							}}
							ctx, cancel := context.WithCancel(t.Context())
							n, err := leave(k.open(t, retryConfig()).Stream(ctx, "hi", sdk.SendMessageOptions{DetachOnAbort: detach}), at, cancel)
							cancel()
							require.Equal(t, at, n, "no event after that")
							if way == "the context ends" && at < len(short()) {
								require.Equal(t, context.Canceled, err)
							} else {
								require.NoError(t, err)
							}
							synctest.Wait()
							asked := afterEach(at)
							if together || detach { // the whole answer was read, or the service is to finish it
								asked = asked[:1]
							}
							require.Equal(t, asked, k.log())
							if len(asked) == 2 {
								require.Equal(t, k.keys[0], k.keys[1])
							}
						})
					})
				}
			}
		}
	}
}

// endsWhile calls run, ends its context when all goroutines wait, and returns the error.
func endsWhile(t *testing.T, run func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	synctest.Wait()
	begun := time.Now()
	cancel()
	err := <-ended
	require.Equal(t, begun, time.Now(), "at once")
	synctest.Wait()
	return err
}

func TestTheContextEndsWhileAStreamWaits(t *testing.T) {
	t.Parallel()
	busy := func() reply {
		r := coded(503, wire.CodeUnavailable)
		r.header = map[string]string{"retry-after": "60"}
		return r
	}
	tests := []struct {
		name        string
		connections []func(text string) reply
		stored      func() reply
		asked       []string
	}{
		{"for the headers", []func(string) reply{func(string) reply { return reply{hang: true} }}, nil, []string{sends, stopsByKey}},
		{"for the start", []func(string) reply{func(text string) reply { return silentAt(text, 20) }}, nil, []string{sends, stopsByKey}},
		{"for the next event", []func(string) reply{func(text string) reply { return silentAt(text, twoEvents()) }}, nil, []string{sends, stopsByID}},
		{"for the second try", []func(string) reply{func(string) reply { return busy() }}, nil, []string{sends, stopsByKey}},
		{"for the resume", []func(string) reply{
			func(text string) reply { return cutAt(text, twoEvents(), 99, nil) }, func(string) reply { return busy() },
		}, nil, []string{sends, resumes + " 2", stopsByID}},
		{"for the headers of the resume", []func(string) reply{
			func(text string) reply { return cutAt(text, twoEvents(), 99, nil) }, func(string) reply { return reply{hang: true} },
		}, nil, []string{sends, resumes + " 2", stopsByID}},
		{"for the stored message", []func(string) reply{
			func(text string) reply { return cutAt(text, twoEvents(), 99, nil) }, func(string) reply { return coded(410, wire.CodeStreamGone) },
		}, func() reply { return reply{hang: true} }, []string{sends, resumes + " 2", stored, stopsByID}},
	}
	for _, test := range tests {
		for _, detach := range []bool{false, true} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					k := &keeper{events: short(), stop: receipt, stored: test.stored, spoil: func(n int, text string) reply {
						return test.connections[n](text)
					}}
					client := k.open(t, retryConfig())
					require.Equal(t, context.Canceled, endsWhile(t, func(ctx context.Context) error {
						return drain(client.Stream(ctx, "hi", sdk.SendMessageOptions{DetachOnAbort: detach}))
					}))
					asked := test.asked
					if detach {
						asked = asked[:len(asked)-1]
					}
					require.Equal(t, asked, k.log())
					if !detach {
						require.Equal(t, k.keys[0], k.keys[len(k.keys)-1], "the stop names the message's key")
					}
				})
			})
		}
	}
}

// calledOff are the calls that stop their answer when their context ends, if the request was sent.
func calledOff() map[string]func(context.Context, *sdk.Client) error {
	return map[string]func(context.Context, *sdk.Client) error{
		"sendMessage": func(ctx context.Context, c *sdk.Client) error {
			_, err := c.SendMessage(ctx, "hi", sdk.SendMessageOptions{})
			return err
		},
		"sendMessageStream": func(ctx context.Context, c *sdk.Client) error {
			return drain(c.Stream(ctx, "hi", sdk.SendMessageOptions{}))
		},
		"regenerateMessage": func(ctx context.Context, c *sdk.Client) error {
			return drain(c.Regenerate(ctx, "c1", "m2", sdk.RegenerateOptions{}))
		},
	}
}

func TestWhatWasNotSentIsNotStopped(t *testing.T) {
	t.Parallel()
	for name, call := range calledOff() {
		t.Run(name+", ended before", func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := &keeper{}
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				require.Equal(t, context.Canceled, call(ctx, k.open(t, retryConfig())))
				synctest.Wait()
				require.Empty(t, k.log())
			})
		})
		t.Run(name+", ended while it waited for the token", func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := &keeper{}
				client := k.open(t, tokenConfig(func(context.Context) (string, error) {
					time.Sleep(time.Minute)
					return "t", nil
				}))
				require.Equal(t, context.Canceled, endsWhile(t, func(ctx context.Context) error { return call(ctx, client) }))
				time.Sleep(time.Hour)
				require.Empty(t, k.log())
			})
		})
	}
}

func TestAWholeAnswerIsStoppedByItsKey(t *testing.T) {
	t.Parallel()
	for name, call := range calledOff() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := &keeper{stop: receipt, spoil: func(int, string) reply { return reply{hang: true} }}
				client := k.open(t, retryConfig())
				require.Equal(t, context.Canceled, endsWhile(t, func(ctx context.Context) error { return call(ctx, client) }))
				require.Len(t, k.log(), 2)
				require.Equal(t, stopsByKey, k.log()[1])
				require.Equal(t, k.keys[0], k.keys[1])
			})
		})
	}
}

// A stop may arrive before its message.
func TestAStopWhoseKeyIsNotKnownYet(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		known time.Duration // when the service begins to know the key
		err   bool
	}{
		{"known at once", 0, false},
		{"known after a second", time.Second, false},
		{"known after five", 5 * time.Second, false},
		{"never known", time.Hour, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				k := &keeper{stop: func() reply {
					if time.Since(begun) < test.known {
						return coded(404, wire.CodeNotFound)
					}
					return receipt()
				}}
				got, err := k.open(t, retryConfig()).Stop(t.Context(), "", "key-1")
				require.InDelta(t, min(test.known, 5*time.Second), time.Since(begun), float64(300*time.Millisecond))
				if test.err {
					require.Equal(t, 404, apiError(t, err).Status)
					return
				}
				require.NoError(t, err)
				require.True(t, got.Stopped)
			})
		})
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	k := &keeper{stop: receipt}
	got, err := k.open(t, retryConfig()).Stop(t.Context(), "s1", "")
	require.NoError(t, err)
	got.Raw, got.Message.Raw = nil, nil
	require.Equal(t, &sdk.StopReceipt{
		Stopped: true, Message: sdk.Message{ID: "m2", Content: "a", FinishReason: "stopped"}, LastEventID: 4, Bytes: 1, CRC32: "e8b7be43",
	}, got)
	require.Equal(t, []string{stopsByID}, k.log())

	k.stop = nil
	_, err = k.open(t, retryConfig()).Stop(t.Context(), "s1", "")
	require.Equal(t, 404, apiError(t, err).Status, "a stream id is known at once or never")
	require.Len(t, k.log(), 2)
}

func TestTheContextEndsAStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &keeper{}
		client := k.open(t, retryConfig())
		require.Equal(t, context.Canceled, endsWhile(t, func(ctx context.Context) error {
			_, err := client.Stop(ctx, "", "key-1")
			return err
		}))
		require.Len(t, k.log(), 1)
	})
}

// A stop in the background is tried again like any other write with a key.
func TestTheStopOfAnAbortSurvivesALostConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lost := true
		k := &keeper{events: short(), spoil: func(_ int, text string) reply { return silentAt(text, twoEvents()) }}
		k.stop = func() reply {
			if lost {
				lost = false
				return reply{err: errors.New("lost")}
			}
			return receipt()
		}
		client := k.open(t, retryConfig())
		require.Equal(t, context.Canceled, endsWhile(t, func(ctx context.Context) error {
			return drain(client.Stream(ctx, "hi", sdk.SendMessageOptions{}))
		}))
		require.Equal(t, []string{sends, stopsByID, stopsByID}, k.log())
	})
}

func TestAnAbortedConnectionIsClosedBeforeTheStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var response *body
		k := &keeper{events: short(), spoil: func(_ int, text string) reply {
			r := silentAt(text, twoEvents())
			response = r.body
			return r
		}}
		closed := -1
		k.stop = func() reply { closed = response.closed; return receipt() }
		client := k.open(t, retryConfig())
		_ = endsWhile(t, func(ctx context.Context) error { return drain(client.Stream(ctx, "hi", sdk.SendMessageOptions{})) })
		require.Equal(t, 1, closed)
	})
}

// When a page closes its client, the service finishes the answers that are being written.
func TestADetachedContextStopsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &keeper{events: short(), stop: receipt, spoil: func(_ int, text string) reply { return silentAt(text, twoEvents()) }}
		client := k.open(t, retryConfig())
		require.Equal(t, context.Canceled, endsWhile(t, func(ctx context.Context) error {
			detached, cancel := context.WithCancelCause(t.Context())
			context.AfterFunc(ctx, func() { cancel(sdk.ErrDetached) })
			return drain(client.Stream(detached, "hi", sdk.SendMessageOptions{}))
		}))
		require.Equal(t, []string{sends}, k.log())
	})
}

func TestAnAnswerThatFailedIsNotStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failed := written{id: 2, event: wire.EventError, data: `{"status_code":502,"error":{"code":"PROVIDER_FAILED","message":"m"}}`}
		k := &keeper{events: []written{answerOf()[0], failed}}
		require.Error(t, drain(k.open(t, retryConfig()).Stream(t.Context(), "hi", sdk.SendMessageOptions{})))
		synctest.Wait()
		require.Equal(t, sends, strings.Join(k.log(), ", "))
	})
}
