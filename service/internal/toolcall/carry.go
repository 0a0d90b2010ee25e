package toolcall

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/ids"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

const (
	// attended is how many due calls are read at once, readyAtOnce how many calls that could begin.
	attended    = 1000
	readyAtOnce = 256
)

// Attend handles once all calls that are due. Work that it begins continues after it returns. If
// something fails, the rest is still handled, and the failed part is tried again the next time.
func (s *Service) Attend(ctx context.Context) error {
	due, err := s.config.Store.DueCalls(ctx, s.now(), attended)
	for _, call := range due {
		err = errors.Join(err, s.attend(ctx, call))
	}
	return errors.Join(err, s.beginReady(ctx))
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
	return isNobodys(s.set(ctx, &call))
}

// isNobodys ignores the error if somebody else has changed the call, or if it was deleted.
func isNobodys(err error) error {
	if errors.Is(err, ErrStale) || errors.Is(err, fault.ErrNotFound) {
		return nil
	}
	return err
}

// set stores a change and reports it.
func (s *Service) set(ctx context.Context, call *Call) error {
	err := s.config.Store.SetCall(ctx, *call, nil)
	if err == nil {
		call.Version++
		s.isSet(*call)
	}
	return err
}

func (s *Service) isSet(call Call) {
	s.config.Logs.Changed(call.StreamID)
	s.Wake()
	s.Count(call)
}

// Count counts calls that have become settled.
func (s *Service) Count(calls ...Call) {
	for _, call := range calls {
		if call.IsSettled() {
			s.config.Called(call.Status)
		}
	}
}

// carry begins to carry out an approved call, which has a slot, and reports whether it did.
func (s *Service) carry(ctx context.Context, call Call, one *tool.Tool) (begun bool, err error) {
	leave, ok := s.config.Enter()
	if ok {
		call.Timeout = one.Timeout.Seconds() // the operator may have changed it
		call.begin(ids.New("attempt"), s.now())
		if err = s.config.Logs.Patiently(ctx, func() error { return s.own(ctx, &call) }); err == nil {
			go func() {
				defer leave()
				s.attempt(context.WithoutCancel(ctx), call, one)
			}()
			return true, nil
		}
		leave()
	}
	s.slots.leave(call.ID)
	return false, isNobodys(err)
}

// leave gives the slot of a call back, for which others may wait.
func (s *Service) leave(callID string) {
	s.slots.leave(callID)
	s.Wake()
}

// attempt carries a call out, and stores the outcome.
func (s *Service) attempt(ctx context.Context, call Call, one *tool.Tool) {
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
	case <-s.config.Breaking:
		cancel()
		s.settle(ctx, call, <-outcomes)
	}
}

// How long to wait before an outcome is stored again, at first and at most.
const (
	settlePause     = 100 * time.Millisecond
	settlePauseMost = 5 * time.Second
)

// settle stores the outcome of an attempt, and tries for as long as it takes.
func (s *Service) settle(ctx context.Context, call Call, outcome tool.Outcome) {
	ctx = context.WithoutCancel(ctx)
	for pause := settlePause; ; pause = min(2*pause, settlePauseMost) {
		err := s.conclude(ctx, call, outcome)
		if isNobodys(err) == nil {
			return
		}
		if pause == settlePause {
			s.config.Log.Error("the outcome of a call is not stored yet", "call_id", call.ID, "error", err)
		}
		select {
		case <-time.After(pause):
		case <-s.config.Breaking:
			if pause > settlePause { // one more try has failed
				return
			}
		}
	}
}

// conclude stores the outcome of an attempt. If a stop has changed the call meanwhile, the
// attempt still belongs to this process.
func (s *Service) conclude(ctx context.Context, call Call, outcome tool.Outcome) error {
	outcome, err := s.keepImages(ctx, call, outcome)
	if err != nil {
		return err
	}
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
	return s.set(ctx, now)
}

// keepImages keeps the images of an outcome, and returns the outcome with those that are kept.
func (s *Service) keepImages(ctx context.Context, call Call, outcome tool.Outcome) (tool.Outcome, error) {
	if len(outcome.Images) == 0 {
		return outcome, nil
	}
	kept, err := s.config.Store.AddImages(ctx, call.MessageID, outcome.Images)
	if len(kept) < len(outcome.Images) && err == nil {
		s.config.Log.Warn("an answer has no room for images of a tool", "call_id", call.ID, "left_out", len(outcome.Images)-len(kept))
	}
	outcome.Images = slices.DeleteFunc(slices.Clone(outcome.Images), func(one images.File) bool { return !slices.Contains(kept, one.ID) })
	return outcome, err
}

// own is set for the beginning of an attempt: if the change was stored and only the Store's
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

// setOrRead is set. On ErrStale it also returns the call as it is stored, otherwise nil.
func (s *Service) setOrRead(ctx context.Context, call *Call) (*Call, error) {
	err := s.set(ctx, call)
	if !errors.Is(err, ErrStale) {
		return nil, err
	}
	now, failed := s.config.Store.Call(ctx, call.ProjectID, call.ID)
	if failed != nil {
		return nil, failed
	}
	return &now, err
}
