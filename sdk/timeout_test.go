package sdk_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// hangs is a reply that stops before the headers, in the body, or in the body of an error.
func hangs(where string) reply {
	switch where {
	case "before the headers":
		return reply{hang: true}
	case "in the body":
		return reply{body: &body{left: pieces(`{"a`, 9), hang: true}}
	}
	return reply{status: 500, body: &body{left: pieces(`{"a`, 9), hang: true}}
}

func TestEveryCallTimesOut(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"before the headers", "in the body", "in the body of an error"} {
		for name, call := range calls() {
			for _, timeout := range []time.Duration{0, 5 * time.Second} {
				t.Run(name+" "+where+" within "+timeout.String(), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						config := pageConfig()
						config.Timeout = timeout
						client, _ := open(t, config, hangs(where))
						begun := time.Now()
						failure := apiError(t, call(t.Context(), client))
						require.Equal(t, wire.CodeTimeout, failure.Code)
						require.Zero(t, failure.Status)
						require.Equal(t, name+": the service did not answer in time", failure.Message)
						if timeout == 0 {
							timeout = 120 * time.Second
						}
						require.Equal(t, timeout, time.Since(begun))
					})
				})
			}
		}
	}
}

func TestEachTryHasItsOwnTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, script := open(t, retryConfig(), reply{hang: true}, reply{hang: true}, jsonReply(wholeAnswer))
		require.NoError(t, calls()["sendMessage"](t.Context(), client))
		require.Equal(t, []time.Duration{sdk.DefaultTimeout, sdk.DefaultTimeout}, script.waits())
	})
}

func TestALargeBodyGetsMoreTime(t *testing.T) {
	t.Parallel()
	const kib = 1 << 10
	tests := []struct {
		name    string
		message string
		images  []int64 // sizes
		more    time.Duration
	}{
		{"a short message", "hi", nil, 0},
		{"a message of 129 KiB", strings.Repeat("x", 129*kib), nil, 2 * time.Second},
		{"an image of 10 MiB", "hi", []int64{10 << 20}, 160 * time.Second},
		{"two images that make 64 KiB together", "hi", []int64{32 * kib, 32 * kib}, time.Second},
		{"an image of unknown size", "hi", []int64{0}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				options := sdk.SendMessageOptions{DetachOnAbort: true}
				for _, size := range test.images {
					options.Images = append(options.Images, sdk.File{Size: size, Content: strings.NewReader("")})
				}
				client, _ := openPage(t, reply{hang: true}, reply{hang: true})
				begun := time.Now()
				_, err := client.SendMessage(t.Context(), test.message, options)
				require.Equal(t, wire.CodeTimeout, apiError(t, err).Code)
				require.Equal(t, sdk.DefaultTimeout+test.more, time.Since(begun))

				begun = time.Now()
				err = drain(client.Stream(t.Context(), test.message, options))
				require.Equal(t, wire.CodeTimeout, apiError(t, err).Code)
				require.Equal(t, sdk.DefaultTimeout+test.more, time.Since(begun))
			})
		})
	}
}

// paced is a body that returns a piece after each pause.
type paced struct {
	ctx    context.Context
	pause  time.Duration
	pieces []string
}

func (p *paced) Read(to []byte) (int, error) {
	select {
	case <-p.ctx.Done():
		return 0, p.ctx.Err()
	case <-time.After(p.pause):
	}
	if len(p.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(to, p.pieces[0])
	p.pieces = p.pieces[1:]
	return n, nil
}

func (p *paced) Close() error { return nil }

// transportFunc is a function as a Transport.
type transportFunc func(ctx context.Context, request *sdk.Request) (*sdk.Response, error)

func (f transportFunc) Do(ctx context.Context, request *sdk.Request) (*sdk.Response, error) {
	return f(ctx, request)
}

func TestAStreamThatIsNotSilentHasNoTimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		config := pageConfig()
		config.MaxRetries = 2
		config.Transport = transportFunc(func(ctx context.Context, _ *sdk.Request) (*sdk.Response, error) {
			requests++
			p := &paced{ctx: ctx, pause: sdk.DefaultStallTimeout - time.Millisecond}
			for i, event := range answerOf(strings.Split("abcdefghijklmnop", "")...) {
				p.pieces = append(p.pieces, event.String())
				if i%2 == 0 {
					p.pieces = append(p.pieces, ": beat\n\n")
				}
			}
			return &sdk.Response{Status: 200, Header: reply{header: streamHeader()}.get, Body: p}, nil
		})
		client, err := sdk.New(config)
		require.NoError(t, err)
		begun := time.Now()
		got := outcomeOf(t, client, sdk.SendMessageOptions{})
		require.NoError(t, got.err)
		require.Equal(t, "abcdefghijklmnop", got.complete.Content)
		require.Greater(t, time.Since(begun), 2*sdk.DefaultTimeout)
		require.Equal(t, 1, requests)
		time.Sleep(time.Second) // the body is read to its end in the background
	})
}

// A program may work on an event for any length of time.
func TestASlowReaderIsNotSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		whole := answerOf("a", "b", "c")
		var parts []string
		for _, event := range whole {
			parts = append(parts, event.String())
		}
		client, script := open(t, retryConfig(), streamReply(parts...))
		n := 0
		for _, err := range client.Stream(t.Context(), "hi", sdk.SendMessageOptions{}) {
			require.NoError(t, err)
			time.Sleep(time.Hour)
			n++
		}
		require.Len(t, whole, n)
		require.Len(t, script.requests, 1)
	})
}
