package memory

import (
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Caller is who calls.
type Caller struct {
	ProjectID string
	// UserID is the user; empty is an API key that acts for nobody, which
	// administers every agent.
	UserID string
	// Admin is an access token that administers its Agents. Beside that it is
	// a user like any other.
	Admin bool
	// Agents are the ids of the agents that the caller may use: nil is all,
	// empty is none.
	Agents []string
}

// administers tells whether the caller reviews for all users of the agents
// that it may use.
func (c Caller) administers() bool { return c.Admin || c.UserID == "" }

// sees narrows a list to what the caller may see of it: userID is what was
// asked for, empty for all.
func (c Caller) sees(userID string) (string, error) {
	switch {
	case c.administers():
		return userID, nil
	case userID == "" || userID == c.UserID:
		return c.UserID, nil
	}
	return "", errOtherUser
}

// mayUse tells whether an agent exists for the caller.
func (s *Service) mayUse(caller Caller, agentID string) bool {
	return slices.Contains(s.config.Agents, agentID) && (caller.Agents == nil || slices.Contains(caller.Agents, agentID))
}

func (s *Service) agentsOf(caller Caller) []string {
	agents := []string{}
	for _, agentID := range s.config.Agents {
		if s.mayUse(caller, agentID) {
			agents = append(agents, agentID)
		}
	}
	return agents
}

// mayReview tells whether a memory exists for the caller.
func (s *Service) mayReview(caller Caller, memory wire.Memory) bool {
	return s.mayUse(caller, memory.AgentID) && (caller.administers() || memory.UserID == caller.UserID)
}
