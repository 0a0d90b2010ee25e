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

// guard is a Transport that accepts only one token.
type guard struct {
	valid    string
	code     string // the code of its 401
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

// counting is a token function that returns "1", "2" … and counts its calls.
type counting struct {
	asked atomic.Int32
	last  int32 // from this token on it returns the same one; 0 for never
}

func (c *counting) give(context.Context) (string, error) {
	time.Sleep(time.Second) // in a synctest bubble, so all calls wait by then
	n := c.asked.Add(1)
	if c.last > 0 {
		n = min(n, c.last)
	}
	return strconv.Itoa(int(n)), nil
}

// atOnce makes n calls at once and returns their errors.
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
		{"and once more if the function returns the same token", "9", wire.CodeTokenExpired, 1, 2, 40, false},
		{"and for another if the 401 does not mention the token", "2", wire.CodeAuthentication, 0, 2, 20, true},
		{"and for another if the 401 comes from a gateway", "2", "", 0, 2, 20, true},
		{"and never for a third if the 401 comes from a gateway", "9", "", 0, 2, 40, false},
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

// A call is refused after another call has got a new token: it takes that token, however late it is.
func TestALateRefusalUsesTheTokenThatCameMeanwhile(t *testing.T) {
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

func TestTheRequestIsRepeatedUnchanged(t *testing.T) {
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

// asked is the result of one call of a token function.
type asked struct {
	token string
	err   error
}

// asking is a token function that returns the given results in order.
func asking(answers ...asked) (function func(context.Context) (string, error), count *int) {
	count = new(int)
	return func(context.Context) (string, error) {
		*count++
		return answers[*count-1].token, answers[*count-1].err
	}, count
}

func TestAWrongTokenIsFinalAndIsNotKept(t *testing.T) {
	t.Parallel()
	function, count := asking(asked{}, asked{token: "a\nb"}, asked{err: &sdk.TokenError{Problem: "gave an object, want a string"}}, asked{token: "good"})
	config := tokenConfig(function)
	config.MaxRetries, config.RetryDelay = 2, -1
	client, script := open(t, config, jsonReply(`{}`), jsonReply(`{}`))
	for _, problem := range []string{"gave an empty text, want a token", "gave a text that a header cannot carry, want a token", "gave an object, want a string"} {
		failure := apiError(t, client.DeleteChat(t.Context(), "c1"))
		require.Equal(t, wire.CodeAuthentication, failure.Code)
		require.False(t, failure.Retryable())
		require.Equal(t, "deleteChat: the accessToken function "+problem, failure.Message)
	}
	require.NoError(t, client.DeleteChat(t.Context(), "c1"))
	require.NoError(t, client.DeleteChat(t.Context(), "c1"))
	require.Equal(t, 4, *count)
	require.Len(t, script.requests, 2)
}

// An application asks its own server for the token, over the same network.
func TestATokenFunctionThatFailsIsCalledAgain(t *testing.T) {
	t.Parallel()
	failure := asked{err: errors.New("no network")}
	t.Run("until it returns a token", func(t *testing.T) {
		function, count := asking(failure, failure, asked{token: "good"})
		config := tokenConfig(function)
		config.MaxRetries, config.RetryDelay = 2, -1
		client, script := open(t, config, jsonReply(`{}`))
		require.NoError(t, client.DeleteChat(t.Context(), "c1"))
		require.Equal(t, 3, *count)
		require.Equal(t, "Bearer good", script.requests[0].Header["authorization"])
	})
	t.Run("as often as a connection is tried", func(t *testing.T) {
		function, count := asking(failure, failure, failure)
		config := tokenConfig(function)
		config.MaxRetries, config.RetryDelay = 2, -1
		client, script := open(t, config)
		err := apiError(t, client.DeleteChat(t.Context(), "c1"))
		require.Equal(t, wire.CodeAuthentication, err.Code)
		require.True(t, err.Retryable())
		require.EqualError(t, err.Cause, "no network")
		require.Equal(t, 3, *count)
		require.Empty(t, script.requests)
	})
	t.Run("in mid-answer, for as long as the client tries to resume", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			count := 0
			config := pageResumes()
			config.AccessToken, config.AccessTokenFunc = "", func(context.Context) (string, error) {
				if count++; count > 1 && time.Since(begun) < 20*time.Second {
					return "", errors.New("no network")
				}
				return strconv.Itoa(count), nil
			}
			whole := answerOf("a", "b")
			client, script := open(t, config, streamReply(stream(whole[:2]...)), coded(401, wire.CodeTokenExpired), streamReply(stream(whole[2:]...)))
			for range 20 {
				script.replies = append(script.replies, script.replies[2])
			}
			got := outcomeOf(t, client, sdk.SendMessageOptions{})
			require.NoError(t, got.err)
			require.Equal(t, "ab", got.complete.Content)
			require.Greater(t, count, 3)
		})
	})
}

