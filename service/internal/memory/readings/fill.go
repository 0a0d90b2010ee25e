package readings

import (
	"context"
	"fmt"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

const (
	project, agent = "project", "assistant"
	now            = 1_795_000_000
)

// Each is how many memories a user has. Of these, facts are of type fact. Two of the pending ones
// contradict approved ones.
const (
	Each     = 50
	approved = 30
	pending  = 10
	rejected = Each - approved - pending
	facts    = 17
)

// Fill stores the memories of this many users.
func Fill(ctx context.Context, store memory.Store, users int) error {
	for u := range users {
		owner := memory.Owner{ProjectID: project, AgentID: agent, UserID: fmt.Sprint("user", u)}
		err := store.ChangeMemories(ctx, owner, "", func(memory.State) (memory.Changes, error) { return memories(u), nil })
		if err != nil {
			return err
		}
	}
	return nil
}

func memories(user int) (changes memory.Changes) {
	for n := range Each {
		one := one(user, n)
		if one.Status == wire.MemoryPending && n%5 == 0 {
			changes.Conflicts = append(changes.Conflicts, [2]string{one.ID, fmt.Sprint("mem", user, "-", n-approved)})
		}
		changes.Added = append(changes.Added, one)
	}
	return changes
}

func one(user, n int) wire.Memory {
	one := wire.Memory{
		ID: fmt.Sprint("mem", user, "-", n), MemoryContent: fmt.Sprint("User has ", n, " apples"),
		MemoryType:      []string{wire.MemoryFact, wire.MemoryPreference, wire.MemoryContext}[n%3],
		ConfidenceScore: 0.9, CreatedAt: now, UpdatedAt: now, SourceMessageID: "msg",
		TriggeringMessage: fmt.Sprint("As I said before, I have ", n, " apples, and they are ripe."), Span: &wire.Span{Start: 18, End: 33},
	}
	switch {
	case n < approved:
		one.Status, one.ApprovedAt = wire.MemoryApproved, now
	case n < approved+pending:
		one.Status, one.ExpiresAt = wire.MemoryPending, now+1000
	default:
		one.Status, one.RejectReason, one.RejectedAt = wire.MemoryRejected, wire.RejectedByReviewer, now
	}
	return one
}
