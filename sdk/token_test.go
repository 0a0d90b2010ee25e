package sdk_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// guard is a Transport that lets one token in.
type guard struct {
	valid    string
	code     string // of its 401
	refused  atomic.Int32
	admitted atomic.Int32
}

func (g *guard) Do(_ context.Context, request *sdk.Request) (*sdk.Response, error) {
	answer := success("")
	if request.Header["authorization"] != "Bearer "+g.valid {
		g.refused.Add(1)
		answer = coded(401, g.code)
	} else {
		g.admitted.Add(1)
	}
	answer.status = max(answer.status, 200)
	answer.body.ctx = context.Background()
	return &sdk.Response{Status: answer.status, Header: answer.get, Body: answer.body}, nil
}

// counting gives tokens "1", "2" … and counts how often it is asked.
type counting struct {
	asked atomic.Int32
	last  int32 // the token that it goes on giving, 0 for none
}

func (c *counting) give(context.Context) (string, error) {
	time.Sleep(time.Second) // in a bubble: all calls wait meanwhile
	n := c.asked.Add(1)
	if c.last > 0 {
		n = min(n, c.last)
	}
	return strconv.Itoa(int(n)), nil
}

// atOnce makes n calls at once and gives their errors.
func atOnce(t *testing.T, client *sdk.Client, n int) []error {
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		call := "listChats"
		if i%2 == 1 {
			call = "sendMessageStream"
		}
		group.Go(func() { errs[i] = calls()[call](t.Context(), client) })
	}
	group.Wait()
	return errs
}

func TestAnyNumberOfCallsAskForOneToken(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		valid, code string
		last        int32
		asked       int32
		refused     int32
		succeeds    bool
	}{
		{"that is good", "1", "", 0, 1, 0, true},
		{"and for another when it has expired", "2", wire.CodeTokenExpired, 0, 2, 20, true},
		{"and for another when it is wrong", "2", wire.CodeInvalidToken, 0, 2, 20, true},
		{"and never for a third", "9", wire.CodeTokenExpired, 0, 2, 40, false},
		{"and once more where the function gives the same again", "9", wire.CodeTokenExpired, 1, 2, 40, false},
		{"and for no other where the 401 says nothing of it", "9", wire.CodeAuthentication, 0, 1, 20, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tokens, server := &counting{last: test.last}, &guard{valid: test.valid, code: test.code}
				config := tokenConfig(tokens.give)
				config.Transport, config.MaxRetries, config.RetryDelay = server, 2, -1
				client, err := sdk.New(config)
				require.NoError(t, err)
				for _, err := range atOnce(t, client, 20) {
					if test.succeeds {
						require.NoError(t, err)
						continue
					}
					require.Equal(t, test.code, apiError(t, err).Code)
				}
				require.Equal(t, test.asked, tokens.asked.Load())
				require.Equal(t, test.refused, server.refused.Load())
			})
		})
	}
}

// A call that was sent before another token came takes that one, however late it
// is refused.
func TestALateRefusalTakesTheTokenThatCameMeanwhile(t *testing.T) {
	t.Parallel()
	for name, last := range map[string]int32{"another token": 0, "the same token again": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tokens, server := &counting{last: last}, &guard{valid: "2", code: wire.CodeTokenExpired}
				config := tokenConfig(tokens.give)
				config.Transport = transportFunc(func(ctx context.Context, request *sdk.Request) (*sdk.Response, error) {
					if request.Method == "DELETE" {
						time.Sleep(time.Minute)
					}
					return server.Do(ctx, request)
				})
				client, err := sdk.New(config)
				require.NoError(t, err)
				late := make(chan error)
				go func() { late <- client.DeleteChat(t.Context(), "c1") }()
				_, early := client.ListAgents(t.Context())
				require.Equal(t, last == 0, early == nil)
				require.Equal(t, last == 0, <-late == nil)
				require.EqualValues(t, 2, tokens.asked.Load())
			})
		})
	}
}

