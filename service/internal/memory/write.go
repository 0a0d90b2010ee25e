package memory

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/rules"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// cleanStatement puts a statement that somebody wrote by hand on one line, and refuses, with a
// *fault.Error, one that no memory may have.
func cleanStatement(content string) (string, error) {
	content = oneLine(content)
	switch length := utf8.RuneCountInString(content); {
	case length == 0 || length > maxContent:
		return "", fault.Invalid("memory_content", "memory_content has %d characters, want 1 to %d", length, maxContent)
	case !strings.ContainsFunc(content, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }):
		return "", fault.Invalid("memory_content", "memory_content has no letter or digit, want at least one")
	case rules.Redact(content) != content:
		return "", fault.Invalid("memory_content", "memory_content seems to hold a password, a key, a token or a card number; memories must not hold secrets")
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

// Create adds a memory by hand, which is in use at once. Its origin is an administrator, and no
// message. A repeat of a request with its key gets what the first one made.
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
	used := key.Use(caller.ProjectID, caller.UserID, written.ID, s.now())
	made, err := s.write(ctx, owner, written.ID, used, func(m *Machine) error { return m.Write(written, name(caller)) })
	if errors.Is(err, once.ErrTaken) || fault.Of(err).Code == wire.CodeConflict {
		if again, found, err := s.decidedBefore(ctx, caller, key); err != nil || found {
			return again, err // the same request arrived twice at the same time
		}
	}
	return Decision{Memory: made}, err
}

// Update changes the statement of a pending or approved memory. The original text is kept.
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
	_, err = s.write(ctx, owner, memoryID, nil, func(m *Machine) error {
		return m.Edit(memoryID, request.MemoryContent, request.MemoryType, name(caller))
	})
	if err != nil {
		return wire.Memory{}, err
	}
	memory, err = s.config.Store.Memory(ctx, caller.ProjectID, memoryID) // with its current conflicts
	return AsOf(memory, s.now()), err
}

// write applies a change by hand to an owner's memories, and returns the changed memory.
func (s *Service) write(ctx context.Context, owner Owner, memoryID string, used *once.UsedKey, by func(*Machine) error) (written wire.Memory, err error) {
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
		if used != nil {
			used.Result, changes.Key = "[]", used
		}
		return changes, nil
	})
	return written, err
}
