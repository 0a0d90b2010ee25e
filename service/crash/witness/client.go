// Package witness has what tests that kill the service share: a run of the service (Process), a
// client that outlives such runs (Client), and a ledger of counts and broken promises (Ledger).
// It is only for tests.
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
	// tryTime bounds one try, for a stream until it begins: its process may sleep.
	tryTime = 12 * time.Second
	// silence is how long a stream may be silent, without heartbeats too.
	silence = 5 * time.Second
)

// Client talks to the process that serves now. It makes a connection for each request. It is safe
// for concurrent use.
type Client struct {
	HTTP *http.Client
	// Address returns the HOST:PORT of the process that serves now.
	Address     func() string
	Key, Secret string
	// Again is the pause of Until before another try.
	Again time.Duration
	// Patience is how long Until tries the same; 0 means as long as its context lasts.
	Patience time.Duration
	// Ledger counts the statuses of all answers; 0 is no answer.
	Ledger *Ledger
}

// NewClient returns a client whose other fields are to be set.
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

func (c *Client) told(status int) { c.Ledger.Add("status "+strconv.Itoa(status), 1) }

// Once returns the answer to one try; status 0 means none.
func (c *Client) Once(ctx context.Context, r Request) (status int, body []byte, header http.Header) {
	defer func() { c.told(status) }()
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

// TryAgain reports whether the same request may succeed later after this status, or after none. It
// may also have been done.
func TryAgain(status int) bool {
	return status == 0 || status == http.StatusBadGateway || status == http.StatusServiceUnavailable
}

// Until tries until there is an answer that is not temporary. Status 0 means that ctx or the
// patience ended.
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

// Pause waits, and reports whether ctx has not ended.
func Pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Event is an event of a stream, unchanged.
type Event struct {
	ID         int64
	Kind, Data string
}

// Read reads a stream and calls hear with each event, until it ends, is silent for too long or hear
// returns false. Status 0 means no answer; any other than 200 comes with a refusal.
func (c *Client) Read(ctx context.Context, r Request, hear func(Event) bool) (status int, refusal []byte, header http.Header) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(tryTime, cancel)
	defer late.Stop()
	response, err := c.do(ctx, r, "text/event-stream")
	if err != nil {
		c.told(0)
		return 0, nil, nil
	}
	defer func() { _ = response.Body.Close() }()
	c.told(response.StatusCode)
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
			e.ID, _ = strconv.ParseInt(value, 10, 64) // 0 shows as a gap
		case name == "event":
			e.Kind = value
		case name == "data":
			e.Data = value
		}
	}
}
