package postgres

import (
	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	memoryColumns = `
		id, agent_id, user_id, content, type, confidence, status, reject_reason,
		created_at, updated_at, approved_at, rejected_at, expires_at,
		coalesce(source_message_id, ''), coalesce(triggering_message, ''), span_start, span_end, coalesce(source_chat_id, ''),
		coalesce(details, '')`
	contradicted        = `FROM memory_conflicts JOIN memories AS other ON other.id = other_id WHERE memory_id = memories.id`
	contradictsApproved = `,
		CASE WHEN status = 'pending' THEN (SELECT array_agg(other_id ORDER BY other_id) ` + contradicted + ` AND other.status = 'approved') END`
	contradictsPending = `,
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
