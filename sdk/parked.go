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
	// parkedReading is how long a connection to a parked answer is kept: six of them would
	// block a page's other calls over HTTP/1.1.
	parkedReading = 30 * time.Second
	// askPause is how long the calls of a parked answer are not asked for, without a cause.
	askPause = 5 * time.Second
	// asksBeforeReading is how often nothing is other before the answer is read all the same,
	// while a call runs: a stop ends the answer, and leaves that call as it is.
	asksBeforeReading = 12
)

// parking is what a session knows of the calls in its answer. While one of them is open the
// answer is parked: nothing comes, however long it takes, and a connection that ends is no cut.
type parking struct {
	mu    sync.Mutex
	calls map[string]string // status by id
	// leave ends the connection, nil if there is none; timer does it in time.
	leave context.CancelCauseFunc
	timer *time.Timer
	posts int // requests for a call of the answer that are under way
	// stopped tells that this program has stopped an answer: the next is to read.
	stopped bool
	// news gets a value when the calls are to be asked for at once.
	news chan struct{}
}

func isOpen(status string) bool {
	return status == wire.CallAwaiting || status == wire.CallApproved || status == wire.CallRunning
}

// parked tells whether a call is open.
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

// status gives that of a call, empty for an unknown one.
func (p *parking) status(id string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[id]
}

// note takes what an event says of a call.
func (p *parking) note(id, status string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls == nil {
		p.calls = map[string]string{}
	}
	p.calls[id] = status
	p.limit()
}

// opens tells how the connection ends that begins, closes that there is none.
func (p *parking) opens(leave context.CancelCauseFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leave = leave
	p.limit()
}

func (p *parking) closes() { p.opens(nil) }

// limit has the connection to a parked answer end in time.
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

// differs tells whether the calls of the answer, as the service lists them, are other than the
// events said, all settled, or waiting for this program, which may not have heard that one
// was claimed and is approved again.
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

// isStopped tells once that readOn was called.
func (p *parking) isStopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	stopped := p.stopped
	p.stopped = false
	return stopped
}

// running tells whether a call is carried out.
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

// readOn has the answer read at once, whatever its calls are.
func (p *parking) readOn() {
	p.mu.Lock()
	p.stopped = true
	p.mu.Unlock()
	p.ask()
}

// ask has the calls asked for at once.
func (p *parking) ask() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// post begins a request for a call, if it is one of the open ones: the connection ends.
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

// learn takes what a feed brought of calls, and carries out what is now to be.
func (s *session) learn() {
	for _, call := range s.seen {
		s.note(text(call, "id"), text(call, "status"))
	}
	s.carry()
}

// pauseAfter is how long the calls are not asked for after a connection ended so, that had
// brought something or not.
func pauseAfter(err error, brought bool) time.Duration {
	if err == errWoken || brought && !isInterruption(err) {
		return 0
	}
	return askPause
}

// parks tells whether the connection that ended so was to an answer that is to be waited for.
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

// park waits, without a connection, until something has become of the calls. Nothing bounds
// it but the context and a refusal.
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
			continue // it ends in news
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

// idle waits for the delay, a wake, or news.
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

// askCalls asks once for the calls of the answer. A silent service, or a wake, ends it as it
// does for a stream.
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
	a, err := s.client.readAnswer(ctx, s.operation, response, jsontext.Object)
	if err != nil {
		return nil, err
	}
	return a.value.Get("tool_calls"), nil
}
