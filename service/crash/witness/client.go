// Package witness helps tests that kill the service. Process runs the service, Client keeps talking
// to it across restarts, and Ledger records counts and broken promises. Only tests use this package.
package witness

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

const (
	// tryTime limits one try, because the process may be suspended. For a stream, it limits the wait
	// for the response headers.
	tryTime = 12 * time.Second
	// silence is how long a stream may send nothing, not even a heartbeat.
	silence = 5 * time.Second
)

// Client sends requests to the process that is currently serving, each on a new connection. It is
// safe for concurrent use.
type Client struct {
	HTTP *http.Client
	// Address returns the HOST:PORT of the process that is currently serving.
	Address     func() string
	Key, Secret string
	// Again is how long Until waits before it tries again.
	Again time.Duration
	// Patience is how long Until keeps trying; 0 means until its context is done.
	Patience time.Duration
	// Ledger counts the responses by status; status 0 means that no response arrived.
	Ledger *Ledger
}

// NewClient returns a client. The caller sets its other fields.
func NewClient(ledger *Ledger) *Client {
	return &Client{HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, Ledger: ledger}
}

func (c *Client) do(ctx context.Context, r Request, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, "http://"+c.Address()+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"X-Api-Key": c.Key, "X-Api-Secret": c.Secret, "X-User-Id": r.UserID, "Content-Type": r.ContentType, "Accept": accept, wire.HeaderIdempotencyKey: r.Key,
	} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if r.LastEvent > 0 {
		req.Header.Set(wire.HeaderLastEventID, strconv.FormatInt(r.LastEvent, 10))
	}
	return c.HTTP.Do(req)
}

func (c *Client) countStatus(status int) { c.Ledger.Add("status "+strconv.Itoa(status), 1) }

// Once sends a request once. Status 0 means that no complete response arrived.
func (c *Client) Once(ctx context.Context, r Request) (status int, body []byte, header http.Header) {
	defer func() { c.countStatus(status) }()
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	response, err := c.do(ctx, r, "")
	if err != nil {
		return 0, nil, nil
	}
	defer func() { _ = response.Body.Close() }()
	if body, err = io.ReadAll(response.Body); err != nil {
		return 0, nil, nil
	}
	return response.StatusCode, body, response.Header
}

// TryAgain reports whether a request that got this status, or 0 for no response, may succeed later.
// The service may already have carried it out.
func TryAgain(status int) bool {
	return status == 0 || status == http.StatusBadGateway || status == http.StatusServiceUnavailable
}

// Until sends a request until TryAgain is false for its status. Status 0 means that ctx was done or
// Patience ran out first.
func (c *Client) Until(ctx context.Context, r Request) (status int, body []byte) {
	if c.Patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Patience)
		defer cancel()
	}
	for {
		status, body, _ = c.Once(ctx, r)
		if !TryAgain(status) {
			return status, body
		}
		if !Pause(ctx, c.Again) {
			return 0, nil
		}
	}
}

// Pause waits for d. It returns false if ctx is done first.
func Pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Event is an event of a stream, as it was received.
type Event struct {
	ID         int64
	Kind, Data string
}

// Read reads a stream and calls hear with each event. It returns when the stream ends, sends nothing
// for too long, or hear returns false. Status 0 means that no response arrived. With any other status
// except 200, refusal is the body of the response.
func (c *Client) Read(ctx context.Context, r Request, hear func(Event) bool) (status int, refusal []byte, header http.Header) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(tryTime, cancel)
	defer late.Stop()
	response, err := c.do(ctx, r, "text/event-stream")
	if err != nil {
		c.countStatus(0)
		return 0, nil, nil
	}
	defer func() { _ = response.Body.Close() }()
	c.countStatus(response.StatusCode)
	if response.StatusCode != http.StatusOK {
		refusal, _ = io.ReadAll(response.Body)
		return response.StatusCode, refusal, response.Header
	}
	listen(ctx, response.Body, func() { late.Reset(silence) }, hear)
	return http.StatusOK, nil, response.Header
}

// listen calls alive at once and with each line, and hear with each event.
func listen(ctx context.Context, body io.Reader, alive func(), hear func(Event) bool) {
	lines := bufio.NewReader(body)
	for e := (Event{}); ctx.Err() == nil; {
		alive()
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSuffix(line, "\n")
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && e.Kind != "":
			if !hear(e) {
				return
			}
			e = Event{}
		case name == "id":
			e.ID, _ = strconv.ParseInt(value, 10, 64) // an invalid id becomes 0, which callers see as a gap
		case name == "event":
			e.Kind = value
		case name == "data":
			e.Data = value
		}
	}
}
