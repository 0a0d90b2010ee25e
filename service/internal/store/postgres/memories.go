package postgres

import (
	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const contradicted = `FROM memory_conflicts JOIN memories AS other ON other.id = other_id WHERE memory_id = memories.id`

var memoryDialect = store.MemoryDialect{
	SeenMemories: `memories`,
	MemoryColumns: `
		id, agent_id, user_id, content, type, confidence, status, reject_reason,
		created_at, updated_at, approved_at, rejected_at, expires_at,
		coalesce(source_message_id, ''), coalesce(triggering_message, ''), span_start, span_end, coalesce(source_chat_id, ''),
		coalesce(details, '')`,
	ContradictsApproved: `,
		CASE WHEN status = 'pending' THEN (SELECT array_agg(other_id ORDER BY other_id) ` + contradicted + ` AND other.status = 'approved') END`,
	ContradictsPending: `,
		CASE WHEN status = 'pending' THEN NULLIF(ARRAY(
			SELECT other_id ` + contradicted + ` AND other.status = 'pending' AND other.expires_at > $1 ORDER BY other_id
		), '{}') END`,
	ContradictsNothing: `, NULL::text[]`,
	ScanMemory:         scanMemory,
	ChatOfMessage:      `source_chat_id = (SELECT chat_id FROM messages WHERE id = ?)`, // which has an index
	InsertMemory: `
			INSERT INTO memories (id, project_id, agent_id, user_id, content, type, confidence, status, reject_reason,
				created_at, updated_at, approved_at, rejected_at, expires_at,
				source_message_id, triggering_message, span_start, span_end, details, source_chat_id)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, nullif($15, ''), nullif($16, ''), $17, $18, $19,
				(SELECT chat_id FROM messages WHERE id = $15))`,
	DeleteSpent: `
		DELETE FROM memories WHERE id IN (SELECT id FROM memories WHERE ` + store.OfOwner + ` AND ` + store.IsSpent + ` ORDER BY position LIMIT $4)`,
	MarksOfOwner: `SELECT mark FROM memory_marks WHERE ` + store.OfOwner,
	// InsertErasuresOfChat is for a chat, $1, that is about to be deleted.
	InsertErasuresOfChat: `
		INSERT INTO erasures (project_id, agent_id, kind, at, by, memories, sources)
		SELECT project_id, agent_id, 'chat', $2, $3, count(*) FILTER (WHERE status = 'pending' AND expires_at > $2),
			count(*) FILTER (WHERE status <> 'pending' OR expires_at <= $2)
		FROM memories WHERE source_chat_id = $1 GROUP BY project_id, agent_id ORDER BY agent_id`,
	// AnswersOf reads the messages of one user first. In a single part, PostgreSQL may walk
	// through the messages of all users backwards in the hope of finding enough soon.
	AnswersOf: `
		WITH answers AS MATERIALIZED (
			SELECT messages.position, chat_id, messages.id FROM chats JOIN messages ON chat_id = chats.id
			WHERE chats.project_id = $1 AND chats.user_id = $3 AND role = 'assistant' AND agent_id = $2
				AND strpos(memory_ids, '"' || $4::text || '"') > 0 AND messages.position < $5
		)
		SELECT position, chat_id, id FROM answers ORDER BY position DESC LIMIT $6`,
	CountJobs: `SELECT count(*) FROM memory_jobs WHERE true`,
}

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
