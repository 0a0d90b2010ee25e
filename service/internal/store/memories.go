package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/room"
)

// OfOwner is the condition of one user and agent: $1 is the project, $2 the agent, $3 the user.
const OfOwner = `project_id = $1 AND agent_id = $2 AND user_id = $3`

// IsSpent must be the same as in the index memories_to_sweep.
const IsSpent = `status = 'rejected' AND reject_reason IN ('expired', 'superseded')`

const (
	UpdateMemory = `
		UPDATE memories
		SET status = $1, reject_reason = $2, updated_at = $3, approved_at = $4, rejected_at = $5, expires_at = $6, content = $7, type = $8, details = $9
		WHERE id = $10`
	PlaceOfMemory   = `SELECT position FROM memories WHERE id = $1`
	insertConflict  = `INSERT INTO memory_conflicts (memory_id, other_id) VALUES ($1, $2), ($2, $1)`
	DeleteConflicts = `DELETE FROM memory_conflicts WHERE memory_id = $1 OR other_id = $1`
)

// MemoryDialect is what one of the databases says differently of memories.
type MemoryDialect struct {
	// SeenMemories are the memories that were not erased.
	SeenMemories string
	// MemoryColumns are those that Scan reads, followed by two columns of what a pending memory contradicts:
	// approved memories and pending ones; $1 is the time. Or they are NULL.
	MemoryColumns, ContradictsApproved, ContradictsPending, ContradictsNothing string
	// ScanMemory scans these columns.
	ScanMemory func(Row) (wire.Memory, error)
	// ChatOfMessage is a further condition for the memories of a message, if these are found by its chat.
	ChatOfMessage string

	InsertMemory, DeleteSpent, MarksOfOwner, InsertErasuresOfChat, AnswersOf string
	// CountJobs counts the messages to examine, and can be followed by AND.
	CountJobs string
}

type memoryQueries struct {
	OpenMemories, OneMemory, OfReviewers, ApprovedMemories, MemoryByID string
	CountMemories, CountMemoriesOfUser, CountSpent, WaitingOf          string
}

func memoryQueriesOf(d Dialect) memoryQueries {
	// Several queries, because an approval need not read what reviewers have rejected.
	selectMemories := `SELECT ` + d.MemoryColumns + d.ContradictsNothing + d.ContradictsNothing + ` FROM ` + d.SeenMemories + ` WHERE ` + OfOwner
	countMemories := `
		SELECT count(*), count(*) FILTER (WHERE status = 'approved'), count(*) FILTER (WHERE status = 'pending' AND expires_at > $3),
			count(*) FILTER (WHERE status = 'rejected' AND reject_reason = 'superseded'), count(DISTINCT user_id)
		FROM ` + d.SeenMemories + ` WHERE project_id = $1 AND agent_id = $2`
	return memoryQueries{
		// Sorted are at most twice max_memories, and SQLite doesn't read the others.
		OpenMemories:     selectMemories + ` AND status IN ('pending', 'approved') ORDER BY ` + d.Plus + `position`,
		OneMemory:        selectMemories + ` AND id = $4`,
		OfReviewers:      selectMemories + ` AND status = 'rejected' AND reject_reason = 'reviewer'`,
		ApprovedMemories: selectMemories + ` AND status = 'approved'`,
		MemoryByID: `SELECT ` + d.MemoryColumns + d.ContradictsApproved + d.ContradictsNothing + ` FROM ` + d.SeenMemories + `
			WHERE id = $1 AND project_id = $2`,
		CountMemories:       countMemories,
		CountMemoriesOfUser: countMemories + ` AND user_id = $4`,
		CountSpent:          `SELECT count(*), count(*) FILTER (WHERE ` + IsSpent + `) FROM ` + d.SeenMemories + ` WHERE ` + OfOwner,
		WaitingOf:           d.CountJobs + ` AND project_id = $1 AND memory_jobs.agent_id = $2`,
	}
}

// Memories implements memory.Records.
func (t *Tables) Memories(ctx context.Context, query memory.Query) (page []wire.Memory, next int64, err error) {
	if query.Agents != nil && len(query.Agents) == 0 {
		return []wire.Memory{}, 0, nil
	}
	err = t.db.Read(ctx, func(ctx context.Context, tx Session) error {
		text, args := t.q.MemoriesQuery(query)
		if page, err = Collect(ctx, tx, room.Each(ctx, t.q.ScanMemory, memory.Bytes), text, args...); err != nil || query.Limit == 0 || len(page) <= query.Limit {
			return err
		}
		page = page[:query.Limit]
		return tx.Row(ctx, PlaceOfMemory, page[query.Limit-1].ID).Scan(&next)
	})
	return page, next, t.db.Failed("list memories of", query.ProjectID, err)
}

