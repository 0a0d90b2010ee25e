// Package memory is what agents remember of users: it finds what a message
// says about its writer, has it approved or rejected by a reviewer, and puts
// what was approved into the prompt. Begin with New.
//
// What may happen to the memories of one user and agent is decided by a
// Machine, which is pure: memories and a time go in, changes come out. A Store
// runs it within one transaction, so that of several reviewers at once one
// wins. The package knows neither HTTP nor SQL.
package memory

import (
	"crypto/rand"
	"strings"
)

// Owner is the user whose memories they are, and the agent that has them.
type Owner struct {
	ProjectID, AgentID, UserID string
}

// newID makes an id that cannot be guessed.
func newID() string { return "mem_" + strings.ToLower(rand.Text()) }
