package sdk_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// retryConfig tries again twice, without a wait.
func retryConfig() sdk.Config {
	config := pageConfig()
	config.MaxRetries, config.RetryDelay, config.ResumeTimeout = 2, -1, 0
	return config
}

// wholeAnswer is a success for most calls; see success.
const wholeAnswer = `{"chat_id":"c1","message":{"id":"m2","content":"a"},"memory":{"id":"m1"},"stopped":true,` +
	`"chats":[],"messages":[],"content":"a","message_id":"m2","agents":[],"docs":[],"document_key":"d1",` +
	`"memory_enabled":true,"settings":{"memory_enabled":true},"memories_by_user":{},` +
	`"approvals":[],"total":0,"success":true,"id":"i","results":[],"answers":[],"erasures":[],"tool_calls":[],"call":{"id":"t1"}}`

func success(call string) reply {
	switch call {
	case "listUserMemories":
		return jsonReply(`[]`)
	case "uploadDocument":
		return jsonReply(`{"document_key":"d1"}`)
	case "approveMemory", "rejectMemory", "updateMemorySettings", "deleteUserMemories":
		return jsonReply(strings.Replace(wholeAnswer, `"message":{"id":"m2","content":"a"}`, `"message":"done"`, 1))
	}
	return jsonReply(wholeAnswer)
}

// unkeyed has the writes without a key.
var unkeyed = map[string]bool{"updateChatName": true, "sendFeedback": true, "stop": true}

// coded is an error of the service.
func coded(status int, code string) reply {
	return reply{status: status, body: reads(`{"status_code":1,"error":{"code":"` + code + `","message":"m"}}`)}
}

// proxied is an error page of a proxy.
func proxied(status int) reply {
	return reply{status: status, header: map[string]string{"content-type": "text/html"}, body: reads("<html></html>")}
}

// TestWhatIsRepeated tries each call with each failure.
func TestWhatIsRepeated(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		failed func() reply
		again  bool
	}{
		{"lost connection", func() reply { return reply{err: errors.New("connection reset")} }, true},
		{"body cut", func() reply { return reply{body: &body{left: pieces(`{"a`, 9), end: io.ErrUnexpectedEOF}} }, true},
		{"timeout before the headers", func() reply { return reply{hang: true} }, true},
		{"timeout in the body", func() reply { return reply{body: &body{left: pieces(`{"a`, 9), hang: true}} }, true},
		{"timeout in the body of an error", func() reply { return reply{status: 404, body: &body{hang: true}} }, true},
		{"408", func() reply { return proxied(408) }, true},
		{"429", func() reply { return coded(429, wire.CodeRateLimited) }, true},
		{"503", func() reply { return coded(503, wire.CodeUnavailable) }, true},
		{"503 of a proxy", func() reply { return proxied(503) }, true},
		{"500 of a proxy", func() reply { return proxied(500) }, true},
		{"502 of a proxy", func() reply { return proxied(502) }, true},
		{"504 of a proxy", func() reply { return proxied(504) }, true},
		{"504 of a proxy, without a body", func() reply { return reply{status: 504} }, true},
		{"500 of the service", func() reply { return coded(500, wire.CodeInternal) }, false},
		{"502 of the service", func() reply { return coded(502, wire.CodeProviderFailed) }, false},
		{"504 of the service", func() reply { return coded(504, wire.CodeProviderTimeout) }, false},
		{"501", func() reply { return proxied(501) }, false},
		{"400", func() reply { return coded(400, wire.CodeValidation) }, false},
		{"401", func() reply { return coded(401, wire.CodeAuthentication) }, false},
		{"401 of an expired token that no function returned", func() reply { return coded(401, wire.CodeTokenExpired) }, false},
		{"403", func() reply { return coded(403, wire.CodePermissionDenied) }, false},
		{"404", func() reply { return coded(404, wire.CodeNotFound) }, false},
		{"409", func() reply { return coded(409, wire.CodeConflict) }, false},
		{"422", func() reply { return coded(422, wire.CodeKeyReused) }, false},
		{"a web page that claims success", func() reply { return proxied(200) }, false},
	}
	for _, test := range tests {
		for name, call := range calls() {
			t.Run(name+", "+test.name, func(t *testing.T) {
				t.Parallel()
				config := retryConfig()
				if strings.HasPrefix(test.name, "timeout") {
					config.Timeout = 20 * time.Millisecond // enough for the second try, even on a busy machine
				}
				client, script := open(t, config, test.failed(), success(name))
				err := call(t.Context(), client)
				if !test.again || unkeyed[name] {
					require.Error(t, err)
					require.Len(t, script.requests, 1)
					return
				}
				require.NoError(t, err)
				require.Len(t, script.requests, 2)
				require.Equal(t, script.requests[0], script.requests[1])
				require.Equal(t, script.keys[0], script.keys[1])
				writes := script.requests[0].Method == "POST" && name != "listDocuments"
				require.Equal(t, writes, script.keys[0] != "", "a write is repeated only with its key")
			})
		}
	}
}

