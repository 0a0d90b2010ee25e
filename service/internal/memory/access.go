package memory

import (
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
)

// sees narrows a list to what the caller may see: userID is the requested user, empty for all. It
// returns the user whose memories to list.
func sees(caller access.Caller, userID string) (string, error) {
	switch {
	case caller.Administers():
		return userID, nil
	case userID == "" || userID == caller.UserID:
		return caller.UserID, nil
	}
	return "", errOtherUser
}

// mayUse reports whether the caller may use an agent.
func (s *Service) mayUse(caller access.Caller, agentID string) bool {
	return slices.Contains(s.config.Agents, agentID) && caller.MayUse(agentID)
}

func (s *Service) agentsOf(caller access.Caller) []string {
	agents := []string{}
	for _, agentID := range s.config.Agents {
		if s.mayUse(caller, agentID) {
			agents = append(agents, agentID)
		}
	}
	return agents
}

// shownTo takes out of memories what only administrators may see.
func shownTo(caller access.Caller, memories []wire.Memory) []wire.Memory {
	if !caller.Administers() {
		for i := range memories {
			memories[i].Edits = nil
		}
	}
	return memories
}

// mayReview reports whether the caller may review a memory.
func (s *Service) mayReview(caller access.Caller, memory wire.Memory) bool {
	return s.mayUse(caller, memory.AgentID) && (caller.Administers() || memory.UserID == caller.UserID)
}
