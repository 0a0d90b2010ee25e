package chat

import "context"

// Memory is what agents remember of users.
type Memory interface {
	// Recall gives the part of a prompt that holds what an agent remembers of
	// a user, in at most so many bytes, and the ids of the memories that stand
	// in it; both empty for nothing.
	Recall(ctx context.Context, projectID, agentID, userID string, bytes int) (section string, ids []string, err error)
	// Examines tells whether a message is one that may be examined for
	// memories, and whether the agent's memory is on where nobody has set that.
	Examines(agentID, message string) (examines, enabled bool)
	// Wake tells that a message may be due to be examined. It doesn't block.
	Wake()
}

// remember adds what the agent remembers of the chat's user, and has the question
// of that user examined. In a chat that belongs to no user it does
// neither, and what an API key writes in a user's chat is not the user's own word.
func (s *Service) remember(ctx context.Context, b *basis) error {
	if s.config.Memory == nil {
		return nil
	}
	userID, err := s.owner(ctx, b.asking)
	if err != nil || userID == "" {
		return err
	}
	b.memories, b.memoryIDs, err = s.config.Memory.Recall(ctx, b.scope.ProjectID, b.agent.ID, userID, b.roomForMemories())
	if err != nil {
		return err
	}
	if b.again || b.scope.UserID == "" {
		return nil
	}
	examines, enabled := s.config.Memory.Examines(b.agent.ID, b.question.Content)
	if examines && !b.question.IsTest {
		b.examine = &Examine{AgentID: b.agent.ID, Enabled: enabled}
	}
	return nil
}

// memoryShare is what part of a window memories take at most.
const memoryShare = 4

// roomForMemories is in bytes: their share of the window, and no more than what
// else always stands in the prompt leaves, so that no send fails because of
// memories.
func (b basis) roomForMemories() int {
	window := b.agent.window()
	left := bytesOf(window-asked(b.question).Cost()-b.costOfTools()) - len(b.always(b.library, "", nil)) - len(partGap)
	return min(b.agent.MemoryRoom(), left)
}

// owner is the user whom the chat belongs to, whoever writes in it.
func (s *Service) owner(ctx context.Context, a asking) (string, error) {
	if a.scope.UserID != "" || a.newChat != nil {
		return a.scope.UserID, nil
	}
	return s.config.Store.ChatOwner(ctx, a.scope, a.question.ChatID)
}

// examine has the question examined now that its answer has begun, or ended
// before its first word.
func (s *Service) examine(t *turn) {
	if t.basis.examine != nil && !t.examined {
		t.examined = true
		s.config.Memory.Wake()
	}
}
