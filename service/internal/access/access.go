// Package access says who calls, and whose things a call may reach. Begin with
// Caller.
package access

import "slices"

// Scope is whose chats a call may reach.
type Scope struct {
	ProjectID string
	// UserID owns what is made and limits what is found to what this user owns.
	// Empty means an API key that acts for nobody: what it makes belongs to no
	// user, and it finds everything in the project.
	UserID string
}

// Caller is who calls.
type Caller struct {
	Scope
	// Agents are the ids of the agents that the caller may use: nil means all,
	// empty means none.
	Agents []string
	// Admin is an access token of role admin. It widens what the caller may do
	// with the memories of Agents and with the documents that these draw on.
	// Beside that it is a user like any other.
	Admin bool
}

// MayUse tells whether the caller may use an agent.
func (c Caller) MayUse(agentID string) bool {
	return c.Agents == nil || slices.Contains(c.Agents, agentID)
}

// Administers tells whether the caller acts for all users of the agents that it may
// use.
func (c Caller) Administers() bool { return c.Admin || c.UserID == "" }
