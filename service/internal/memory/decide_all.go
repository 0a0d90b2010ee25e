package memory

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// DecideAll decides several memories one by one, each like Decide. If one of them cannot be
// decided, its result has the status, and the others are still decided. A repeat of a request
// with its key gets what the first one decided. If that was interrupted, the repeat decides the
// rest.
func (s *Service) DecideAll(
	ctx context.Context, caller access.Caller, request wire.DecideMemoriesRequest, key once.Request,
) (results []wire.MemoryDecision, replayed bool, err error) {
	if err := checkDecisions(request); err != nil {
		return nil, false, err
	}
	ended := key.Part("") // its UsedKey holds the results
	if results, replayed, err = s.allDecidedBefore(ctx, caller, key, ended); err != nil || replayed {
		return results, replayed, err
	}
	if err := s.use(ctx, caller, key, ""); err != nil {
		return nil, false, err
	}
	read := s.readOnce()
	for _, id := range request.MemoryIDs {
		decision, err := s.decideOne(ctx, caller, id, wire.MemoryActionRequest{Action: request.Action}, read, key.Part(id))
		result := wire.MemoryDecision{MemoryID: id, Status: wire.DecisionDone, Superseded: decision.Superseded}
		switch {
		case err == nil:
		case fault.Of(err).Code == wire.CodeNotFound:
			result.Status = wire.DecisionUnknown
		case fault.Of(err).Code == wire.CodeConflict:
			result.Status = wire.DecisionConflict
		default:
			return nil, false, err
		}
		results = append(results, result)
	}
	text, err := json.Marshal(results)
	if err == nil {
		err = s.use(ctx, caller, ended, string(text))
	}
	return results, false, err
}

func checkDecisions(request wire.DecideMemoriesRequest) error {
	if n := len(request.MemoryIDs); n == 0 || n > wire.MaxDecisions {
		return fault.Invalid("memory_ids", "memory_ids has %d entries, want 1 to %d", n, wire.MaxDecisions)
	}
	seen := map[string]bool{}
	for _, id := range request.MemoryIDs {
		if seen[id] {
			return fault.Invalid("memory_ids", "memory_ids has %q twice", id)
		}
		seen[id] = true
	}
	return checkAction(&wire.MemoryActionRequest{Action: request.Action})
}

// allDecidedBefore finds the results of an earlier request with this key.
func (s *Service) allDecidedBefore(
	ctx context.Context, caller access.Caller, key, ended once.Request,
) (results []wire.MemoryDecision, found bool, err error) {
	if _, _, err := key.Find(ctx, s.config.Store, caller.ProjectID, caller.UserID, s.now()); err != nil {
		return nil, false, err
	}
	used, found, err := ended.Find(ctx, s.config.Store, caller.ProjectID, caller.UserID, s.now())
	if err != nil || !found {
		return nil, false, err
	}
	return results, true, json.Unmarshal([]byte(used.Result), &results)
}

// use takes a key, unless an earlier try of the same request has it.
func (s *Service) use(ctx context.Context, caller access.Caller, key once.Request, result string) error {
	used := key.Use(caller.ProjectID, caller.UserID, "", s.now())
	if used == nil {
		return nil
	}
	used.Result = result
	nobody := Owner{ProjectID: caller.ProjectID}
	err := s.config.Store.ChangeMemories(ctx, nobody, "", func(State) (Changes, error) { return Changes{Key: used}, nil })
	if errors.Is(err, once.ErrTaken) {
		_, _, err = key.Find(ctx, s.config.Store, caller.ProjectID, caller.UserID, s.now())
	}
	return err
}

// readOnce reads all memories of an owner for the first decision about one of them, and nothing
// for the decisions that follow: the Machine itself reads what is new since then.
func (s *Service) readOnce() reader {
	readings := map[Owner]*Reading{}
	return func(ctx context.Context, owner Owner, _ wire.Memory, request wire.MemoryActionRequest) (reading *Reading, err error) {
		if request.Action == wire.ActionReject {
			return nil, nil
		}
		if readings[owner] == nil {
			readings[owner], err = s.readAll(ctx, owner)
		}
		return readings[owner], err
	}
}
