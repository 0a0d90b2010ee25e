package toolcall

import (
	"context"
	"errors"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// Held are calls that wait for something else than their turn, and that nobody need look at.
type Held struct {
	Tools []ToolKey
	Users []ToolUser
}

func (h *Held) size() int { return len(h.Tools) + len(h.Users) }

func (h *Held) addTool(key ToolKey) {
	if !slices.Contains(h.Tools, key) {
		h.Tools = append(h.Tools, key)
	}
}

func (h *Held) addUser(user ToolUser) {
	if !slices.Contains(h.Users, user) {
		h.Users = append(h.Users, user)
	}
}

// beginReady begins the approved calls for which there are slots. What waits for a server that is
// away, or for a share that is taken, is left out of the next look, so that it hides nothing.
func (s *Service) beginReady(ctx context.Context) (err error) {
	for held := s.slots.held(); ; {
		calls, failed := s.config.Store.ReadyCalls(ctx, held, readyAtOnce)
		if failed != nil {
			return errors.Join(err, failed)
		}
		s.slots.inTurn(calls)
		before, begun := held.size(), 0
		for _, call := range calls {
			isBegun, failed := s.begin(ctx, call, &held)
			err = errors.Join(err, failed)
			if isBegun {
				begun++
			}
		}
		if len(calls) < readyAtOnce || begun == 0 && held.size() == before {
			return err
		}
	}
}

// begin does what can be done for a call that is ready, and notes what holds it up. It reports whether
// the call is no longer ready.
func (s *Service) begin(ctx context.Context, call Call, held *Held) (isBegun bool, err error) {
	if call.Status != wire.CallApproved {
		return true, s.attend(ctx, call) // a replica of the version before has found that nobody carries it out
	}
	if call = call.AsOf(s.now()); call.IsSettled() {
		return true, isNobodys(s.set(ctx, &call))
	}
	one, err := s.toolOf(call, nil)
	if fault.IsUnavailable(err) {
		return s.wait(ctx, call, held, err)
	}
	if err != nil {
		return false, err
	}
	if one == nil {
		call.change(s.now())
		return true, isNobodys(s.set(ctx, &call))
	}
	switch s.slots.enter(call, one) {
	case fullTool:
		held.addTool(toolKey(call))
		return false, nil
	case fullUser:
		held.addUser(toolUser(call))
		return false, nil
	case isCarried:
		return false, nil
	}
	return s.carry(ctx, call, one)
}

// wait leaves a call alone whose server is not up yet, or that another replica still defines
// differently, until it has waited for too long.
func (s *Service) wait(ctx context.Context, call Call, held *Held, why error) (isBegun bool, err error) {
	if s.now() >= max(call.DecidedAt, call.RequestedAt)+s.config.Lifetime.Seconds() {
		call.giveUp(s.now())
		return true, isNobodys(s.set(ctx, &call))
	}
	if why == errReplaced {
		held.addUser(toolUser(call))
	} else {
		held.addTool(toolKey(call))
	}
	return false, nil
}
