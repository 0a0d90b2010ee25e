// Package readings has every read of memories that the service does for people and for the
// prompt, each with the plain query for the same rows. Tests count the queries and rows of each,
// and make bench-service measures their time. Begin with Fill.
package readings

import (
	"context"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// Reading is a read of a Service over a Store that Fill filled.
type Reading struct {
	Name string
	// Rows is how many rows it reads.
	Rows int
	Read func(ctx context.Context, s *memory.Service) error
	// Bare is the plain SQLite query for the same rows, in the same order.
	Bare string
}

// Service returns the Service to read with. For it, nothing that Fill stored has expired.
func Service(store memory.Store) *memory.Service {
	return memory.New(memory.Config{Store: store, Agents: []string{agent}, Now: func() time.Time { return time.Unix(now, 0) }})
}

const (
	columns = `SELECT id, agent_id, user_id, content, type, confidence, status, reject_reason, created_at, updated_at, approved_at,
		rejected_at, expires_at, source_message_id, triggering_message, span_start, span_end FROM memories WHERE project_id = 'project' AND `
	ofAgent = `agent_id = 'assistant'`
	ofUser  = ofAgent + ` AND user_id = 'user7'`
	inOrder = ` ORDER BY position DESC`
	counted = `SELECT count(*), sum(status = 'approved'), sum(status = 'pending'), count(DISTINCT user_id) FROM memories WHERE project_id = 'project' AND `
)

var (
	administrator = access.Caller{Scope: access.Scope{ProjectID: project}}
	user7         = access.Caller{Scope: access.Scope{ProjectID: project, UserID: "user7"}}
)

// Of returns the readings for this many users.
func Of(users int) []Reading {
	all := agentLists(users)
	all = append(all, userLists()...)
	all = append(all, pendingLists(users)...)
	return append(all,
		Reading{"statistics of an agent", 1, stats(administrator), counted + ofAgent},
		Reading{"statistics of a user", 1, stats(user7), counted + ofUser},
		Reading{"the prompt's section", approved, recall, columns + ofUser + ` AND status = 'approved'`},
	)
}

func agentLists(users int) []Reading {
	list := func(filter memory.Filter) func(context.Context, *memory.Service) error {
		return func(ctx context.Context, s *memory.Service) error {
			_, _, err := s.List(ctx, administrator, agent, filter)
			return err
		}
	}
	return []Reading{
		{"all of an agent", users * Each, list(memory.Filter{}), columns + ofAgent + inOrder},
		{"approved of an agent", users * approved, list(memory.Filter{Status: wire.MemoryApproved}),
			columns + ofAgent + ` AND status = 'approved'` + inOrder},
		{"rejected of an agent", users * rejected, list(memory.Filter{Status: wire.MemoryRejected}),
			columns + ofAgent + ` AND status = 'rejected'` + inOrder},
		{"pending of an agent", users * pending, list(memory.Filter{Status: wire.MemoryPending}),
			columns + ofAgent + ` AND status = 'pending'` + inOrder},
		{"facts of an agent", users * facts, list(memory.Filter{Type: wire.MemoryFact}),
			columns + ofAgent + ` AND type = 'fact'` + inOrder},
		{"a user's of an agent", Each, list(memory.Filter{UserID: "user7"}), columns + ofUser + inOrder},
	}
}

func userLists() []Reading {
	list := func(filter memory.Filter) func(context.Context, *memory.Service) error {
		return func(ctx context.Context, s *memory.Service) error {
			_, _, err := s.ListUser(ctx, user7, agent, "user7", filter)
			return err
		}
	}
	return []Reading{
		{"all of a user", Each, list(memory.Filter{}), columns + ofUser + inOrder},
		{"approved of a user", approved, list(memory.Filter{Status: wire.MemoryApproved}), columns + ofUser + ` AND status = 'approved'` + inOrder},
		{"facts of a user", facts, list(memory.Filter{Type: wire.MemoryFact}), columns + ofUser + ` AND type = 'fact'` + inOrder},
	}
}

func pendingLists(users int) []Reading {
	list := func(caller access.Caller, filter memory.PendingFilter) func(context.Context, *memory.Service) error {
		return func(ctx context.Context, s *memory.Service) error {
			_, _, err := s.Pending(ctx, caller, filter)
			return err
		}
	}
	return []Reading{
		{"the pending queue", users * pending, list(administrator, memory.PendingFilter{}), columns + ofAgent + ` AND status = 'pending'` + inOrder},
		{"the queue of a user", pending, list(administrator, memory.PendingFilter{UserID: "user7"}), columns + ofUser + ` AND status = 'pending'` + inOrder},
		{"a user's own queue", pending, list(user7, memory.PendingFilter{AgentID: agent}), columns + ofUser + ` AND status = 'pending'` + inOrder},
	}
}

func stats(caller access.Caller) func(context.Context, *memory.Service) error {
	return func(ctx context.Context, s *memory.Service) error {
		_, err := s.Stats(ctx, caller, agent, "")
		return err
	}
}

func recall(ctx context.Context, s *memory.Service) error {
	_, _, err := s.Recall(ctx, project, agent, "user7", 1<<20)
	return err
}
