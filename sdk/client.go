package sdk

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
)

// Client calls the service. Make one with New, or with nethttp.NewClient in a
// native program, and use it from any number of goroutines.
type Client struct {
	config Config
	base   string // without a trailing slash
}

// New returns a Client, or an *ArgumentError that names the wrong setting. It
// sends nothing.
func New(config Config) (*Client, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	return &Client{config: config, base: strings.TrimRight(config.BaseURL, "/")}, nil
}

// call sends the request and reads the JSON object that answers it.
func (c *Client) call(ctx context.Context, operation string, request *Request) (*answer, error) {
	return c.ask(ctx, operation, request, jsontext.Object)
}

// ask is call for an answer of that kind.
func (c *Client) ask(ctx context.Context, operation string, request *Request, want jsontext.Kind) (*answer, error) {
	response, err := c.do(ctx, operation, request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return readAnswer(ctx, operation, response, want)
}

// do sends the request with the caller's credentials. A status that is no
// success is an *APIError; otherwise the caller closes the body.
func (c *Client) do(ctx context.Context, operation string, request *Request) (*Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
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
	if err := c.config.credentials(ctx, operation, request.Header); err != nil {
		return nil, err
	}
	response, err := c.config.Transport.Do(ctx, request)
	if err != nil {
		return nil, lost(ctx, err, network(operation, err))
	}
	if response.Status >= 200 && response.Status < 300 {
		return response, nil
	}
	defer response.Body.Close()
	body, err := readAll(ctx, operation, response)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	return nil, errorFromBody(operation, response, body)
}

// lost tells the end of the context from a failure of the network.
func lost(ctx context.Context, err error, failure *APIError) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var argument *ArgumentError
	if errors.As(err, &argument) {
		return argument
	}
	return failure
}

// retryAfter reads the header of that name, RFC 9110 section 10.2.3, in its
// form of whole seconds.
func retryAfter(response *Response) time.Duration {
	seconds, err := strconv.ParseUint(response.Header("retry-after"), 10, 31) // more would overflow a Duration
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