func TestTheRepetitionIsTheSameRequest(t *testing.T) {
	t.Parallel()
	for name, call := range calls() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tokens := &counting{}
				config := tokenConfig(tokens.give)
				client, script := open(t, config, coded(401, wire.CodeTokenExpired), success(name))
				require.NoError(t, call(t.Context(), client))
				require.Len(t, script.requests, 2)
				require.Equal(t, script.keys[0], script.keys[1])
				require.Equal(t, "Bearer 1", script.requests[0].Header["authorization"])
				require.Equal(t, "Bearer 2", script.requests[1].Header["authorization"])
				script.requests[1].Header["authorization"] = "Bearer 1"
				require.Equal(t, script.requests[0], script.requests[1])
			})
		})
	}
}

func TestACallerWhoLeavesDoesNotFailTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		given := make(chan string)
		asked := 0
		client, script := open(t, tokenConfig(func(ctx context.Context) (string, error) {
			asked++
			select {
			case token := <-given:
				return token, nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}), jsonReply(`{}`))
		leaving, leave := context.WithCancel(t.Context())
		ended := make(chan error, 2)
		go func() { ended <- client.DeleteChat(leaving, "c1") }()
		synctest.Wait()
		go func() { ended <- client.DeleteChat(t.Context(), "c2") }()
		synctest.Wait()
		leave()
		require.Equal(t, context.Canceled, <-ended)
		require.Empty(t, script.requests)
		given <- "a"
		require.NoError(t, <-ended)
		require.Equal(t, 1, asked)
		require.Equal(t, "Bearer a", script.requests[0].Header["authorization"])
	})
}

func TestAnUnusableTokenIsForgotten(t *testing.T) {
	t.Parallel()
	answers := []struct {
		token string
		err   error
	}{{"", nil}, {"a\nb", nil}, {"", errors.New("signed out")}, {"good", nil}}
	asked := 0
	client, script := open(t, tokenConfig(func(context.Context) (string, error) {
		asked++
		return answers[asked-1].token, answers[asked-1].err
	}), jsonReply(`{}`), jsonReply(`{}`))
	for range 3 {
		require.Equal(t, wire.CodeAuthentication, apiError(t, client.DeleteChat(t.Context(), "c1")).Code)
	}
	require.NoError(t, client.DeleteChat(t.Context(), "c1"))
	require.NoError(t, client.DeleteChat(t.Context(), "c1"))
	require.Equal(t, 4, asked)
	require.Len(t, script.requests, 2)
}

func TestAFailedRefreshIsTheErrorAndIsNotKept(t *testing.T) {
	t.Parallel()
	asked := 0
	client, _ := open(t, tokenConfig(func(context.Context) (string, error) {
		if asked++; asked == 2 {
			return "", errors.New("signed out")
		}
		return strconv.Itoa(asked), nil
	}), coded(401, wire.CodeTokenExpired), jsonReply(`{}`))
	failure := apiError(t, client.DeleteChat(t.Context(), "c1"))
	require.Equal(t, wire.CodeAuthentication, failure.Code)
	require.EqualError(t, failure.Cause, "signed out")
	require.NoError(t, client.DeleteChat(t.Context(), "c1"))
	require.Equal(t, 3, asked)
}

func TestATokenThatComesTooLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		config := tokenConfig(func(context.Context) (string, error) {
			time.Sleep(time.Hour)
			return "a", nil
		})
		client, script := open(t, config)
		begun := time.Now()
		require.Equal(t, wire.CodeTimeout, apiError(t, client.DeleteChat(t.Context(), "c1")).Code)
		require.Equal(t, sdk.DefaultTimeout, time.Since(begun))
		require.Empty(t, script.requests)
		time.Sleep(time.Hour)
	})
}

// A stream that outlives its token is resumed with another one.
func TestAStreamIsResumedWithANewToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tokens := &counting{}
		config := tokenConfig(tokens.give)
		config.MaxRetries, config.RetryDelay = 1, -1
		whole := answerOf("a", "b")
		client, script := open(t, config, streamReply(stream(whole[:2]...)), coded(401, wire.CodeTokenExpired), streamReply(stream(whole[2:]...)))
		got := outcomeOf(t, client, sdk.SendMessageOptions{})
		require.NoError(t, got.err)
		require.Equal(t, "ab", got.complete.Content)
		require.Equal(t, "Bearer 2", script.requests[2].Header["authorization"])
	})
}
