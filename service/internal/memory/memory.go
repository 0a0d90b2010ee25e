// Package memory is what agents remember of users: it finds what a message says about its writer,
// has it approved or rejected by a reviewer, and puts approved statements into the prompt. Begin
// with New.
//
// A Machine decides what may happen to the memories of one user and agent. It is pure: memories
// and a time go in, changes come out. A Store runs it within one transaction, so that only one of
// several simultaneous reviewers succeeds. The package knows neither HTTP nor SQL.
package memory

import (
	"crypto/rand"
	"strings"
)

// Owner is a user, and the agent that remembers this user.
type Owner struct {
	ProjectID, AgentID, UserID string
}

// newID makes an id that cannot be guessed.
func newID() string { return "mem_" + strings.ToLower(rand.Text()) }
