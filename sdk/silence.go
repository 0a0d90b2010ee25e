package sdk

import (
	"cmp"
	"context"
	"io"
	"sync/atomic"
	"time"
)

// interruption is why this side gave a connection up before its time.
type interruption struct{ text string }

// Error gives the text.
func (i *interruption) Error() string { return i.text }

func isInterruption(err error) bool {
	_, ok := err.(*interruption)
	return ok
}

var (
	errStalled = &interruption{"the stream was silent for too long"}
	errWoken   = &interruption{"the stream was silent when the device woke"}
	// errParked: the answer waits for a call, and asking for the call costs less.
	errParked = &interruption{"the answer waits for a call"}
	// errPosting: what is posted for a call must not wait for a connection to be free.
	errPosting = &interruption{"something is posted for a call of the answer"}
)

// silence is how long a connection has brought nothing to somebody who waits.
type silence struct {
	client *Client
	limit  time.Duration
	made   time.Time
	// connected tells that the headers have come.
	connected atomic.Bool
	// wall is when the waiting began, in nanoseconds since the Unix epoch, 0 while
	// nobody waits; ticks is the same in nanoseconds since made.
	wall, ticks atomic.Int64
	// reads is the body, if it knows by itself when it last brought something. It is set
	// before connected.
	reads reading
}

// reading is a body that is read by somebody else, such as the page, who looks at the clock
// for less than it costs here.
type reading interface {
	// SinceRead is how long ago the last bytes came, or the reading began.
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

// left is what is left of the limit. The larger of both clocks counts: that of
// the system can be set back, and the other stands still while a device sleeps.
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

// follow tells that the headers have come, and with them a body.
func (s *silence) follow(body io.Reader) {
	s.reads, _ = body.(reading)
	s.connected.Store(true)
}

// watch ends a connection that is silent for too long. A wake makes it look at
// once, since timers may have slept with the device; where the headers have not
// come, the wake asks again.
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