func TestAFailedRefreshIsTheErrorAndIsNotKept(t *testing.T) {
	t.Parallel()
	function, count := asking(asked{token: "1"}, asked{err: errors.New("signed out")}, asked{token: "3"})
	client, _ := open(t, tokenConfig(function), coded(401, wire.CodeTokenExpired), jsonReply(`{}`))
	failure := apiError(t, client.DeleteChat(t.Context(), "c1"))
	require.Equal(t, wire.CodeAuthentication, failure.Code)
	require.EqualError(t, failure.Cause, "signed out")
	require.NoError(t, client.DeleteChat(t.Context(), "c1"))
	require.Equal(t, 3, *count)
}

// hangingOnce is a token function that returns the number of its call. Its first call hangs until
// release is called.
func hangingOnce() (function func(context.Context) (string, error), count *atomic.Int32, release func()) {
	count = new(atomic.Int32)
	hang := make(chan struct{})
	return func(context.Context) (string, error) {
		n := count.Add(1)
		if n == 1 {
			<-hang
		}
		return strconv.Itoa(int(n)), nil
	}, count, func() { close(hang) }
}

// A token function that hangs fails only the call that waits for it, and no later call.
func TestATokenFunctionThatHangsOnce(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]time.Duration{"until the timeout": 0, "until the caller leaves": time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				function, _, release := hangingOnce()
				defer release()
				client, script := open(t, tokenConfig(function), jsonReply(`{}`))
				ctx := t.Context()
				if leave > 0 {
					limited, cancel := context.WithTimeout(ctx, leave)
					defer cancel()
					ctx = limited
				}
				begun := time.Now()
				err := client.DeleteChat(ctx, "c1")
				if leave > 0 {
					require.ErrorIs(t, err, context.DeadlineExceeded)
				} else {
					failure := apiError(t, err)
					require.Equal(t, wire.CodeTimeout, failure.Code)
					require.Equal(t, "deleteChat: the accessToken function gave nothing in time", failure.Message)
					require.Equal(t, sdk.DefaultTimeout, time.Since(begun))
				}
				require.NoError(t, client.DeleteChat(t.Context(), "c1"))
				require.Equal(t, "Bearer 2", script.requests[0].Header["authorization"])
			})
		})
	}
}

func TestAHangingTokenFunctionIsCalledAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		function, count, release := hangingOnce()
		defer release()
		config := tokenConfig(function)
		config.MaxRetries = 2
		client, _ := open(t, config, jsonReply(`{}`))
		require.NoError(t, client.DeleteChat(t.Context(), "c1"))
		require.EqualValues(t, 2, count.Load())
	})
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
		config.RetryDelay, config.ResumeTimeout = -1, 0
		whole := answerOf("a", "b")
		client, script := open(t, config, streamReply(stream(whole[:2]...)), coded(401, wire.CodeTokenExpired), streamReply(stream(whole[2:]...)))
		got := outcomeOf(t, client, sdk.SendMessageOptions{})
		require.NoError(t, got.err)
		require.Equal(t, "ab", got.complete.Content)
		require.Equal(t, "Bearer 2", script.requests[2].Header["authorization"])
	})
}
