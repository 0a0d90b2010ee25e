// Package access says who calls, and whose data a call may reach. Begin with Caller.
package access

import "slices"

// Scope says whose chats a call may reach.
type Scope struct {
	ProjectID string
	// UserID owns what the call makes, and the call finds only what this user owns. Empty means
	// an API key that acts for no user: what it makes belongs to no user, and it finds everything
	// in the project.
	UserID string
}

// Caller is who calls.
type Caller struct {
	Scope
	// Agents are the ids of the agents that the caller may use: nil means all,
	// empty means none.
	Agents []string
	// Admin reports whether the caller has an access token of role admin. It allows more with the
	// memories of Agents and with the documents that these agents use. In everything else the
	// caller is a user like any other.
	Admin bool
}

// MayUse reports whether the caller may use an agent.
func (c Caller) MayUse(agentID string) bool {
	return c.Agents == nil || slices.Contains(c.Agents, agentID)
}

// Administers reports whether the caller acts for all users of the agents that it may use.
func (c Caller) Administers() bool { return c.Admin || c.UserID == "" }
