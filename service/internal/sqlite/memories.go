package sqlite

import (
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
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
