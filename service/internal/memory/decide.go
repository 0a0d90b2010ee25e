package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// Decision is the outcome for a memory that was pending.
type Decision struct {
	// Memory is the memory in its current state.
	Memory wire.Memory
	// Superseded are the ids of the memories that an approval took out of use.
	Superseded []string
	// Replayed reports whether this answers a repeat of an earlier request.
	Replayed bool
}

// Decide approves or rejects a pending memory, which is final: the action of request is
// wire.ActionApprove or wire.ActionReject. With an approval, the reviewer may change the
// statement. A memory that was superseded by one that is no longer in use may be approved again.
// If several reviewers decide at the same time, one of them succeeds. The others get a CONFLICT,
// and so does a reviewer who comes too late. A repeat of a request with its key gets the decision
// that the first one made.
func (s *Service) Decide(
	ctx context.Context, caller access.Caller, memoryID string, request wire.MemoryActionRequest, key once.Request,
) (Decision, error) {
	decision, err := s.decideOne(ctx, caller, memoryID, request, s.readToDecide, key)
	decision.Memory = shownTo(caller, []wire.Memory{decision.Memory})[0]
	return decision, err
}

// reader reads the memories with which a decision compares a memory.
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
	decision, err = s.decide(ctx, caller, memory, request, read, key.Use(caller.ProjectID, caller.UserID, memoryID, s.now()))
	if errors.Is(err, errDecided) || errors.Is(err, once.ErrTaken) {
		if again, found, err := s.decidedBefore(ctx, caller, key); err != nil || found {
			return again, err // the same request arrived twice at the same time
		}
		return Decision{}, s.decided(ctx, caller, memoryID)
	}
	return decision, err
}

// checkAction refuses unknown actions, and cleans the statement that comes with an approval.
func checkAction(request *wire.MemoryActionRequest) error {
	switch {
	case request.Action != wire.ActionApprove && request.Action != wire.ActionReject:
		return fault.Invalid("action", "action is unknown, want %s or %s", wire.ActionApprove, wire.ActionReject)
	case request.MemoryContent == nil:
		return nil
	case request.Action == wire.ActionReject:
		return fault.Invalid("memory_content", "memory_content only goes with an approval; leave it out of a rejection")
	}
	content, err := cleanStatement(*request.MemoryContent)
	request.MemoryContent = &content
	return err
}

func (s *Service) decide(
	ctx context.Context, caller access.Caller, memory wire.Memory, request wire.MemoryActionRequest, read reader, used *once.UsedKey,
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
		if used != nil {
			ids, err := json.Marshal(decision.Superseded)
			used.Result, changes.Key = string(ids), used
			return changes, err
		}
		return changes, nil
	})
	if err != nil {
		return Decision{}, err
	}
	return decision, nil
}

// decidedBefore finds the decision that an earlier request with this key has made.
func (s *Service) decidedBefore(ctx context.Context, caller access.Caller, key once.Request) (Decision, bool, error) {
	used, found, err := key.Find(ctx, s.config.Store, caller.ProjectID, caller.UserID, s.now())
	if err != nil || !found {
		return Decision{}, false, err
	}
	memory, err := s.config.Store.Memory(ctx, caller.ProjectID, used.Subject)
	if err == nil && !s.mayReview(caller, memory) {
		err = fault.ErrNotFound
	}
	if err != nil {
		return Decision{}, false, err
	}
	decision := Decision{Memory: AsOf(memory, s.now()), Replayed: true}
	err = json.Unmarshal([]byte(used.Result), &decision.Superseded)
	return decision, err == nil, err
}

// decided returns why a memory could not be decided: it had been decided before, or it was
// deleted in the meantime.
func (s *Service) decided(ctx context.Context, caller access.Caller, memoryID string) error {
	if _, err := s.owner(ctx, caller, memoryID); err != nil {
		return err
	}
	return errDecided
}

// Delete removes a memory in any state. A statement that says the same will not be stored again.
func (s *Service) Delete(ctx context.Context, caller access.Caller, memoryID string) error {
	memory, err := s.reviewed(ctx, caller, memoryID)
	if err != nil {
		return err
	}
	owner := Owner{caller.ProjectID, memory.AgentID, memory.UserID}
	return s.config.Store.DeleteMemory(ctx, owner, memoryID, s.hashesOf(owner, memory), s.receipt(caller))
}

// hashesOf returns the hashes of everything that a memory has said.
func (s *Service) hashesOf(owner Owner, memory wire.Memory) (hashes []string) {
	texts := []string{memory.MemoryContent, memory.OriginalContent}
	for _, edit := range memory.Edits {
		texts = append(texts, edit.Text)
	}
	slices.Sort(texts)
	for _, text := range slices.Compact(texts) {
		if memory.MemoryContent = text; text != "" {
			hashes = append(hashes, s.config.HashKey.Read(owner, memory).Hashes.All()...)
		}
	}
	return hashes
}

// DeleteUser removes everything that an agent remembers of a user, including the hashes of
// memories that were deleted earlier. It returns how many memories there were.
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

// name returns the name of the caller in records.
func name(caller access.Caller) string { return cmp.Or(caller.UserID, wire.ByAPIKey) }

// owner returns the owner of a memory that the caller may review.
func (s *Service) owner(ctx context.Context, caller access.Caller, memoryID string) (Owner, error) {
	memory, err := s.reviewed(ctx, caller, memoryID)
	return Owner{caller.ProjectID, memory.AgentID, memory.UserID}, err
}

// reviewed returns a memory that the caller may review.
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
