// Package upstream is what all kinds of providers of models share: a request over HTTP and its patience, what failed and
// who can do what about it, what the log may repeat of it, and what a finish reason means. Begin with Client.
//
// Package sse decodes the events, as it does in the SDK: any line end, with an event of at most 32 MiB. Data
// stays as it came, since some servers cut a character between two events.
package upstream

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Client asks one provider. It is safe for concurrent use.
type Client struct {
	// Base is the address to which paths are appended.
	Base *url.URL
	// Key may be empty.
	Key string
	Log *slog.Logger
	// Linger is how long to wait for more after a finish reason.
	Linger time.Duration

	headers, query map[string]string
	client         *http.Client
	owned          *http.Transport // nil if the caller owns the transport
	timeout        time.Duration
	pause          func(context.Context, time.Duration) error
	random         func() float64
}

// New makes a Client for a kind of provider and sends nothing yet. An error begins with the kind, names the wrong
// field of config, and contains no part of the key. The caller calls Close.
func New(kind string, config Config) (*Client, error) {
	address, err := config.address()
	if err == nil {
		err = config.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	c := &Client{
		Base: address, Key: config.APIKey, Log: config.log(), Linger: config.linger(), headers: config.Headers, query: config.Query,
		client:  &http.Client{Transport: config.Transport, CheckRedirect: stay},
		timeout: config.timeout(), pause: config.pause(), random: config.random(),
	}
	if config.Transport == nil {
		c.owned = newTransport(c.timeout)
		c.client.Transport = c.owned
	}
	return c, nil
}

// Close closes idle connections and unfinished dials, unless the caller owns the transport.
// Answers that are being read continue.
func (c *Client) Close() {
	if c.owned != nil {
		c.owned.CloseIdleConnections()
	}
}

// Request is a question to a provider.
type Request struct {
	// Path is appended to the client's address.
	Path []string
	// Header and Query are sent in addition to those of Config, and win over them.
	Header, Query map[string]string
	Body          Payload
	// Privy returns what may not be repeated of what the provider says.
	Privy func() Privy
	// Change returns the request to send at once in place of one that was refused, if ok. Nil means that there is none.
	Change func(Objection) (r Request, ok bool)
}

// guarded returns a request whose headers may not be repeated either: they may hold secrets.
func (c *Client) guarded(r Request) Request {
	privy := r.Privy
	r.Privy = func() Privy {
		p := privy()
		for _, all := range []map[string]string{c.headers, r.Header} {
			p.Said = slices.AppendSeq(p.Said, maps.Values(all))
		}
		return p
	}
	return r
}

// send sends a request and waits for the head of a response with any status. The caller closes its body.
func (c *Client) send(ctx context.Context, r Request) (*http.Response, error) {
	address := c.Base.JoinPath(r.Path...)
	query := address.Query()
	for _, all := range []map[string]string{c.query, r.Query} {
		for name, value := range all {
			query.Set(name, value)
		}
	}
	address.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	for _, all := range []map[string]string{c.headers, r.Header} {
		for name, value := range all {
			request.Header.Set(name, value)
		}
	}
	request.Header.Set("Content-Type", "application/json")
	request.ContentLength = r.Body.size()
	request.GetBody = func() (io.ReadCloser, error) { return r.Body.open(ctx), nil }
	request.Body, _ = request.GetBody()
	return c.client.Do(request)
}

// post sends a request and waits for the head of a 200 response. Any other status is an error made by
// refusal. The caller closes the response's body.
func (c *Client) post(ctx context.Context, r Request) (*http.Response, error) {
	response, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		defer func() { _ = response.Body.Close() }()
		return nil, refusal(response, r.Privy())
	}
	return response, nil
}

// stay doesn't follow redirects, so that the key and the chat go only to the configured address.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// newTransport makes a transport without timeouts, because Client has its own. Only a dial has
// one, because net/http lets it outlive its call for the next one to use.
func newTransport(timeout time.Duration) *http.Transport {
	return &http.Transport{
		Proxy:             http.ProxyFromEnvironment,
		DialContext:       (&net.Dialer{Timeout: timeout + time.Second}).DialContext,
		ForceAttemptHTTP2: true,
		IdleConnTimeout:   90 * time.Second,
		// Without HTTP/2 each running answer takes a connection. By default, net/http keeps only
		// two idle connections, so that nearly every answer would dial.
		MaxIdleConnsPerHost: 256,
		// Each running answer has both buffers; a question and a word are small.
		ReadBufferSize: 2 << 10, WriteBufferSize: 1 << 10,
	}
}
