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

// pageResumes is the configuration of a page with all its defaults.
func pageResumes() sdk.Config {
	config := pageConfig()
	config.MaxRetries, config.ResumeTimeout = 0, 0
	return config
}

// outage is a keeper whose first connection is cut after two events. For a while after that, each
// connection fails as how says.
func outage(how func() reply, lasts time.Duration) *keeper {
	var since time.Time
	return &keeper{events: short(), spoil: func(n int, text string) reply {
		switch {
		case n == 0:
			since = time.Now()
			return streamReply(stream(short()[:2]...))
		case time.Since(since) < lasts:
			return how()
		}
		return streamReply(text)
	}}
}

func unreachable() reply { return reply{err: errors.New("no network")} }

func TestAnOutageEndsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]func() reply{
		"no network":      unreachable,
		"no response":     func() reply { return reply{hang: true} },
		"a gateway's 502": func() reply { return proxied(502) },
	} {
		for _, lasts := range []time.Duration{0, 1, 2, 4, 5, 20, 50} {
			for _, retries := range []int{0, -1} {
				t.Run(fmt.Sprintf("%s for %d s, %d retries", name, lasts, retries), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						config := pageResumes()
						config.MaxRetries = retries
						k := outage(how, lasts*time.Second)
						requireWhole(t, k.events, outcomeOf(t, k.open(t, config), sdk.SendMessageOptions{}))
						require.Equal(t, resumes+" 2", k.log()[1])
					})
				})
			}
		}
	}
}

func TestTheClientTriesToResumeForResumeTimeout(t *testing.T) {
	t.Parallel()
	for setting, want := range map[time.Duration]time.Duration{0: time.Minute, 10 * time.Second: 10 * time.Second, time.Hour: time.Hour, -1: 0} {
		for _, delay := range []time.Duration{0, -1} {
			t.Run(fmt.Sprintf("%s, retry delay %d", setting, delay), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					config := pageResumes()
					config.ResumeTimeout, config.RetryDelay = setting, delay
					k := outage(unreachable, 24*time.Hour)
					begun := time.Now()
					got := outcomeOf(t, k.open(t, config), sdk.SendMessageOptions{})
					requireCut(t, got.err)
					require.Equal(t, "Hé", got.err.(*sdk.APIError).Partial)
					require.InDelta(t, want.Seconds(), time.Since(begun).Seconds(), 8+want.Seconds()/60)
					require.LessOrEqual(t, len(k.log()), 2+int(want.Seconds()/2)+20, "it does not flood the service")
				})
			})
		}
	}
}

func TestTimeOfflineDoesNotCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := outage(unreachable, time.Hour)
		client := k.open(t, pageResumes())
		client.Offline()
		time.AfterFunc(time.Hour+time.Millisecond, client.Wake)
		begun := time.Now()
		requireWhole(t, k.events, outcomeOf(t, client, sdk.SendMessageOptions{}))
		require.Less(t, time.Since(begun), time.Hour+2*time.Millisecond, "the wake ends the wait")
	})
}

func TestTheTimeBeforeAnOfflineSpellCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := outage(unreachable, 24*time.Hour)
		client := k.open(t, pageResumes())
		time.AfterFunc(30*time.Second, client.Offline)
		time.AfterFunc(time.Hour, client.Wake)
		begun := time.Now()
		requireCut(t, outcomeOf(t, client, sdk.SendMessageOptions{}).err)
		require.InDelta(t, 3660, time.Since(begun).Seconds(), 10, "a wake restarts the time")
	})
}

func TestAWakeRestartsTheTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := outage(unreachable, 290*time.Second)
		client := k.open(t, pageResumes())
		for i := range 6 {
			time.AfterFunc(time.Duration(i)*50*time.Second, client.Wake)
		}
		requireWhole(t, k.events, outcomeOf(t, client, sdk.SendMessageOptions{}))
	})
}

// A page comes into view again and has no network for a moment.
func TestWakesUseUpNoRetries(t *testing.T) {
	t.Parallel()
	for _, retries := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			config := pageResumes()
			config.MaxRetries, config.RetryDelay = retries, 8*time.Second
			client, script := open(t, config, unreachable(), unreachable(), unreachable(), unreachable(), jsonReply(wholeAnswer))
			ended := make(chan error, 1)
			go func() { ended <- calls()["listChats"](t.Context(), client) }()
			for range 4 {
				synctest.Wait()
				client.Wake()
			}
			require.NoError(t, <-ended)
			require.Len(t, script.requests, 5)
		})
	}
}

