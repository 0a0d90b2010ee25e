package chat

import "context"

// Memory gives access to what agents remember of users.
type Memory interface {
	// Recall returns the part of a prompt with what an agent remembers of a user, in at most
	// this many bytes, and the ids of these memories; both are empty if there is nothing.
	Recall(ctx context.Context, projectID, agentID, userID string, bytes int) (section string, ids []string, err error)
	// Examines reports whether a message may be examined for memories, and whether the agent's
	// memory is on by default.
	Examines(agentID, message string) (examines, enabled bool)
	// Overlook says that a message was not examined because it is nobody's: an API key sent it
	// without a user.
	Overlook(ctx context.Context, projectID, agentID string)
	// Wake says that a message may be due to be examined. It doesn't block.
	Wake()
}

// remember adds to the prompt what the agent remembers of the chat's user, and lets the question
// be examined if that user wrote it. If the chat has no user, it does neither. What an API key
// writes in a user's chat is not examined, because the user did not say it.
func (s *Service) remember(ctx context.Context, a *asking) error {
	if s.config.Memory == nil {
		return nil
	}
	examines, enabled := s.config.Memory.Examines(a.Agent.ID, a.Question.Content)
	examines = examines && !a.again && !a.Question.IsTest
	if examines && a.scope.UserID == "" {
		s.config.Memory.Overlook(ctx, a.scope.ProjectID, a.Agent.ID)
	}
	userID, err := s.owner(ctx, *a)
	if err != nil || userID == "" {
		return err
	}
	for room := a.RoomForMemories(); ; room /= 2 {
		a.Memories, a.memoryIDs, err = s.config.Memory.Recall(ctx, a.scope.ProjectID, a.Agent.ID, userID, room)
		if err != nil {
			return err
		}
		if !a.TooManyMemories() {
			break
		}
	}
	if examines && a.scope.UserID != "" {
		a.examine = &Examine{AgentID: a.Agent.ID, Enabled: enabled}
	}
	return nil
}

// owner returns the user who owns the chat, even if another user writes in it.
func (s *Service) owner(ctx context.Context, a asking) (string, error) {
	if a.scope.UserID != "" || a.newChat != nil {
		return a.scope.UserID, nil
	}
	return s.config.Store.ChatOwner(ctx, a.scope, a.Question.ChatID)
}

// examine lets the question be examined, now that its answer has begun or has ended before its
// first word.
func (s *Service) examine(t *turn) {
	if t.request.examine != nil && !t.examined {
		t.examined = true
		s.config.Memory.Wake()
	}
}
