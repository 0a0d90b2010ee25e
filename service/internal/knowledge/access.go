package knowledge

import "slices"

// Caller is who calls.
type Caller struct {
	ProjectID string
	// UserID is the user; empty is an API key that acts for nobody, which
	// administers the project.
	UserID string
	// Admin is an access token that administers what its Agents draw on. Beside
	// that it is a user like any other.
	Admin bool
	// Agents are the ids of the agents that the caller may use: nil is all,
	// empty is none.
	Agents []string
}

// Reach is whose documents a call may see.
type Reach struct {
	ProjectID string
	// UserID is the user whose documents are seen beside the project's; empty
	// is none.
	UserID string
	// Everybody adds the documents of all users.
	Everybody bool
}

func (c Caller) reach() Reach {
	return Reach{ProjectID: c.ProjectID, UserID: c.UserID, Everybody: c.UserID == ""}
}

// owner is whose what the caller uploads is: empty is the project's.
func (s *Service) owner(caller Caller) string {
	if caller.UserID == "" || len(s.administered(caller)) > 0 {
		return ""
	}
	return caller.UserID
}

// administered are the agents whose documents a token administers.
func (s *Service) administered(caller Caller) []Agent {
	if !caller.Admin {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.config.Agents), func(agent Agent) bool {
		return caller.Agents != nil && !slices.Contains(caller.Agents, agent.ID)
	})
}

// mayDelete tells whether a document that the caller sees is theirs to delete.
func (s *Service) mayDelete(caller Caller, d Document) bool {
	if caller.UserID == "" || d.UserID != "" {
		return true
	}
	return slices.ContainsFunc(s.administered(caller), func(agent Agent) bool {
		return agent.Documents == nil || slices.Contains(agent.Documents, d.Key)
	})
}
