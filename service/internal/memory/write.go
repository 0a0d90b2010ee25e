package memory

import (
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory/rules"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// cleanStatement makes a line of a statement that somebody wrote by hand, and refuses one
// that no memory may have: a *fault.Error.
func cleanStatement(content string) (string, error) {
	content = oneLine(content)
	switch length := utf8.RuneCountInString(content); {
	case length == 0 || length > maxContent:
		return "", fault.Invalid("memory_content", "memory_content has %d characters, want 1 to %d", length, maxContent)
	case rules.Redact(content) != content:
		return "", fault.Invalid("memory_content", "memory_content seems to hold a password, a key, a token or a card number, which no memory may")
	}
	return content, nil
}

func cleanWriting(request wire.WriteMemoryRequest) (wire.WriteMemoryRequest, error) {
	if !slices.Contains(allTypes(), request.MemoryType) {
		return request, fault.Invalid("memory_type", "memory_type is unknown, want %s", orList(allTypes()))
	}
	var err error
	request.MemoryContent, err = cleanStatement(request.MemoryContent)
	return request, err
}

// Create adds a memory by hand, which is in use at once. It is an administrator's word, and
// was in no message. A repeat of a request with its key gets what the first one made.
func (s *Service) Create(
	ctx context.Context, caller access.Caller, agentID, userID string, request wire.WriteMemoryRequest, key once.Request,
) (Decision, error) {
	if !s.mayUse(caller, agentID) || userID == "" {
		return Decision{}, errNoAgent
	}
	if !caller.Administers() {
		return Decision{}, errWriting
	}
	if made, found, err := s.decidedBefore(ctx, caller, key); err != nil || found {
		return made, err
	}
	request, err := cleanWriting(request)
	if err != nil {
		return Decision{}, err
	}
	owner := Owner{caller.ProjectID, agentID, userID}
	written := wire.Memory{ID: newID(), AgentID: agentID, UserID: userID, MemoryContent: request.MemoryContent, MemoryType: request.MemoryType}
	claim := key.Claim(caller.ProjectID, caller.UserID, written.ID, s.now())
	made, err := s.write(ctx, owner, written.ID, claim, func(m *Machine) error { return m.Write(written, name(caller)) })
	if errors.Is(err, once.ErrTaken) {
		again, _, err := s.decidedBefore(ctx, caller, key)
		return again, err
	}
	return Decision{Memory: made}, err
}

// Update has a pending or approved memory say something else. What it said first is kept.
func (s *Service) Update(ctx context.Context, caller access.Caller, memoryID string, request wire.WriteMemoryRequest) (wire.Memory, error) {
	if !caller.Administers() {
		return wire.Memory{}, errWriting
	}
	memory, err := s.reviewed(ctx, caller, memoryID)
	if err != nil {
		return wire.Memory{}, err
	}
	if request, err = cleanWriting(request); err != nil {
		return wire.Memory{}, err
	}
	owner := Owner{caller.ProjectID, memory.AgentID, memory.UserID}
	return s.write(ctx, owner, memoryID, nil, func(m *Machine) error {
		return m.Edit(memoryID, request.MemoryContent, request.MemoryType, name(caller))
	})
}

// write changes what an owner has by hand, and gives a memory as it is then.
func (s *Service) write(ctx context.Context, owner Owner, memoryID string, claim *once.Claim, by func(*Machine) error) (written wire.Memory, err error) {
	reading, err := s.readAll(ctx, owner)
	if err != nil {
		return wire.Memory{}, err
	}
	err = s.config.Store.ChangeMemories(ctx, owner, "", func(state State) (Changes, error) {
		state.Reading = reading
		m := NewMachine(s.rules(owner.AgentID, state.Settings), state, s.now())
		if err := by(m); err != nil {
			return Changes{}, err
		}
		written, _ = m.Get(memoryID)
		changes := m.Changes()
		if claim != nil {
			claim.Result, changes.Claim = "[]", claim
		}
		return changes, nil
	})
	return written, err
}

// DecideAll decides several memories one by one, each as Decide does. What cannot be
// decided has its status in the result, and keeps none of the others back. A repeat of a
// request with its key gets what the first one decided.
func (s *Service) DecideAll(ctx context.Context, caller access.Caller, request wire.DecideMemoriesRequest, key once.Request) ([]wire.MemoryDecision, error) {
	if n := len(request.MemoryIDs); n == 0 || n > wire.MaxDecisions {
		return nil, fault.Invalid("memory_ids", "memory_ids has %d entries, want 1 to %d", n, wire.MaxDecisions)
	}
	one := wire.MemoryActionRequest{Action: request.Action}
	if err := checkAction(&one); err != nil {
		return nil, err
	}
	results := make([]wire.MemoryDecision, 0, len(request.MemoryIDs))
	for _, id := range request.MemoryIDs {
		decision, err := s.Decide(ctx, caller, id, one, key.Part(id))
		result := wire.MemoryDecision{MemoryID: id, Status: 200, Superseded: decision.Superseded}
		switch known := fault.Of(err); {
		case err == nil:
		case known.Code == wire.CodeNotFound:
			result.Status = 404
		case known.Code == wire.CodeConflict:
			result.Status = 409
		default:
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}