// keyedCalls are the calls that take a key.
func keyedCalls(key string) map[string]func(context.Context, *sdk.Client) error {
	list := map[string]func(context.Context, *sdk.Client) error{}
	for _, name := range []string{"createChat", "sendMessage", "sendMessageStream", "regenerateMessage", "createMemory", "approveMemory", "decideMemories"} {
		list[name] = func(ctx context.Context, c *sdk.Client) error {
			a := arguments{
				ChatID: "c1", MessageID: "m1", Message: "hi", IdempotencyKey: key, AgentID: "a1", UserID: "u1", MemoryID: "m1",
				MemoryContent: "User has a cat", MemoryType: wire.MemoryFact, Action: wire.ActionApprove, MemoryIDs: []string{"m1"},
			}
			if name == "sendMessageStream" { // the one in methods fails when a callback is called
				return drain(c.Stream(ctx, "hi", a.options()))
			}
			return methods()[name](ctx, c, a)
		}
	}
	return list
}

func TestAllTriesOfACallHaveTheSameKey(t *testing.T) {
	t.Parallel()
	for name, call := range keyedCalls("") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, script := open(t, retryConfig(), proxied(503), success(name), success(name))
			require.NoError(t, call(t.Context(), client))
			require.NoError(t, call(t.Context(), client))
			require.Equal(t, script.keys[0], script.keys[1])
			require.NotEqual(t, script.keys[1], script.keys[2])
			for _, key := range script.keys {
				require.Regexp(t, `^[!-~]{16,255}$`, key)
			}
		})
	}
	for name, call := range keyedCalls("mine") {
		t.Run(name+" with the application's own", func(t *testing.T) {
			t.Parallel()
			client, script := open(t, retryConfig(), proxied(503), success(name))
			require.NoError(t, call(t.Context(), client))
			require.Equal(t, []string{"mine", "mine"}, script.keys)
		})
	}
}

// If the service has stored the outcome for a key, sending again brings the same outcome.
func TestAStoredOutcomeIsFinal(t *testing.T) {
	t.Parallel()
	for name, call := range keyedCalls("mine") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed := coded(503, wire.CodeUnavailable)
			failed.header = map[string]string{"Idempotent-Replayed": "true"}
			client, script := open(t, retryConfig(), proxied(502), failed)
			require.Equal(t, 503, apiError(t, call(t.Context(), client)).Status)
			require.Len(t, script.requests, 2)
		})
	}
}

func TestADeletionThatFindsNothing(t *testing.T) {
	t.Parallel()
	gone := coded(404, wire.CodeNotFound)
	tests := []struct {
		name    string
		replies []reply
		status  int // 0 for success
	}{
		{"at once is an error", []reply{gone}, 404},
		{"after a lost response is a success", []reply{{err: errors.New("lost")}, gone}, 0},
		{"after two lost responses is a success", []reply{proxied(504), {err: errors.New("lost")}, gone}, 0},
	}
	for _, test := range tests {
		for _, call := range []string{"deleteChat", "deleteMemory"} {
			t.Run(call+" "+test.name, func(t *testing.T) {
				t.Parallel()
				var replies []reply
				for _, r := range test.replies {
					if r.body != nil {
						r.body = &body{left: append([][]byte(nil), r.body.left...)}
					}
					replies = append(replies, r)
				}
				client, script := open(t, retryConfig(), replies...)
				err := calls()[call](t.Context(), client)
				require.Len(t, script.requests, len(test.replies))
				if test.status == 0 {
					require.NoError(t, err)
					return
				}
				require.Equal(t, test.status, apiError(t, err).Status)
			})
		}
	}
}

func TestHowOftenACallIsTried(t *testing.T) {
	t.Parallel()
	for retries, tries := range map[int]int{0: 3, 1: 2, 5: 6, -1: 1} {
		for _, call := range []string{"listChats", "sendMessage", "sendMessageStream"} {
			config := retryConfig()
			config.MaxRetries = retries
			var replies []reply
			for range tries {
				replies = append(replies, proxied(503))
			}
			client, script := open(t, config, replies...)
			require.Equal(t, 503, apiError(t, calls()[call](t.Context(), client)).Status)
			require.Len(t, script.requests, tries)
		}
	}
}

