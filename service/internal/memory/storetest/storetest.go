// Package storetest defines in tests what a memory.Store must do. The tests of
// each store call Run.
package storetest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// Store keeps chats as well: messages are examined where they are kept.
type Store interface {
	memory.Store
	chat.Store
}

// rule is one thing that a Store must do.
type rule struct {
	name  string
	check func(t *testing.T, store Store)
}

// Run tests a store against every rule. It calls open for each; open returns a
// new, empty store each time and closes it with t.Cleanup. The rules run in
// parallel.
func Run(t *testing.T, open func(t *testing.T) Store) {
	t.Helper()
	for _, rule := range slices.Concat(recordRules, listRules, reviewRules, deleteRules, erasureRules, pageRules, spentRules, settingsRules, queueRules,
		jobRules, failureRules, concurrencyRules, raceRules) {
		t.Run(rule.name, func(t *testing.T) {
			t.Parallel()
			rule.check(t, open(t))
		})
	}
}

var (
	ann       = memory.Owner{ProjectID: "project", AgentID: "assistant", UserID: "ann"}
	bob       = memory.Owner{ProjectID: "project", AgentID: "assistant", UserID: "bob"}
	annOther  = memory.Owner{ProjectID: "project", AgentID: "other", UserID: "ann"}
	annAbroad = memory.Owner{ProjectID: "elsewhere", AgentID: "assistant", UserID: "ann"}
)

// pending is a memory as a Machine makes it at 100, with a week to live.
func pending(owner memory.Owner, id string) wire.Memory {
	return wire.Memory{
		ID: id, AgentID: owner.AgentID, UserID: owner.UserID, MemoryContent: "User has a " + id, MemoryType: wire.MemoryFact,
		ConfidenceScore: 0.75, Status: wire.MemoryPending, Origin: wire.OriginUser, CreatedAt: 100, UpdatedAt: 100, ExpiresAt: 700,
	}
}

func approved(owner memory.Owner, id string, at float64) wire.Memory {
	m := pending(owner, id)
	m.Status, m.UpdatedAt, m.ApprovedAt, m.ExpiresAt = wire.MemoryApproved, at, at, 0
	return m
}

func rejected(owner memory.Owner, id, reason string) wire.Memory {
	m := pending(owner, id)
	m.Status, m.UpdatedAt, m.RejectedAt, m.ExpiresAt, m.RejectReason = wire.MemoryRejected, 200, 200, 0, reason
	return m
}

func add(t *testing.T, store Store, owner memory.Owner, memories ...wire.Memory) {
	t.Helper()
	change(t, store, owner, memory.Changes{Added: memories})
}

func change(t *testing.T, store Store, owner memory.Owner, changes memory.Changes) {
	t.Helper()
	require.NoError(t, store.ChangeMemories(t.Context(), owner, "", func(memory.State) (memory.Changes, error) { return changes, nil }))
}

// all are the memories of a project, newest first.
func all(t *testing.T, store Store) []wire.Memory {
	t.Helper()
	return list(t, store, memory.Query{})
}

func list(t *testing.T, store Store, query memory.Query) []wire.Memory {
	t.Helper()
	if query.ProjectID == "" {
		query.ProjectID = "project"
	}
	memories, _, err := store.Memories(t.Context(), query)
	require.NoError(t, err)
	return memories
}

func ids(memories []wire.Memory) []string {
	list := []string{}
	for _, one := range memories {
		list = append(list, one.ID)
	}
	return list
}

// marks are marks that can be read.
func marks(id string) []string { return []string{"whole " + id, "part " + id} }

// receipt is of a deletion at 200.
var receipt = memory.Receipt{By: "root", At: 200}
