package memory

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
)

// Erasures returns the receipts of deletions of an agent's memories, newest first. next is the
// Before of the next page, 0 on the last page. Only administrators may see them.
func (s *Service) Erasures(ctx context.Context, caller access.Caller, agentID string, page Page) (erasures []wire.Erasure, next int64, err error) {
	if !s.mayUse(caller, agentID) {
		return nil, 0, errNoAgent
	}
	if !caller.Administers() {
		return nil, 0, errErasures
	}
	return s.config.Store.Erasures(ctx, caller.ProjectID, agentID, page)
}

// Answers returns the answers that had a memory in their prompt, newest first, with next as in
// Erasures. Answers of deleted chats are not listed.
func (s *Service) Answers(ctx context.Context, caller access.Caller, memoryID string, page Page) (answers []wire.MemoryAnswer, next int64, err error) {
	owner, err := s.owner(ctx, caller, memoryID)
	if err != nil {
		return nil, 0, err
	}
	return s.config.Store.AnswersOfMemory(ctx, owner, memoryID, page)
}

// room describes how full the prompt is with a user's approved memories, if these may take at
// most this many bytes.
func (s *Service) room(ctx context.Context, owner Owner, bytes int) (*wire.MemoryRoom, error) {
	memories, err := s.config.Store.ApprovedMemories(ctx, owner)
	if err != nil {
		return nil, err
	}
	section, _ := recalled(memories)
	return &wire.MemoryRoom{UsedBytes: len(section), RoomBytes: bytes, LeftOut: len(memories) - len(thatFit(memories, bytes))}, nil
}
