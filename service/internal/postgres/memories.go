package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/room"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// The columns of a memory end with the approved and the pending memories that a pending one
// contradicts; $1 is the time of withConflicts.
const (
	plainColumns = `
		id, agent_id, user_id, content, type, confidence, status, reject_reason,
		created_at, updated_at, approved_at, rejected_at, expires_at,
		coalesce(source_message_id, ''), coalesce(triggering_message, ''), span_start, span_end, coalesce(source_chat_id, ''),
		coalesce(details, '')`
	contradicted        = `FROM memory_conflicts JOIN memories AS other ON other.id = other_id WHERE memory_id = memories.id`
	contradictsApproved = `,
		CASE WHEN status = 'pending' THEN (SELECT array_agg(other_id ORDER BY other_id) ` + contradicted + ` AND other.status = 'approved') END`
	withConflicts = plainColumns + contradictsApproved + `,
		CASE WHEN status = 'pending' THEN NULLIF(ARRAY(
			SELECT other_id ` + contradicted + ` AND other.status = 'pending' AND other.expires_at > $1 ORDER BY other_id
		), '{}') END`
)

func scanMemory(row store.Row) (m wire.Memory, err error) {
	var start, end *int
	var approved, pending []string
	var details string
	err = row.Scan(&m.ID, &m.AgentID, &m.UserID, &m.MemoryContent, &m.MemoryType, &m.ConfidenceScore, &m.Status, &m.RejectReason,
		&m.CreatedAt, &m.UpdatedAt, &m.ApprovedAt, &m.RejectedAt, &m.ExpiresAt,
		&m.SourceMessageID, &m.TriggeringMessage, &start, &end, &m.SourceChatID, &details, &approved, &pending)
	if err != nil {
		return m, err
	}
	if start != nil && end != nil {
		m.Span = &wire.Span{Start: *start, End: *end}
	}
	m.ConflictsWith, m.ConflictsWithPending = approved, pending[:min(len(pending), memory.MaxPendingConflicts)]
	return m, memory.SetDetails(&m, details)
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

const placeOfMemory = `SELECT position FROM memories WHERE id = $1`

// memoriesQuery includes only the conditions that are set, so that each query can use an index.
func memoriesQuery(query memory.Query) (string, []any) {
	var text strings.Builder
	args := []any{query.Now}
	and := func(condition string, value any) {
		args = append(args, value)
		text.WriteString(" AND " + strings.ReplaceAll(condition, "$", fmt.Sprint("$", len(args))))
	}
	text.WriteString(`SELECT ` + withConflicts + ` FROM memories WHERE true`)
	and(`project_id = $`, query.ProjectID)
	switch {
	case query.Agents == nil:
	case len(query.Agents) == 1:
		and(`agent_id = $`, query.Agents[0])
	default:
		and(`agent_id = ANY($)`, query.Agents)
	}
	if query.UserID != "" {
		and(`user_id = $`, query.UserID)
	}
	switch query.Status {
	case "":
	case wire.MemoryPending:
		and(`status = 'pending' AND expires_at > $`, query.Now)
	case wire.MemoryRejected:
		and(`(status = 'rejected' OR status = 'pending' AND expires_at <= $)`, query.Now)
	default:
		and(`status = $`, query.Status)
	}
	if query.Type != "" {
		and(`type = $`, query.Type)
	}
	if query.MessageID != "" { // searched by its chat, which has an index
		and(`source_chat_id = (SELECT chat_id FROM messages WHERE id = $)`, query.MessageID)
		and(`source_message_id = $`, query.MessageID)
	}
	if query.ChatID != "" {
		and(`source_chat_id = $`, query.ChatID)
	}
	if query.Before > 0 {
		and(`position < $`, query.Before)
	}
	text.WriteString(` ORDER BY position DESC`)
	if query.Limit > 0 {
		args = append(args, query.Limit+1) // one more, to know whether there are more
		text.WriteString(fmt.Sprint(` LIMIT $`, len(args)))
	}
	return text.String(), args
}

// ofOwner is the condition of one user and agent: $1 is the project, $2 the
// agent, $3 the user.
const ofOwner = `project_id = $1 AND agent_id = $2 AND user_id = $3`

const approvedMemories = selectMemories + ` AND status = 'approved'`

// ApprovedMemories implements memory.Records.
func (s *Store) ApprovedMemories(ctx context.Context, owner memory.Owner) ([]wire.Memory, error) {
	all, err := memoriesOf(ctx, s.now(), approvedMemories, owner)
	slices.SortFunc(all, func(a, b wire.Memory) int {
		return cmp.Or(cmp.Compare(a.ApprovedAt, b.ApprovedAt), cmp.Compare(a.ID, b.ID))
	})
	return all, failed("read approved memories of", owner.AgentID, err)
}

const memoryByID = `SELECT ` + plainColumns + contradictsApproved + `, NULL::text[] FROM memories WHERE id = $1 AND project_id = $2`

// Memory implements memory.Records.
func (s *Store) Memory(ctx context.Context, projectID, memoryID string) (wire.Memory, error) {
	one, err := scanMemory(s.now().Row(ctx, memoryByID, memoryID, projectID))
	if err != nil {
		return wire.Memory{}, failed("read memory", memoryID, store.OrNotFound(err))
	}
	return one, nil
}

const (
	countMemories = `
		SELECT count(*), count(*) FILTER (WHERE status = 'approved'), count(*) FILTER (WHERE status = 'pending' AND expires_at > $3),
			count(*) FILTER (WHERE status = 'rejected' AND reject_reason = 'superseded'), count(DISTINCT user_id)
		FROM memories WHERE project_id = $1 AND agent_id = $2`
	countMemoriesOfUser = countMemories + ` AND user_id = $4`
)

// CountMemories implements memory.Records.
func (s *Store) CountMemories(ctx context.Context, owner memory.Owner, now float64) (stats wire.MemoryStats, err error) {
	query, args := countMemories, []any{owner.ProjectID, owner.AgentID, now}
	if owner.UserID != "" {
		query, args = countMemoriesOfUser, append(args, owner.UserID)
	}
	err = s.now().Row(ctx, query, args...).Scan(&stats.Total, &stats.Approved, &stats.Pending, &stats.Superseded, &stats.Users)
	stats.Rejected = stats.Total - stats.Approved - stats.Pending
	return stats, failed("count memories of", owner.AgentID, err)
}
