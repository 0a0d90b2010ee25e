package sdk_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
)

// script is a Transport that returns its replies in order and keeps the requests.
type script struct {
	mutex    sync.Mutex
	replies  []reply
	requests []*sdk.Request // without their idempotency keys
	keys     []string       // the requests' keys, "" for none
	times    []time.Time
	contexts []context.Context
	bodies   []*body
	open     sync.WaitGroup // bodies that are not closed
	hanging  chan struct{}  // gets a value when an answer or a body begins to hang
}

// reply is the response to one request.
type reply struct {
	status int // 0 is 200
	header map[string]string
	body   *body // nil is an empty body
	err    error // replaces the response
	hang   bool  // no response until the context ends
}

func (s *script) Do(ctx context.Context, request *sdk.Request) (*sdk.Response, error) {
	next, err := s.next(ctx, request)
	if err != nil {
		return nil, err
	}
	if next.hang {
		s.hangs()
		<-ctx.Done()
		return nil, errors.New("the request was given up")
	}
	return &sdk.Response{Status: next.status, Header: next.get, Body: next.body}, nil
}

func (s *script) next(ctx context.Context, request *sdk.Request) (reply, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.requests = append(s.requests, request)
	s.keys = append(s.keys, request.Header["idempotency-key"])
	delete(request.Header, "idempotency-key")
	s.times = append(s.times, time.Now())
	s.contexts = append(s.contexts, ctx)
	if len(s.replies) == 0 {
		return reply{}, errors.New("the script has no reply for " + request.Method + " " + request.URL)
	}
	next := s.replies[0]
	s.replies = s.replies[1:]
	if next.err != nil || next.hang {
		return next, next.err
	}
	if next.status == 0 {
		next.status = 200
	}
	if next.body == nil {
		next.body = reads()
	}
	next.body.ctx, next.body.script = ctx, s
	s.bodies = append(s.bodies, next.body)
	s.open.Add(1)
	return next, nil
}

func (s *script) hangs() {
	select {
	case s.hanging <- struct{}{}:
	default: // the earlier value was not taken yet
	}
}

func (r reply) get(name string) string {
	for have, value := range r.header {
		if strings.EqualFold(have, name) {
			return value
		}
	}
	return ""
}

// body returns the given pieces, one at each Read, and then its end.
type body struct {
	left   [][]byte
	end    error // nil is io.EOF
	hang   bool  // replaces the end: Read then waits until the context ends
	ctx    context.Context
	script *script
	closed int
}

func reads(pieces ...string) *body {
	b := &body{}
	for _, piece := range pieces {
		b.left = append(b.left, []byte(piece))
	}
	return b
}

func (b *body) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, errors.New("the body was given up")
	}
	if len(b.left) == 0 {
		return 0, b.last()
	}
	n := copy(p, b.left[0])
	if b.left[0] = b.left[0][n:]; len(b.left[0]) == 0 {
		b.left = b.left[1:]
	}
	return n, nil
}

func (b *body) last() error {
	switch {
	case b.hang:
		b.script.hangs()
		<-b.ctx.Done()
		return errors.New("the body was given up")
	case b.end != nil:
		return b.end
	}
	return io.EOF
}

func (b *body) Close() error {
	if b.closed++; b.closed == 1 && b.script != nil {
		b.script.open.Done()
	}
	return nil
}

// jsonReply is a 200 with a JSON text.
func jsonReply(text string) reply {
	return reply{header: map[string]string{"Content-Type": "application/json"}, body: reads(text)}
}

// streamReply is an event stream that arrives in the given pieces.
func streamReply(pieces ...string) reply {
	return reply{header: streamHeader(), body: reads(pieces...)}
}

func streamHeader() map[string]string {
	return map[string]string{"Content-Type": "text/event-stream; charset=utf-8", "X-Request-Id": "r-1"}
}

// pageConfig is the configuration of a page.
func pageConfig() sdk.Config {
	return sdk.Config{BaseURL: "https://api.example.com", ProjectID: "p1", AccessToken: "token-1", MaxRetries: -1, ResumeTimeout: -1}
}

// open makes a client that talks to a script. At the end of the test it checks that each body was
// closed once.
func open(t testing.TB, config sdk.Config, replies ...reply) (*sdk.Client, *script) {
	t.Helper()
	s := &script{replies: replies, hanging: make(chan struct{}, 1)}
	config.Transport = s
	client, err := sdk.New(config)
	require.NoError(t, err)
	t.Cleanup(func() {
		s.open.Wait() // a whole stream is closed in the background
		for i, body := range s.bodies {
			require.Equal(t, 1, body.closed, "closes of the body of answer %d", i)
		}
	})
	return client, s
}

func openPage(t testing.TB, replies ...reply) (*sdk.Client, *script) {
	t.Helper()
	return open(t, pageConfig(), replies...)
}

// apiError is the *APIError in err.
func apiError(t testing.TB, err error) *sdk.APIError {
	t.Helper()
	var failure *sdk.APIError
	require.ErrorAs(t, err, &failure)
	return failure
}

// argumentError is the *ArgumentError in err.
func argumentError(t testing.TB, err error) *sdk.ArgumentError {
	t.Helper()
	var wrong *sdk.ArgumentError
	require.ErrorAs(t, err, &wrong)
	return wrong
}
