package sdk

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

const (
	// parkedReading is how long a connection to a parked answer is kept. Browsers open six
	// connections over HTTP/1.1, and the parked ones would block the page's other calls.
	parkedReading = 30 * time.Second
	// askPause is the pause between two requests for the calls of a parked answer.
	askPause = 5 * time.Second
	// asksBeforeReading is how many requests may bring nothing new before the answer is read once,
	// while a call is running: a stop ends the answer but does not change a running call.
	asksBeforeReading = 12
)

// parking is what a session knows about the tool calls of its answer. While one of them is open, the
// answer is parked: no event comes, for however long, and the end of a connection is not a failure.
type parking struct {
	mu    sync.Mutex
	calls map[string]string // status by id
	// leave ends the connection; nil if there is none. timer calls it after parkedReading.
	leave context.CancelCauseFunc
	timer *time.Timer
	posts int // requests for calls of the answer that are under way
	// stopped means that this program has stopped an answer, perhaps this one, which is therefore read
	// at once.
	stopped bool
	// news gets a value when the calls should be asked for at once.
	news chan struct{}
}

func isOpen(status string) bool {
	return status == wire.CallAwaiting || status == wire.CallApproved || status == wire.CallRunning
}

// parked reports whether a call is open.
func (p *parking) parked() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.anyOpen()
}

func (p *parking) anyOpen() bool {
	for _, status := range p.calls {
		if isOpen(status) {
			return true
		}
	}
	return false
}

// status returns the status of a call, empty for an unknown call.
func (p *parking) status(id string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[id]
}

// note stores the status of a call from an event.
func (p *parking) note(id, status string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls == nil {
		p.calls = map[string]string{}
	}
	p.calls[id] = status
	p.limit()
}

// opens stores how to end the connection that begins; closes removes it.
func (p *parking) opens(leave context.CancelCauseFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leave = leave
	p.limit()
}

func (p *parking) closes() { p.opens(nil) }

// limit ends the connection to a parked answer after parkedReading.
func (p *parking) limit() {
	limited := p.leave != nil && p.anyOpen()
	switch leave := p.leave; {
	case limited && p.timer == nil:
		p.timer = time.AfterFunc(parkedReading, func() { leave(errParked) })
	case !limited && p.timer != nil:
		p.timer.Stop()
		p.timer = nil
	}
}

// differs reports whether the service's list of the answer's calls has anything new: a status that
// differs from the events, no open call, or a call that this program may carry out. Such a call may
// have been claimed and approved again without an event that this program read.
func (s *session) differs(list jsontext.Value) bool {
	differs, open := false, false
	list.Elements(func(call jsontext.Value) {
		id, status := text(call, "id"), text(call, "status")
		ours := status == wire.CallApproved && text(call, "kind") == wire.ToolPage && s.client.tool(text(call, "name")) != nil
		differs = differs || s.status(id) != status || ours && s.client.followed.waits(id)
		open = open || isOpen(status)
	})
	return differs || !open
}

// isStopped reports whether readOn was called since the last time.
func (p *parking) isStopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	stopped := p.stopped
	p.stopped = false
	return stopped
}

// running reports whether a call is being carried out.
func (p *parking) running() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, status := range p.calls {
		if status == wire.CallRunning {
			return true
		}
	}
	return false
}

// readOn makes the session read the answer at once, whatever the states of its calls.
func (p *parking) readOn() {
	p.mu.Lock()
	p.stopped = true
	p.mu.Unlock()
	p.ask()
}

// ask makes the session ask for the calls at once.
func (p *parking) ask() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// post begins a request for a call, if the call is open: it ends the connection.
func (p *parking) post(callID string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !isOpen(p.calls[callID]) {
		return false
	}
	p.posts++
	if p.leave != nil {
		p.leave(errPosting)
	}
	return true
}

func (p *parking) posted() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.posts--
}

func (p *parking) posting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.posts > 0
}

// learn stores the calls of the last feed, and carries out those that may be carried out.
func (s *session) learn() {
	for _, call := range s.seen {
		s.note(text(call, "id"), text(call, "status"))
	}
	s.carry()
}

// pauseAfter is how long to wait before asking for the calls, after a connection that ended with
// err. brought says whether it brought events.
func pauseAfter(err error, brought bool) time.Duration {
	if err == errWoken || brought && !isInterruption(err) {
		return 0
	}
	return askPause
}

// parks reports whether to wait for the calls, after a connection that ended with err.
func (s *session) parks(err error) bool {
	if s.streamID == "" || s.lastID == 0 || s.over || s.unproven != nil || s.completed {
		return false
	}
	if err == errParked || err == errPosting {
		return true
	}
	failure, ok := errors.AsType[*APIError](err)
	return s.parked() && (isInterruption(err) || ok && failure.Retryable())
}

// park waits, without a connection, until a call has changed. Otherwise it ends only when the context
// ends or the service refuses.
func (s *session) park(ctx context.Context, delay time.Duration) error {
	s.patience.rest()
	for asked := 1; s.parked(); asked++ {
		if err := s.idle(ctx, delay); err != nil {
			return err
		}
		delay = askPause
		if s.isStopped() {
			return nil
		}
		if s.posting() {
			continue // news follows when the request has ended
		}
		calls, err := s.askCalls(ctx)
		failure, ok := errors.AsType[*APIError](err)
		switch {
		case err == nil && (s.differs(calls) || asked%asksBeforeReading == 0 && s.running()):
			return nil
		case err == errWoken:
			delay = 0
		case ok && failure.Retryable():
			delay = max(delay, failure.RetryAfter)
		case err != nil && !isInterruption(err):
			return err
		}
	}
	return nil
}

// idle waits until the delay is over, or a wake or news comes.
func (s *session) idle(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	case <-s.client.waker.woken():
	case <-s.news:
	}
	return nil
}

// askCalls asks once for the calls of the answer. A silent service or a wake ends it, as for a
// stream.
func (s *session) askCalls(caller context.Context) (jsontext.Value, error) {
	request, err := s.client.request(listToolCalls, []string{"", s.chatID, s.messageID, "", ""})
	if err != nil {
		return nil, err
	}
	s.client.prepare(request)
	ctx, timer, cancel := s.client.withTimeout(caller, request)
	defer cancel(nil)
	defer timer.Stop()
	request.silence = s.client.listen()
	go request.silence.watch(ctx, cancel)
	response, err := s.client.do(ctx, s.operation, request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	a, err := s.client.readReply(ctx, s.operation, response, jsontext.Object)
	if err != nil {
		return nil, err
	}
	return a.value.Get("tool_calls"), a.fits(listToolCalls.holds)
}