// The connection of a request may have died while the device slept.
func TestAWakeRepeatsAResumeThatGotNoResponse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &keeper{events: short(), spoil: func(n int, text string) reply {
			switch n {
			case 0:
				return streamReply(stream(short()[:2]...))
			case 1:
				return reply{hang: true}
			}
			return streamReply(text)
		}}
		config := pageResumes()
		config.RetryDelay = -1
		client := k.open(t, config)
		time.AfterFunc(5*time.Second, client.Wake)
		begun := time.Now()
		requireWhole(t, k.events, outcomeOf(t, client, sdk.SendMessageOptions{}))
		require.Equal(t, 5*time.Second, time.Since(begun))
		require.Equal(t, []string{sends, resumes + " 2", resumes + " 2"}, k.log())
	})
}

func TestAResumeWithoutAResponseIsRepeatedAfterTheStallTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		config := pageResumes()
		config.StallTimeout, config.RetryDelay = 3*time.Second, -1
		k := outage(func() reply { return reply{hang: true} }, time.Second)
		requireWhole(t, k.events, outcomeOf(t, k.open(t, config), sdk.SendMessageOptions{}))
		require.InDelta(t, 3, k.times[2].Sub(k.times[1]).Seconds(), 0.3, "the timeout, and a short wait")
	})
}

func TestAnEventRestartsTheTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		whole := answerOf(strings.Split("abcdefgh", "")...)
		var since time.Time
		// Each connection brings one event, and then no connection succeeds for 50 seconds.
		k := &keeper{events: whole, spoil: func(n int, text string) reply {
			if n > 0 && time.Since(since) < 50*time.Second {
				return unreachable()
			}
			since = time.Now()
			return streamReply(text[:strings.Index(text, "\n\n")+2])
		}}
		requireWhole(t, whole, outcomeOf(t, k.open(t, pageResumes()), sdk.SendMessageOptions{}))
	})
}

// Heartbeats are not events, but they show that the stream is alive: a model may think for longer than
// ResumeTimeout.
func TestHeartbeatsKeepAStreamAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		connections := 0
		config := pageResumes()
		config.Transport = transportFunc(func(ctx context.Context, request *sdk.Request) (*sdk.Response, error) {
			p := &paced{ctx: ctx, pieces: []string{stream(short()[:2]...)}}
			if connections++; connections > 1 {
				p.pause = 20 * time.Second
				for range 10 {
					p.pieces = append(p.pieces, ": beat\n\n")
				}
				p.pieces = append(p.pieces[1:], stream(short()[2:]...))
			}
			return &sdk.Response{Status: 200, Header: reply{header: streamHeader()}.get, Body: p}, nil
		})
		client, err := sdk.New(config)
		require.NoError(t, err)
		requireWhole(t, short(), outcomeOf(t, client, sdk.SendMessageOptions{}))
		require.Equal(t, 2, connections)
		time.Sleep(time.Second) // the body is read to its end in the background
	})
}

// Reading the stored message for an answer must not fail sooner than the answer itself would.
func TestAnOutageOfTheStoredMessageEndsNoAnswer(t *testing.T) {
	t.Parallel()
	gone := func(int, string) reply { return coded(410, wire.CodeStreamGone) }
	differs := short()
	proof := differs[5].data.(wire.Complete)
	proof.CRC32 = "00000000"
	differs[5].data = proof
	tests := []struct {
		name   string
		events []written
		spoil  func(n int, text string) reply
		types  string
	}{
		{"the events are gone", short(), gone, "start chunk chunk complete end"},
		{"the answer differs from its proof", differs, nil, "start chunk document_chunk chunk chat_name complete end"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				k := &keeper{events: test.events, stored: func() reply {
					if time.Since(begun) < 20*time.Second {
						return unreachable()
					}
					return storedAs(`"content":"Héllo 😀","finish_reason":"stop"`)()
				}}
				k.spoil = func(n int, text string) reply {
					if n > 0 && test.spoil != nil {
						return test.spoil(n, text)
					}
					if test.spoil != nil {
						return streamReply(stream(short()[:2]...))
					}
					return streamReply(text)
				}
				got := outcomeOf(t, k.open(t, pageResumes()), sdk.SendMessageOptions{})
				require.NoError(t, got.err)
				require.Equal(t, test.types, got.types())
				require.Equal(t, "Héllo 😀", got.text)
				require.Equal(t, "Héllo 😀", got.complete.Content)
			})
		})
	}
}

// The answer is whole and only its end event is missing: it is requested as often as other requests.
func TestAMissingEndEventIsRequestedOnlyMaxRetriesTimes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &keeper{events: short(), spoil: func(n int, text string) reply {
			if n == 0 {
				return streamReply(stream(short()[:6]...))
			}
			return unreachable()
		}}
		begun := time.Now()
		requireWhole(t, short(), outcomeOf(t, k.open(t, pageResumes()), sdk.SendMessageOptions{}))
		require.Less(t, time.Since(begun), 2*time.Second)
		require.Len(t, k.log(), 3)
	})
}