// waits are the times between the requests.
func (s *script) waits() []time.Duration {
	var list []time.Duration
	for i := range s.times[1:] {
		list = append(list, s.times[i+1].Sub(s.times[i]))
	}
	return list
}

func TestTheServiceSaysWhenToTryAgain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, after string
		wait        time.Duration // negative for no second try
	}{
		{"a second", "1", time.Second},
		{"a minute", "60", time.Minute},
		{"more than a minute", "61", -1},
		{"a day", "86400", -1},
		{"more than a Duration holds", "4294967296000", -1},
		{"a date, which the Transport has to read", "Fri, 21 Nov 2026 00:00:00 GMT", 0},
		{"a negative number", "-5", 0},
		{"at once", "0", 0},
	}
	for _, test := range tests {
		for _, call := range []string{"listChats", "sendMessageStream"} {
			t.Run(test.name+" for "+call, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					busy := coded(429, wire.CodeRateLimited)
					busy.header = map[string]string{"Retry-After": test.after}
					client, script := open(t, retryConfig(), busy, success(call))
					err := calls()[call](t.Context(), client)
					if test.wait < 0 {
						require.Equal(t, 429, apiError(t, err).Status)
						require.Len(t, script.requests, 1)
						return
					}
					require.NoError(t, err)
					require.Equal(t, []time.Duration{test.wait}, script.waits())
				})
			})
		}
	}
}

// once is content that cannot be read again.
type once struct{ io.Reader }

func TestFilesAreSentAgainIfTheyCanBeReadAgain(t *testing.T) {
	t.Parallel()
	pipe, writer, err := os.Pipe()
	if err == nil { // a browser has no pipes
		defer pipe.Close()
		defer writer.Close()
	}
	tests := []struct {
		name    string
		content io.Reader
		tries   int
	}{
		{"a text", strings.NewReader("x"), 2},
		{"a stream", once{strings.NewReader("x")}, 1},
		{"a pipe, which is a file that cannot seek", pipe, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.content == (*os.File)(nil) {
				t.Skip("no pipes here")
			}
			options := sdk.SendMessageOptions{Images: []sdk.File{{Content: strings.NewReader("y")}, {Content: test.content}}}
			client, script := open(t, retryConfig(), proxied(503), jsonReply(wholeAnswer))
			_, err := client.SendMessage(t.Context(), "hi", options)
			require.Equal(t, test.tries == 1, err != nil)
			require.Len(t, script.requests, test.tries)

			client, script = open(t, retryConfig(), proxied(503), jsonReply(wholeAnswer))
			require.Equal(t, test.tries == 1, drain(client.Stream(t.Context(), "hi", options)) != nil)
			require.Len(t, script.requests, test.tries)
		})
	}
}

func TestWakeEndsAWait(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"listChats", "sendMessage", "sendMessageStream"} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				config := retryConfig()
				config.RetryDelay = 8 * time.Second
				client, script := open(t, config, proxied(503), proxied(503), success(call))
				client.Wake() // nobody waits yet
				ended := make(chan error, 1)
				go func() { ended <- calls()[call](t.Context(), client) }()
				for range 2 {
					synctest.Wait()
					client.Wake()
				}
				require.NoError(t, <-ended)
				require.Equal(t, []time.Duration{0, 0}, script.waits())
			})
		})
	}
}

func TestWakeDoesNotHurryABusyService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		busy := coded(503, wire.CodeUnavailable)
		busy.header = map[string]string{"retry-after": "5"}
		client, script := open(t, retryConfig(), busy, success("listChats"))
		ended := make(chan error, 1)
		go func() { ended <- calls()["listChats"](t.Context(), client) }()
		synctest.Wait()
		client.Wake()
		require.NoError(t, <-ended)
		require.Equal(t, []time.Duration{5 * time.Second}, script.waits())
	})
}

func TestTheContextEndsAWait(t *testing.T) {
	t.Parallel()
	for name, call := range calls() {
		if unkeyed[name] {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				busy := coded(503, wire.CodeUnavailable)
				busy.header = map[string]string{"retry-after": "60"}
				client, script := open(t, retryConfig(), busy)
				ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
				defer cancel()
				begun := time.Now()
				require.Equal(t, context.DeadlineExceeded, call(ctx, client))
				require.Equal(t, 7*time.Second, time.Since(begun))
				require.Len(t, script.requests, 1)
			})
		})
	}
}
