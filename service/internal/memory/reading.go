package memory

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

// Reading holds the forms of memories, by their content, that were read and compared
// before a transaction begins: inside it, that would take longer than all the rest,
// and hold up every other writer. What it lacks, a Machine reads and compares itself.
type Reading struct {
	at    map[string]int
	forms []canon.Form
}

// verdict is how a statement compares with another.
type verdict struct{ same, close, contradicts bool }

// add reads a statement unless it was read.
func (r *Reading) add(content string, read func() canon.Form) {
	if _, found := r.at[content]; !found {
		r.at[content] = len(r.forms)
		r.forms = append(r.forms, read())
	}
}

// find is the place of a statement, -1 if it was not read.
func (r *Reading) find(content string) int {
	if r == nil {
		return -1
	}
	if at, found := r.at[content]; found {
		return at
	}
	return -1
}

// readMemories reads those that a decision may compare.
func readMemories(memories []wire.Memory) *Reading {
	r := &Reading{at: make(map[string]int, len(memories))}
	for _, one := range memories {
		if one.Status != wire.MemoryRejected || one.RejectReason == wire.RejectedByReviewer {
			r.add(one.MemoryContent, func() canon.Form { return canon.Of(one.MemoryContent) })
			if one.OriginalContent != "" {
				r.add(one.OriginalContent, func() canon.Form { return canon.Of(one.OriginalContent) })
			}
		}
	}
	return r
}

// readFor reads all that an owner has, and compares what was found with it.
func (s *Service) readFor(ctx context.Context, owner Owner, found []Detected) (*Reading, error) {
	if len(found) == 0 {
		return nil, nil
	}
	r, err := s.readAll(ctx, owner)
	if err != nil {
		return nil, err
	}
	for _, one := range found {
		r.add(one.Memory.MemoryContent, func() canon.Form { return one.Form })
	}
	for i := range found {
		for _, other := range r.forms {
			found[i].verdicts = append(found[i].verdicts, verdict{
				same: other.SameAs(found[i].Form), close: other.CloseTo(found[i].Form), contradicts: other.Contradicts(found[i].Form),
			})
		}
	}
	return r, nil
}

// readAll reads all that an owner has.
func (s *Service) readAll(ctx context.Context, owner Owner) (*Reading, error) {
	memories, _, err := s.config.Store.Memories(ctx, Query{
		ProjectID: owner.ProjectID, Agents: []string{owner.AgentID}, UserID: owner.UserID, Now: s.now(),
	})
	return readMemories(memories), err
}

// readToDecide reads what one decision compares: nothing to reject, everything where the
// statement is new, or was superseded and may have been said again since.
func (s *Service) readToDecide(ctx context.Context, owner Owner, memory wire.Memory, request wire.MemoryActionRequest) (*Reading, error) {
	switch {
	case request.Action == wire.ActionReject:
		return nil, nil
	case request.MemoryContent != nil, memory.SupersededBy != "":
		return s.readAll(ctx, owner)
	}
	return s.readInUse(ctx, owner, memory)
}

// readInUse reads what an owner's agent uses, and a memory that is about to be
// approved.
func (s *Service) readInUse(ctx context.Context, owner Owner, approved wire.Memory) (*Reading, error) {
	memories, err := s.config.Store.ApprovedMemories(ctx, owner)
	return readMemories(append(memories, approved)), err
}