// MemoriesQuery returns the query of a list of memories, with its parameters.
func (q *Queries) MemoriesQuery(query memory.Query) (string, []any) {
	list := &List{Args: []any{query.Now}}
	list.Add(`SELECT ` + q.MemoryColumns + q.ContradictsApproved + q.ContradictsPending + ` FROM ` + q.SeenMemories)
	list.Add(` WHERE project_id = ?`, query.ProjectID)
	pendingOfUser := query.Status == wire.MemoryPending && query.UserID != ""
	switch {
	case query.Agents == nil:
	case len(query.Agents) == 1 && !(pendingOfUser && q.Plus != ""):
		list.And(`agent_id = ?`, query.Agents[0])
	default: // the plus makes SQLite use the index of pending memories, which has the order
		condition, values := q.OneOf(q.Plus+`agent_id`, query.Agents)
		list.And(condition, values...)
	}
	if query.UserID != "" {
		list.And(`user_id = ?`, query.UserID)
	}
	switch query.Status {
	case "":
	case wire.MemoryPending:
		list.And(`status = 'pending' AND expires_at > ?`, query.Now)
	case wire.MemoryRejected:
		list.And(`(status = 'rejected' OR status = 'pending' AND expires_at <= ?)`, query.Now)
	default:
		list.And(`status = ?`, query.Status)
	}
	if query.Type != "" {
		list.And(`type = ?`, query.Type)
	}
	if query.MessageID != "" && q.ChatOfMessage != "" {
		list.And(q.ChatOfMessage, query.MessageID)
	}
	if query.MessageID != "" {
		list.And(`source_message_id = ?`, query.MessageID)
	}
	if query.ChatID != "" {
		list.And(`source_chat_id = ?`, query.ChatID)
	}
	if query.Before > 0 {
		list.And(`position < ?`, query.Before)
	}
	list.Add(` ORDER BY position DESC`)
	if query.Limit > 0 {
		list.Add(` LIMIT ?`, query.Limit+1) // one more, to know whether there are more
	}
	return list.Text, list.Args
}

// ApprovedMemories implements memory.Records.
func (t *Tables) ApprovedMemories(ctx context.Context, owner memory.Owner) ([]wire.Memory, error) {
	all, err := t.q.memoriesOf(ctx, t.db.Now(), t.q.ApprovedMemories, owner)
	slices.SortFunc(all, func(a, b wire.Memory) int {
		return cmp.Or(cmp.Compare(a.ApprovedAt, b.ApprovedAt), cmp.Compare(a.ID, b.ID))
	})
	return all, t.db.Failed("read approved memories of", owner.AgentID, err)
}

func (q *Queries) memoriesOf(ctx context.Context, in Session, query string, owner memory.Owner, more ...any) ([]wire.Memory, error) {
	return Collect(ctx, in, q.ScanMemory, query, append([]any{owner.ProjectID, owner.AgentID, owner.UserID}, more...)...)
}

// Memory implements memory.Records.
func (t *Tables) Memory(ctx context.Context, projectID, memoryID string) (wire.Memory, error) {
	one, err := First(ctx, t.db.Now(), t.q.ScanMemory, t.q.MemoryByID, memoryID, projectID)
	return one, t.db.Failed("read memory", memoryID, err)
}

// CountMemories implements memory.Records.
func (t *Tables) CountMemories(ctx context.Context, owner memory.Owner, now float64) (stats wire.MemoryStats, err error) {
	query, args := t.q.CountMemories, []any{owner.ProjectID, owner.AgentID, now}
	if owner.UserID != "" {
		query, args = t.q.CountMemoriesOfUser, append(args, owner.UserID)
	}
	err = t.db.Now().Row(ctx, query, args...).Scan(&stats.Total, &stats.Approved, &stats.Pending, &stats.Superseded, &stats.Users)
	stats.Rejected = stats.Total - stats.Approved - stats.Pending
	return stats, t.db.Failed("count memories of", owner.AgentID, err)
}
