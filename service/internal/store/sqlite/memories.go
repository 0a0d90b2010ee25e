package sqlite

import (
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

var memoryDialect = store.MemoryDialect{
	SeenMemories: `seen_memories`,
	MemoryColumns: `
		id, agent_id, user_id, content, type, confidence, status, reject_reason,
		created_at, updated_at, approved_at, rejected_at, expires_at,
		source_message_id, triggering_message, span_start, span_end, source_chat_id, details`,
	ContradictsApproved: contradicts + `other.status = 'approved') END`,
	ContradictsPending:  contradicts + `other.status = 'pending' AND other.expires_at > $1) END`,
	ContradictsNothing:  `, NULL`,
	ScanMemory:          scanMemory,
	InsertMemory: `
		INSERT INTO memories (id, project_id, agent_id, user_id, content, type, confidence, status, reject_reason,
			created_at, updated_at, approved_at, rejected_at, expires_at,
			source_message_id, triggering_message, span_start, span_end, details, source_chat_id, erasures)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, nullif($15, ''), nullif($16, ''), $17, $18, $19,
			(SELECT chat_id FROM messages WHERE id = $15), coalesce((` + erasuresOfOwner + `), 0))`,
	DeleteSpent: `
		DELETE FROM memories
		WHERE position IN (SELECT position FROM seen_memories WHERE ` + store.OfOwner + ` AND ` + store.IsSpent + ` ORDER BY position LIMIT $4)`,
	MarksOfOwner: `
		SELECT mark FROM memory_marks AS m WHERE ` + store.OfOwner + `
			AND erasures = coalesce((SELECT e.erasures FROM memory_erasures AS e
				WHERE e.project_id = $1 AND e.agent_id = $2 AND e.user_id = $3), 0)`,
	// InsertErasuresOfChat is for a chat, $1, that is about to be deleted.
	InsertErasuresOfChat: `
		INSERT INTO erasures (project_id, agent_id, kind, at, by, memories, sources)
		SELECT project_id, agent_id, 'chat', $2, $3, sum(status = 'pending' AND expires_at > $2), sum(status <> 'pending' OR expires_at <= $2)
		FROM memories WHERE source_chat_id = $1 AND EXISTS (SELECT 1 FROM seen_memories AS seen WHERE seen.position = memories.position)
		GROUP BY project_id, agent_id ORDER BY agent_id`,
	AnswersOf: `
		SELECT messages.position, chat_id, messages.id FROM chats JOIN messages ON chat_id = chats.id
		WHERE chats.project_id = $1 AND chats.user_id = $3 AND deleted_at IS NULL AND role = 'assistant' AND agent_id = $2
			AND instr(memory_ids, '"' || $4 || '"') > 0 AND messages.position < $5
		ORDER BY messages.position DESC LIMIT $6`,
	CountJobs: `SELECT count(*) FROM memory_jobs CROSS JOIN messages ON messages.id = message_id WHERE ` + chatIsThere,
}

// contradicts begins a column that only a pending memory with conflicts has: the ids of what it
// contradicts, separated by spaces. A JSON array would take twice the time.
const contradicts = `,
	CASE WHEN status = 'pending' AND EXISTS (SELECT 1 FROM memory_conflicts WHERE memory_id = seen_memories.id) THEN (
		SELECT group_concat(other_id, ' ') FROM memory_conflicts JOIN seen_memories AS other ON other.id = other_id
		WHERE memory_id = seen_memories.id AND `

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
