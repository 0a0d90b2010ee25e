package upstream

import (
	"context"
	"errors"
	"io"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

var errSilent = errors.New("nothing arrived in time")

// silence cancels its context, with errSilent as the cause, if one wait for the provider takes
// too long.
type silence struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	longest time.Duration
	// pause is what is left of a time that all waits share, 0 if each wait has its own.
	pause time.Duration
	since time.Time // when the wait began
}

// listen begins with a wait, which lasts until the next one.
func listen(ctx context.Context, longest time.Duration) *silence {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(longest, func() { cancel(errSilent) })
	return &silence{ctx: ctx, cancel: cancel, timer: timer, longest: longest}
}

// wait begins another wait.
func (s *silence) wait() {
	if s.pause == 0 {
		s.timer.Reset(s.longest)
		return
	}
	s.since = time.Now()
	s.timer.Reset(s.pause)
}

// over ends a wait.
func (s *silence) over() {
	s.timer.Stop()
	if s.pause > 0 {
		s.pause = max(1, s.pause-time.Since(s.since))
	}
}

// within makes the waits share a time from now on; 0 gives each its own again.
func (s *silence) within(pause time.Duration) { s.pause = pause }

// end cancels the context.
func (s *silence) end() {
	s.timer.Stop()
	s.cancel(nil)
}

// heard is a body in which every read is a wait.
type heard struct {
	io.Reader
	silence *silence
}

func (h heard) Read(p []byte) (int, error) {
	h.silence.wait()
	defer h.silence.over()
	return h.Reader.Read(p)
}

// contact records how far a request got.
type contact struct {
	connected atomic.Bool
	responded atomic.Bool
}

func (c *contact) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(httptrace.GotConnInfo) { c.connected.Store(true) },
		GotFirstResponseByte: func() { c.responded.Store(true) },
	})
}

// lost reports whether a request that failed had a connection and no response.
func (c *contact) lost() bool { return c.connected.Load() && !c.responded.Load() }
