package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// Decision is what became of a memory that was pending.
type Decision struct {
	// Memory is as it is now.
	Memory wire.Memory
	// Superseded are the ids of those that an approval took out of use.
	Superseded []string
	// Replayed tells that the request was made before, with its key.
	Replayed bool
}

// Decide approves or rejects a pending memory, which is final: the action of request is
// wire.ActionApprove or wire.ActionReject. An approval may bring a statement of the
// reviewer. What was superseded by a memory that is in use no more may be approved again.
// Of several reviewers at once one wins; the others get a CONFLICT, as does who comes too
// late. A repeat of a request with its key gets the decision that the first one made.
func (s *Service) Decide(
	ctx context.Context, caller access.Caller, memoryID string, request wire.MemoryActionRequest, key once.Request,
) (Decision, error) {
	return s.decideOne(ctx, caller, memoryID, request, s.readToDecide, key)
}

// reader reads what a decision about a memory compares.
type reader func(ctx context.Context, owner Owner, memory wire.Memory, request wire.MemoryActionRequest) (*Reading, error)

func (s *Service) decideOne(
	ctx context.Context, caller access.Caller, memoryID string, request wire.MemoryActionRequest, read reader, key once.Request,
) (Decision, error) {
	decision, found, err := s.decidedBefore(ctx, caller, key)
	if err != nil || found {
		return decision, err
	}
	if err := checkAction(&request); err != nil {
		return Decision{}, err
	}
	memory, err := s.reviewed(ctx, caller, memoryID)
	if err != nil {
		return Decision{}, err
	}
	decision, err = s.decide(ctx, caller, memory, request, read, key.Claim(caller.ProjectID, caller.UserID, memoryID, s.now()))
	if errors.Is(err, errDecided) || errors.Is(err, once.ErrTaken) {
		if again, found, err := s.decidedBefore(ctx, caller, key); err != nil || found {
			return again, err // the same request came twice at once
		}
		return Decision{}, s.decided(ctx, caller, memoryID)
	}
	return decision, err
}

// checkAction refuses unknown decisions, and cleans the statement that comes with one.
func checkAction(request *wire.MemoryActionRequest) error {
	switch {
	case request.Action != wire.ActionApprove && request.Action != wire.ActionReject:
		return fault.Invalid("action", "action is unknown, want %s or %s", wire.ActionApprove, wire.ActionReject)
	case request.MemoryContent == nil:
		return nil
	case request.Action == wire.ActionReject:
		return fault.Invalid("memory_content", "memory_content goes with an approval alone")
	}
	content, err := cleanStatement(*request.MemoryContent)
	request.MemoryContent = &content
	return err
}

func (s *Service) decide(
	ctx context.Context, caller access.Caller, memory wire.Memory, request wire.MemoryActionRequest, read reader, claim *once.Claim,
) (decision Decision, err error) {
	decision.Superseded = []string{}
	owner, by := Owner{caller.ProjectID, memory.AgentID, memory.UserID}, name(caller)
	reading, err := read(ctx, owner, memory, request)
	if err != nil {
		return Decision{}, err
	}
	content := ""
	if request.MemoryContent != nil {
		content = *request.MemoryContent
	}
	err = s.config.Store.ChangeMemories(ctx, owner, memory.ID, func(state State) (changes Changes, err error) {
		state.Reading = reading
		m := NewMachine(s.rules(owner.AgentID, state.Settings), state, s.now())
		if request.Action == wire.ActionApprove {
			decision.Superseded, err = m.Approve(memory.ID, content, by)
		} else {
			err = m.Reject(memory.ID, by)
		}
		if err != nil {
			return Changes{}, err
		}
		decision.Memory, _ = m.Get(memory.ID)
		changes = m.Changes()
		if claim != nil {
			ids, err := json.Marshal(decision.Superseded)
			claim.Result, changes.Claim = string(ids), claim
			return changes, err
		}
		return changes, nil
	})
	if err != nil {
		return Decision{}, err
	}
	return decision, nil
}

// decidedBefore finds what was decided when a request came first.
func (s *Service) decidedBefore(ctx context.Context, caller access.Caller, key once.Request) (Decision, bool, error) {
	claim, found, err := key.Find(ctx, s.config.Store, caller.ProjectID, caller.UserID, s.now())
	if err != nil || !found {
		return Decision{}, false, err
	}
	memory, err := s.config.Store.Memory(ctx, caller.ProjectID, claim.Subject)
	if err == nil && !s.mayReview(caller, memory) {
		err = fault.ErrNotFound
	}
	if err != nil {
		return Decision{}, false, err
	}
	decision := Decision{Memory: AsOf(memory, s.now()), Replayed: true}
	err = json.Unmarshal([]byte(claim.Result), &decision.Superseded)
	return decision, err == nil, err
}

// decided is why a memory could not be decided: it was before, or somebody has
// deleted it meanwhile.
func (s *Service) decided(ctx context.Context, caller access.Caller, memoryID string) error {
	if _, err := s.owner(ctx, caller, memoryID); err != nil {
		return err
	}
	return errDecided
}

// Delete removes a memory in any state. What says the same does not come back.
func (s *Service) Delete(ctx context.Context, caller access.Caller, memoryID string) error {
	memory, err := s.reviewed(ctx, caller, memoryID)
	if err != nil {
		return err
	}
	owner := Owner{caller.ProjectID, memory.AgentID, memory.UserID}
	marks := s.config.HashKey.Read(owner, memory).Marks.All()
	if memory.OriginalContent != "" {
		memory.MemoryContent = memory.OriginalContent
		marks = append(marks, s.config.HashKey.Read(owner, memory).Marks.All()...)
	}
	return s.config.Store.DeleteMemory(ctx, owner, memoryID, marks, s.receipt(caller))
}

// DeleteUser removes all that an agent remembers of a user, also by what it
// recognises what was deleted before. It tells how many memories there were.
func (s *Service) DeleteUser(ctx context.Context, caller access.Caller, agentID, userID string) (deleted int, err error) {
	if !s.mayUse(caller, agentID) || userID == "" {
		return 0, errNoAgent
	}
	if _, err := sees(caller, userID); err != nil {
		return 0, err
	}
	return s.config.Store.DeleteMemories(ctx, Owner{caller.ProjectID, agentID, userID}, s.receipt(caller))
}

func (s *Service) receipt(caller access.Caller) Receipt {
	return Receipt{By: name(caller), At: s.now()}
}

// name is who calls, as records name them.
func name(caller access.Caller) string { return cmp.Or(caller.UserID, wire.ByAPIKey) }

// owner gives the owner of a memory that the caller may review.
func (s *Service) owner(ctx context.Context, caller access.Caller, memoryID string) (Owner, error) {
	memory, err := s.reviewed(ctx, caller, memoryID)
	return Owner{caller.ProjectID, memory.AgentID, memory.UserID}, err
}

// reviewed gives a memory that the caller may review.
func (s *Service) reviewed(ctx context.Context, caller access.Caller, memoryID string) (wire.Memory, error) {
	memory, err := s.config.Store.Memory(ctx, caller.ProjectID, memoryID)
	if err != nil {
		return wire.Memory{}, err
	}
	if !s.mayReview(caller, memory) {
		return wire.Memory{}, fault.ErrNotFound
	}
	return memory, nil
}
