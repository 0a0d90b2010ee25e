package sdk

import (
	"cmp"
	"context"
	"io"
	"sync/atomic"
	"time"
)

// interruption is why the client ended a connection early.
type interruption struct{ text string }

// Error returns the text.
func (i *interruption) Error() string { return i.text }

func isInterruption(err error) bool {
	_, ok := err.(*interruption)
	return ok
}

var (
	errStalled = &interruption{"the stream was silent for too long"}
	errWoken   = &interruption{"the stream was silent when the device woke"}
	// errParked: the answer waits for a tool call, and asking for the call costs less than a
	// connection.
	errParked = &interruption{"the answer waits for a tool call"}
	// errPosting: a request for a tool call must not wait for a free connection.
	errPosting = &interruption{"a request for a tool call needs a connection"}
)

// silence measures how long a connection has brought nothing while somebody waits.
type silence struct {
	client *Client
	limit  time.Duration
	made   time.Time
	// connected means that the headers have arrived.
	connected atomic.Bool
	// wall is when the waiting began, in nanoseconds since the Unix epoch, 0 while nobody waits.
	// ticks is the same in nanoseconds since made.
	wall, ticks atomic.Int64
	// reads is the body, if it knows when it last received something. It is set before connected.
	reads reading
}

// reading is a body that other code reads, such as the page's. It measures time more cheaply than
// this package could.
type reading interface {
	// SinceRead is the time since the last bytes arrived, or since the reading began.
	SinceRead() time.Duration
}

func (c *Client) listen() *silence {
	return &silence{client: c, limit: cmp.Or(c.config.StallTimeout, DefaultStallTimeout), made: time.Now()}
}

func (s *silence) begins() {
	if s == nil || s.reads != nil {
		return
	}
	now := time.Now()
	s.ticks.Store(int64(now.Sub(s.made)))
	s.wall.Store(now.UnixNano())
}

func (s *silence) ends() {
	if s != nil {
		s.wall.Store(0)
	}
}

// left is how much of the limit is left. It uses the clock on which more time has passed: the system
// clock can be set back, and the monotonic one stops while a device sleeps.
func (s *silence) left() time.Duration {
	if s.connected.Load() && s.reads != nil {
		return s.limit - s.reads.SinceRead()
	}
	wall := s.wall.Load()
	if wall == 0 {
		return s.limit
	}
	now := time.Now()
	passed := max(now.UnixNano()-wall, int64(now.Sub(s.made))-s.ticks.Load(), 0)
	return s.limit - time.Duration(passed)
}

// follow notes that the headers have arrived, and with them a body.
func (s *silence) follow(body io.Reader) {
	s.reads, _ = body.(reading)
	s.connected.Store(true)
}

// watch ends a connection that is silent for too long. A wake makes it check at once, because timers
// may have slept with the device. If the headers have not arrived, a wake ends the try, so that the
// request is sent again.
func (s *silence) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	left := s.limit
	for {
		woken, err := s.client.wait(ctx, left, true)
		if err != nil {
			return
		}
		left = s.left()
		switch {
		case woken && (left <= 0 || !s.connected.Load()):
			cancel(errWoken)
			return
		case left <= 0:
			cancel(errStalled)
			return
		}
	}
}
