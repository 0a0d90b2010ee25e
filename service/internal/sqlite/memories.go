package sqlite

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/room"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const memoryColumns = `
	id, agent_id, user_id, content, type, confidence, status, reject_reason,
	created_at, updated_at, approved_at, rejected_at, expires_at,
	source_message_id, triggering_message, span_start, span_end, source_chat_id, details`

// contradicts begins a column that only a pending memory with conflicts has: the ids of what it
// contradicts, separated by spaces. A JSON array would take twice the time.
const contradicts = `,
	CASE WHEN status = 'pending' AND EXISTS (SELECT 1 FROM memory_conflicts WHERE memory_id = seen_memories.id) THEN (
		SELECT group_concat(other_id, ' ') FROM memory_conflicts JOIN seen_memories AS other ON other.id = other_id
		WHERE memory_id = seen_memories.id AND `

// withConflicts adds the approved and the pending memories that a pending one contradicts. Its
// parameter is the time.
const (
	withApproved  = memoryColumns + contradicts + `other.status = 'approved') END`
	withConflicts = withApproved + contradicts + `other.status = 'pending' AND other.expires_at > ?) END`
)

// scanMemory takes the columns as SQLite returns them, because converting each would take as long
// as reading it.
func scanMemory(row store.Row) (m wire.Memory, err error) {
	var c [21]any
	err = row.Scan(&c[0], &c[1], &c[2], &c[3], &c[4], &c[5], &c[6], &c[7], &c[8], &c[9],
		&c[10], &c[11], &c[12], &c[13], &c[14], &c[15], &c[16], &c[17], &c[18], &c[19], &c[20])
	if err != nil {
		return m, err
	}
	m = wire.Memory{
		ID: value[string](c[0]), AgentID: value[string](c[1]), UserID: value[string](c[2]),
		MemoryContent: value[string](c[3]), MemoryType: value[string](c[4]), ConfidenceScore: value[float64](c[5]),
		Status: value[string](c[6]), RejectReason: value[string](c[7]),
		CreatedAt: value[float64](c[8]), UpdatedAt: value[float64](c[9]),
		ApprovedAt: value[float64](c[10]), RejectedAt: value[float64](c[11]), ExpiresAt: value[float64](c[12]),
		SourceMessageID: value[string](c[13]), TriggeringMessage: value[string](c[14]), SourceChatID: value[string](c[17]),
	}
	if start, ok := c[15].(int64); ok {
		m.Span = &wire.Span{Start: int(start), End: int(value[int64](c[16]))}
	}
	m.ConflictsWith, m.ConflictsWithPending = idsIn(c[19]), idsIn(c[20])
	m.ConflictsWithPending = m.ConflictsWithPending[:min(len(m.ConflictsWithPending), memory.MaxPendingConflicts)]
	return m, memory.SetDetails(&m, value[string](c[18]))
}

// idsIn are the ids in a column, nil for none.
func idsIn(column any) []string {
	if text := value[string](column); text != "" {
		return strings.Fields(text)
	}
	return nil
}

// value is the value of a column of a strict table, the zero value for NULL.
func value[T any](column any) T {
	value, _ := column.(T)
	return value
}

// Memories implements memory.Records.
func (s *Store) Memories(ctx context.Context, query memory.Query) (page []wire.Memory, next int64, err error) {
	if query.Agents != nil && len(query.Agents) == 0 {
		return []wire.Memory{}, 0, nil
	}
	err = s.read(ctx, func(ctx context.Context, tx store.Session) error {
		text, args := memoriesQuery(query)
		if page, err = store.Collect(ctx, tx, room.Each(ctx, scanMemory, memory.Bytes), text, args...); err != nil || query.Limit == 0 || len(page) <= query.Limit {
			return err
		}
		page = page[:query.Limit]
		return tx.Row(ctx, placeOfMemory, page[query.Limit-1].ID).Scan(&next)
	})
	return page, next, failed("list memories of", query.ProjectID, err)
}

const placeOfMemory = `SELECT position FROM memories WHERE id = ?`

// memoriesQuery includes only the conditions that are set, so that each query can use an index.
func memoriesQuery(query memory.Query) (string, []any) {
	var text strings.Builder
	args := []any{query.Now, query.ProjectID}
	and := func(condition string, values ...any) {
		text.WriteString(" AND " + condition)
		args = append(args, values...)
	}
	text.WriteString(`SELECT ` + withConflicts + ` FROM seen_memories WHERE project_id = ?`)
	pendingOfUser := query.Status == wire.MemoryPending && query.UserID != ""
	switch {
	case query.Agents == nil:
	case len(query.Agents) == 1 && !pendingOfUser:
		and(`agent_id = ?`, query.Agents[0])
	default: // the plus makes SQLite use the index of pending memories, which has the order
		and(`+agent_id IN (?` + strings.Repeat(`, ?`, len(query.Agents)-1) + `)`)
		for _, agent := range query.Agents {
			args = append(args, agent)
		}
	}
	if query.UserID != "" {
		and(`user_id = ?`, query.UserID)
	}
	switch query.Status {
	case "":
	case wire.MemoryPending:
		and(`status = 'pending' AND expires_at > ?`, query.Now)
	case wire.MemoryRejected:
		and(`(status = 'rejected' OR status = 'pending' AND expires_at <= ?)`, query.Now)
	default:
		and(`status = ?`, query.Status)
	}
	if query.Type != "" {
		and(`type = ?`, query.Type)
	}
	if query.MessageID != "" {
		and(`source_message_id = ?`, query.MessageID)
	}
	if query.ChatID != "" {
		and(`source_chat_id = ?`, query.ChatID)
	}
	if query.Before > 0 {
		and(`position < ?`, query.Before)
	}
	text.WriteString(` ORDER BY position DESC`)
	if query.Limit > 0 {
		text.WriteString(` LIMIT ?`)
		args = append(args, query.Limit+1) // one more, to know whether there are more
	}
	return text.String(), args
}

// ofOwner is the condition of one user and agent: ?1 is the project, ?2 the
// agent, ?3 the user.
const ofOwner = `project_id = ?1 AND agent_id = ?2 AND user_id = ?3`

const approvedMemories = selectMemories + ` AND status = 'approved'`

// ApprovedMemories implements memory.Records.
func (s *Store) ApprovedMemories(ctx context.Context, owner memory.Owner) ([]wire.Memory, error) {
	all, err := store.Collect(ctx, s.now(), scanMemory, approvedMemories, owner.ProjectID, owner.AgentID, owner.UserID)
	slices.SortFunc(all, func(a, b wire.Memory) int {
		return cmp.Or(cmp.Compare(a.ApprovedAt, b.ApprovedAt), cmp.Compare(a.ID, b.ID))
	})
	return all, failed("read approved memories of", owner.AgentID, err)
}

const memoryByID = `SELECT ` + withApproved + `, NULL FROM seen_memories WHERE id = ? AND project_id = ?`

// Memory implements memory.Records.
func (s *Store) Memory(ctx context.Context, projectID, memoryID string) (wire.Memory, error) {
	all, err := store.Collect(ctx, s.now(), scanMemory, memoryByID, memoryID, projectID)
	if err == nil && len(all) == 0 {
		err = fault.ErrNotFound
	}
	if err != nil {
		return wire.Memory{}, failed("read memory", memoryID, err)
	}
	return all[0], nil
}

const (
	countMemories = `
		SELECT count(*), coalesce(sum(status = 'approved'), 0), coalesce(sum(status = 'pending' AND expires_at > ?3), 0),
			coalesce(sum(status = 'rejected' AND reject_reason = 'superseded'), 0), count(DISTINCT user_id)
		FROM seen_memories WHERE project_id = ?1 AND agent_id = ?2`
	countMemoriesOfUser = countMemories + ` AND user_id = ?4`
)

// CountMemories implements memory.Records.
func (s *Store) CountMemories(ctx context.Context, owner memory.Owner, now float64) (stats wire.MemoryStats, err error) {
	query, args := countMemories, []any{owner.ProjectID, owner.AgentID, now}
	if owner.UserID != "" {
		query, args = countMemoriesOfUser, append(args, owner.UserID)
	}
	row := s.now().Row(ctx, query, args...)
	err = row.Scan(&stats.Total, &stats.Approved, &stats.Pending, &stats.Superseded, &stats.Users)
	stats.Rejected = stats.Total - stats.Approved - stats.Pending
	return stats, failed("count memories of", owner.AgentID, err)
}
