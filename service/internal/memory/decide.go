package memory

import (
	"context"
	"errors"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Decide approves or rejects a pending memory, which is final: action is
// wire.ActionApprove or wire.ActionReject. It gives the memory as it is then
// and the ids of those that the approval took out of use. Of several reviewers
// at once one wins; the others get a CONFLICT, as does who comes too late.
func (s *Service) Decide(ctx context.Context, caller Caller, memoryID, action string) (memory wire.Memory, superseded []string, err error) {
	if action != wire.ActionApprove && action != wire.ActionReject {
		return wire.Memory{}, nil, invalid("action", "action is unknown, want %s or %s", wire.ActionApprove, wire.ActionReject)
	}
	owner, err := s.owner(ctx, caller, memoryID)
	if err != nil {
		return wire.Memory{}, nil, err
	}
	superseded = []string{}
	err = s.change(ctx, owner, func(m *Machine) (err error) {
		if action == wire.ActionApprove {
			superseded, err = m.Approve(memoryID)
		} else {
			err = m.Reject(memoryID)
		}
		memory, _ = m.Get(memoryID)
		return err
	})
	switch {
	case errors.Is(err, errDecided):
		return wire.Memory{}, nil, s.decided(ctx, caller, memoryID)
	case err != nil:
		return wire.Memory{}, nil, err
	}
	return memory, superseded, nil
}

// decided is why a memory could not be decided: it was before, or somebody has
// deleted it meanwhile.
func (s *Service) decided(ctx context.Context, caller Caller, memoryID string) error {
	if _, err := s.owner(ctx, caller, memoryID); err != nil {
		return err
	}
	return errDecided
}

// change runs a Machine over the open memories of an owner.
func (s *Service) change(ctx context.Context, owner Owner, do func(*Machine) error) error {
	return s.config.Store.ChangeMemories(ctx, owner, func(state State) (Changes, error) {
		m := NewMachine(s.rules(owner.AgentID, state.Settings), state, s.now())
		err := do(m)
		return m.Changes(), err
	})
}

// Delete removes a memory in any state. What says the same does not come back.
func (s *Service) Delete(ctx context.Context, caller Caller, memoryID string) error {
	memory, err := s.reviewed(ctx, caller, memoryID)
	if err != nil {
		return err
	}
	owner := Owner{caller.ProjectID, memory.AgentID, memory.UserID}
	return s.config.Store.DeleteMemory(ctx, owner, memoryID, s.config.HashKey.Read(owner, memory).Marks)
}

// DeleteUser removes all that an agent remembers of a user, also by what it
// recognises what was deleted before. It tells how many memories there were.
func (s *Service) DeleteUser(ctx context.Context, caller Caller, agentID, userID string) (deleted int, err error) {
	if !s.mayUse(caller, agentID) || userID == "" {
		return 0, ErrNotFound
	}
	if _, err := caller.sees(userID); err != nil {
		return 0, err
	}
	return s.config.Store.DeleteMemories(ctx, Owner{caller.ProjectID, agentID, userID})
}

// owner gives the owner of a memory that the caller may review.
func (s *Service) owner(ctx context.Context, caller Caller, memoryID string) (Owner, error) {
	memory, err := s.reviewed(ctx, caller, memoryID)
	return Owner{caller.ProjectID, memory.AgentID, memory.UserID}, err
}

// reviewed gives a memory that the caller may review.
func (s *Service) reviewed(ctx context.Context, caller Caller, memoryID string) (wire.Memory, error) {
	memory, err := s.config.Store.Memory(ctx, caller.ProjectID, memoryID)
	if err != nil {
		return wire.Memory{}, err
	}
	if !s.mayReview(caller, memory) {
		return wire.Memory{}, ErrNotFound
	}
	return memory, nil
}
