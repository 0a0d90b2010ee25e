package chat

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/ids"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

const (
	// carryPause is the longest time until something due is noticed.
	carryPause = time.Second
	// attended is how many due calls and answers are read at once, readyAtOnce how many calls that could
	// begin.
	attended    = 1000
	readyAtOnce = 256
	// findsKept is for how many parked answers the results of searches are kept in memory.
	findsKept = 256
)

// carrier is what a Service knows about the calls that it carries out. Everything that must not
// be lost is in the Store.
type carrier struct {
	more chan struct{}

	mu sync.Mutex
	// finds are the results of searches for parked answers, by the ids of their streams.
	finds map[string]*finds
}

func newCarrier() carrier {
	return carrier{more: make(chan struct{}, 1), finds: map[string]*finds{}}
}

// wake makes carryOn look for due calls and answers now.
func (c *carrier) wake() {
	select {
	case c.more <- struct{}{}:
	default: // it is already awake
	}
}

// keep keeps what was found for an answer, so that its next round need not search again.
func (c *carrier) keep(streamID string, found *finds) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range c.finds {
		if len(c.finds) < findsKept {
			break
		}
		delete(c.finds, id) // any of them: its search is repeated
	}
	c.finds[streamID] = found
}

// found returns what keep has kept, and forgets it.
func (c *carrier) found(streamID string) *finds {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.finds[streamID]
	delete(c.finds, streamID)
	return found
}

// carryOn carries out calls, and continues answers whose calls are settled, until ctx ends.
func (s *Service) carryOn(ctx context.Context) {
	ticker := time.NewTicker(carryPause)
	defer ticker.Stop()
	failing := false
	for ctx.Err() == nil {
		err := s.Attend(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			s.config.Log.Error("tool calls cannot be carried out now", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
		case <-ticker.C:
		case <-s.carrier.more:
		}
	}
}

// Attend handles once all calls and parked answers that are due. Work that it begins continues
// after it returns. If something fails, the rest is still handled, and the failed part is tried
// again the next time.
func (s *Service) Attend(ctx context.Context) error {
	if s.Closing() {
		return nil
	}
	due, err := s.config.Store.DueCalls(ctx, s.now(), attended)
	for _, call := range due {
		err = errors.Join(err, s.attend(ctx, call))
	}
	err = errors.Join(err, s.beginReady(ctx))
	ready, failed := s.config.Store.ReadyTurns(ctx, attended)
	err = errors.Join(err, failed)
	for _, streamID := range ready {
		err = errors.Join(err, s.goOn(ctx, streamID))
	}
	return err
}

// attend does what is due for a call.
func (s *Service) attend(ctx context.Context, call Call) error {
	switch {
	case call.Status == wire.CallRunning && call.Kind != wire.ToolPage:
		if s.slots.carries(call.ID) {
			return nil
		}
		call.lose(s.now())
	default:
		call = call.AsOf(s.now())
	}
	return isNobodys(s.setCall(ctx, &call))
}

// isNobodys ignores the error if somebody else has changed the call, or if it was deleted.
func isNobodys(err error) error {
	if errors.Is(err, ErrStale) || errors.Is(err, fault.ErrNotFound) {
		return nil
	}
	return err
}

// setCall stores a change and reports it.
func (s *Service) setCall(ctx context.Context, call *Call) error {
	err := s.config.Store.SetCall(ctx, *call, nil)
	if err == nil {
		call.Version++
		s.isSet(*call)
	}
	return err
}

func (s *Service) isSet(call Call) {
	s.logs.Changed(call.StreamID)
	s.carrier.wake()
	s.count(call)
}

// count counts calls that have become settled.
func (s *Service) count(calls ...Call) {
	for _, call := range calls {
		if call.IsSettled() {
			s.config.Called(call.Status)
		}
	}
}

// carry begins to carry out an approved call, which has a slot, and reports whether it did.
func (s *Service) carry(ctx context.Context, call Call, one *tool.Tool) (begun bool, err error) {
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.turns.Add(1)
	}
	s.mu.Unlock()
	if !closed {
		call.Timeout = one.Timeout.Seconds() // the operator may have changed it
		call.begin(ids.New("attempt"), s.now())
		if err = s.logs.Patiently(ctx, func() error { return s.own(ctx, &call) }); err == nil {
			go s.attempt(context.WithoutCancel(ctx), call, one)
			return true, nil
		}
		s.turns.Done()
	}
	s.slots.leave(call.ID)
	return false, isNobodys(err)
}

// leave gives the slot of a call back, for which others may wait.
func (s *Service) leave(callID string) {
	s.slots.leave(callID)
	s.carrier.wake()
}

// attempt carries a call out, and stores the outcome.
func (s *Service) attempt(ctx context.Context, call Call, one *tool.Tool) {
	defer s.turns.Done()
	defer s.leave(call.ID)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	outcomes := make(chan tool.Outcome, 1)
	go func() {
		outcomes <- one.Carry(ctx, tool.Call{ID: call.ID, UserID: call.Owner, ChatID: call.ChatID, Arguments: call.Arguments})
	}()
	select {
	case outcome := <-outcomes:
		s.settle(ctx, call, outcome)
	case <-s.breaking:
		cancel()
		s.settle(ctx, call, <-outcomes)
	}
}

// settle stores the outcome of an attempt, and tries for as long as it takes.
func (s *Service) settle(ctx context.Context, call Call, outcome tool.Outcome) {
	ctx = context.WithoutCancel(ctx)
	for pause := endPause; ; pause = min(2*pause, endPauseMost) {
		err := s.conclude(ctx, call, outcome)
		if isNobodys(err) == nil {
			return
		}
		if pause == endPause {
			s.config.Log.Error("the outcome of a call is not stored yet", "call_id", call.ID, "error", err)
		}
		select {
		case <-time.After(pause):
		case <-s.breaking:
			if pause > endPause { // one more try has failed
				return
			}
		}
	}
}

// conclude stores the outcome of an attempt. If a stop has changed the call meanwhile, the
// attempt still belongs to this process.
func (s *Service) conclude(ctx context.Context, call Call, outcome tool.Outcome) error {
	ended := call
	ended.finish(outcome, s.now())
	now, err := s.setOrRead(ctx, &ended)
	switch {
	case now == nil:
		return err
	case now.Attempts == ended.Attempts && now.Status == ended.Status && now.Claim == ended.Claim:
		s.isSet(*now) // it was stored, but the Store's reply was lost
		return nil
	case now.Status != wire.CallRunning || now.Claim != call.Claim:
		return err
	}
	now.finish(outcome, s.now())
	return s.setCall(ctx, now)
}

// own is setCall for the beginning of an attempt: if the change was stored and only the Store's
// reply was lost, the attempt still belongs to this process.
func (s *Service) own(ctx context.Context, call *Call) error {
	now, err := s.setOrRead(ctx, call)
	if now == nil || now.Claim != call.Claim || now.Status != call.Status {
		return err
	}
	*call = *now
	s.isSet(*now)
	return nil
}

// setOrRead is setCall. On ErrStale it also returns the call as it is stored, otherwise nil.
func (s *Service) setOrRead(ctx context.Context, call *Call) (*Call, error) {
	err := s.setCall(ctx, call)
	if !errors.Is(err, ErrStale) {
		return nil, err
	}
	now, failed := s.config.Store.Call(ctx, call.ProjectID, call.ID)
	if failed != nil {
		return nil, failed
	}
	return &now, err
}
