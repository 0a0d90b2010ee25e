package knowledge

import (
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/access"
)

// Reach says whose documents a call may see.
type Reach struct {
	ProjectID string
	// UserID is the user whose documents are seen besides the project's;
	// empty means no user.
	UserID string
	// Everybody adds the documents of all users.
	Everybody bool
}

// reachOf returns what a caller may see.
func reachOf(caller access.Caller) Reach {
	return Reach{ProjectID: caller.ProjectID, UserID: caller.UserID, Everybody: caller.UserID == ""}
}

// owner returns the owner of documents that the caller uploads; empty means the project.
func (s *Service) owner(caller access.Caller) string {
	if caller.UserID == "" || len(s.administered(caller)) > 0 {
		return ""
	}
	return caller.UserID
}

// administered returns the agents that a token administers.
func (s *Service) administered(caller access.Caller) []Agent {
	if !caller.Admin {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.config.Agents), func(agent Agent) bool {
		return !caller.MayUse(agent.ID)
	})
}

// mayDelete reports whether the caller may delete a document that the caller may see.
func (s *Service) mayDelete(caller access.Caller, d Document) bool {
	if caller.UserID == "" || d.UserID != "" {
		return true
	}
	return slices.ContainsFunc(s.administered(caller), func(agent Agent) bool {
		return agent.Documents == nil || slices.Contains(agent.Documents, d.Key)
	})
}
