package memory

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

// Reading holds the parsed forms of memories, by their content. They are parsed and compared
// before a transaction begins, because inside it this would take longer than everything else and
// block every other writer. A Machine parses and compares what a Reading lacks.
type Reading struct {
	at    map[string]int
	forms []canon.Form
}

// verdict is the result of comparing two statements.
type verdict struct{ same, close, contradicts bool }

// add parses a statement unless it was parsed before.
func (r *Reading) add(content string, read func() canon.Form) {
	if _, found := r.at[content]; !found {
		r.at[content] = len(r.forms)
		r.forms = append(r.forms, read())
	}
}

// find returns the index of a statement, -1 if it was not parsed.
func (r *Reading) find(content string) int {
	if r == nil {
		return -1
	}
	if at, found := r.at[content]; found {
		return at
	}
	return -1
}

// readMemories parses the memories that a decision may compare.
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

// readFor parses all memories of an owner, and compares with them what was found.
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

// readAll parses all memories of an owner.
func (s *Service) readAll(ctx context.Context, owner Owner) (*Reading, error) {
	memories, _, err := s.config.Store.Memories(ctx, Query{
		ProjectID: owner.ProjectID, Agents: []string{owner.AgentID}, UserID: owner.UserID, Now: s.now(),
	})
	return readMemories(memories), err
}

// readToDecide parses what one decision compares: nothing for a rejection, and everything if the
// statement is new, or was superseded and may have been repeated since.
func (s *Service) readToDecide(ctx context.Context, owner Owner, memory wire.Memory, request wire.MemoryActionRequest) (*Reading, error) {
	switch {
	case request.Action == wire.ActionReject:
		return nil, nil
	case request.MemoryContent != nil, memory.SupersededBy != "":
		return s.readAll(ctx, owner)
	}
	return s.readInUse(ctx, owner, memory)
}

// readInUse parses the memories that an owner's agent uses, and one that is about to be approved.
func (s *Service) readInUse(ctx context.Context, owner Owner, approved wire.Memory) (*Reading, error) {
	memories, err := s.config.Store.ApprovedMemories(ctx, owner)
	return readMemories(append(memories, approved)), err
}
