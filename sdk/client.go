package sdk

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Client calls the service. Create one with nethttp.NewClient, or with New and your own Transport,
// and use it from any number of goroutines.
//
// A call is tried again, up to Config.MaxRetries times, if its connection was lost, if no response
// came in time, or if the service was busy. Only calls that may be sent twice without harm are
// retried: reads, updates, deletions, and all calls with an idempotency key (messages, createChat,
// selectBranch, and the decisions about memories and tool calls).
type Client struct {
	config Config
	base   string // without a trailing slash
	tokens tokens
	waker  waker
	// followed holds the answers that are being read.
	followed followed
	// offline is true while the platform reports that there is no network.
	offline atomic.Bool
}

// New returns a Client, or an *ArgumentError that names the wrong setting. It sends nothing.
func New(config Config) (*Client, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	return NewChecked(config), nil
}

// NewChecked is New without the checks, for a configuration that has passed them already. A page
// checks its configuration before it loads the core, so the core need not contain the checks.
func NewChecked(config Config) *Client {
	return &Client{config: config, base: strings.TrimRight(config.BaseURL, "/"), followed: newFollowed()}
}

// call sends the request and reads the JSON object in the response.
func (c *Client) call(ctx context.Context, operation string, request *Request) (*reply, error) {
	return c.ask(ctx, operation, request, jsontext.Object)
}

// ask is call for a response of another JSON kind; see parseAs.
func (c *Client) ask(ctx context.Context, operation string, request *Request, want jsontext.Kind) (*reply, error) {
	c.prepare(request)
	tries := retries{client: c}
	for {
		a, err := c.try(ctx, operation, request, want)
		if err == nil || !request.mayRepeat() {
			return a, err
		}
		if failure, ok := errors.AsType[*APIError](err); ok && failure.Status == 404 && request.Method == "DELETE" && tries.used > 0 {
			return &reply{operation: operation, value: jsontext.Value("{}")}, nil // an earlier try deleted it, and its response was lost
		}
		again, ended := tries.again(ctx, err)
		if ended != nil {
			return nil, ended
		}
		if !again {
			return nil, err
		}
	}
}

// try sends the request once and reads the response, all within the timeout.
func (c *Client) try(ctx context.Context, operation string, request *Request, want jsontext.Kind) (*reply, error) {
	ctx, timer, cancel := c.withTimeout(ctx, request)
	defer cancel(nil)
	defer timer.Stop()
	response, err := c.do(ctx, operation, request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return c.readReply(ctx, operation, response, want)
}

// prepare completes a request. All tries of a call send the same prepared request.
func (c *Client) prepare(request *Request) {
	if request.Header == nil {
		request.Header = map[string]string{}
	}
	if request.Header["accept"] == "" {
		request.Header["accept"] = "application/json"
	}
	if request.Body != nil {
		request.Header["content-type"] = "application/json"
	}
	request.URL = c.base + request.URL
}

// errTimeout ends the context of a request that got no response in time.
var errTimeout = errors.New("no response came in time")

// withTimeout ends the context when the time for a response is over, unless the timer is stopped.
func (c *Client) withTimeout(ctx context.Context, request *Request) (context.Context, *time.Timer, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	timeout := c.timeout(ctx) + time.Duration(request.size()/(64<<10))*time.Second
	return ctx, time.AfterFunc(timeout, func() { cancel(errTimeout) }), cancel
}

// size is the approximate size of the body in bytes.
func (r *Request) size() int64 {
	size := int64(len(r.Body))
	for _, field := range r.Form {
		size += int64(len(field.Text))
		if field.File != nil {
			size += field.File.Size
		}
	}
	return size
}

// do sends a prepared request with the caller's credentials, and again with another token if the
// status is 401. Only the status decides, because a proxy in front of the service has its own codes.
// An unsuccessful status becomes an *APIError; otherwise the caller closes the body.
func (c *Client) do(ctx context.Context, operation string, request *Request) (*Response, error) {
	response, token, err := c.send(ctx, operation, request, nil)
	failure, ok := errors.AsType[*APIError](err)
	if ok && failure.Status == 401 && c.config.AccessTokenFunc != nil && request.canReplay() {
		response, _, err = c.send(ctx, operation, request, token)
	}
	return response, err
}

// send sends a request with a token other than the expired one, and returns the token.
func (c *Client) send(ctx context.Context, operation string, request *Request, expired *tokenAnswer) (*Response, *tokenAnswer, error) {
	if ctx.Err() != nil {
		return nil, nil, lost(ctx, operation, nil, nil)
	}
	sent := Request{Method: request.Method, URL: request.URL, Header: maps.Clone(request.Header), Body: request.Body, Form: request.Form}
	for name, value := range c.config.Headers {
		sent.Header[lower(name)] = value
	}
	token, err := c.credentials(ctx, operation, sent.Header, expired)
	if err != nil {
		return nil, nil, err
	}
	request.sent = true
	begun := time.Now()
	request.silence.begins()
	response, err := c.config.Transport.Do(ctx, &sent)
	request.silence.ends()
	if err != nil {
		err = lost(ctx, operation, err, c.network(operation, err))
	} else if response.Status < 100 {
		_ = response.Body.Close()
		err = c.network(operation, errPart)
	} else if response.Status < 200 || response.Status >= 300 {
		request.decided = response.Header("idempotent-replayed") == "true"
		err = c.refused(ctx, operation, response)
	}
	c.log(ctx, operation, request, response, err, begun)
	if err != nil {
		return nil, token, err
	}
	return response, token, nil
}

// refused reads the body of an unsuccessful response.
func (c *Client) refused(ctx context.Context, operation string, response *Response) error {
	defer response.Body.Close()
	body, err := c.readAll(ctx, operation, response)
	if err != nil && ctx.Err() != nil {
		return err
	}
	return errorFromBody(operation, response, body)
}

// lost distinguishes the end of the caller's context, a timeout, and a failure of the network.
func lost(ctx context.Context, operation string, err error, failure *APIError) error {
	switch cause := context.Cause(ctx); {
	case cause == errTimeout:
		failure = failed(operation+": the service did not answer in time", wire.CodeTimeout, cause)
		failure.Advice = "if it runs, note that over HTTP/1.1 six open streams block all other calls of a page"
		return failure
	case isInterruption(cause):
		return cause
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if argument, ok := errors.AsType[*ArgumentError](err); ok {
		return argument
	}
	return failure
}

// retryAfter reads the Retry-After header (RFC 9110, section 10.2.3) in whole seconds. The Transport has made seconds of a date,
// whose parser would add to the page.
func retryAfter(response *Response) time.Duration {
	seconds, err := strconv.ParseUint(response.Header("retry-after"), 10, 31)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // of more, the largest that a Duration has
		return 0
	}
	return time.Duration(seconds) * time.Second
}
