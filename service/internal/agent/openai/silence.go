package openai

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
}

// listen begins with a wait, which lasts until the next one.
func listen(ctx context.Context, longest time.Duration) *silence {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(longest, func() { cancel(errSilent) })
	return &silence{ctx: ctx, cancel: cancel, timer: timer, longest: longest}
}

// wait begins another wait.
func (s *silence) wait() { s.timer.Reset(s.longest) }

// over ends a wait.
func (s *silence) over() { s.timer.Stop() }

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
