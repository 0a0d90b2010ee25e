package sqlite

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

const (
	// selectCalls reads at most $1 bytes of each result.
	selectCalls = `
		SELECT tool_calls.position, tool_calls.project_id, tool_calls.user_id, version, call, substr(result, 1, $1),
			EXISTS (SELECT 1 FROM streams WHERE streams.id = stream_id AND ended_at IS NOT NULL)
		FROM tool_calls`
	seenCalls = selectCalls + ` JOIN chats ON chats.id = chat_id AND deleted_at IS NULL`
)

var callDialect = store.CallDialect{
	SelectCalls:     seenCalls,
	CallsOfStream:   selectCalls + ` WHERE stream_id = $2 ORDER BY position`,
	CallsOfMessages: selectCalls + ` WHERE message_id IN (SELECT value FROM json_each($2)) ORDER BY message_id, position`,
	ReadyCalls: seenCalls + `
		JOIN (
			SELECT position AS ready_at, row_number() OVER (PARTITION BY agent_id, name, user_id ORDER BY position) AS turn
			FROM tool_calls INDEXED BY tool_calls_ready WHERE due_at = 0
				AND (agent_id, name) NOT IN (SELECT value ->> 0, value ->> 1 FROM json_each($2))
				AND (agent_id, name, user_id) NOT IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each($3))
			ORDER BY turn, ready_at LIMIT $4
		) ON ready_at = tool_calls.position ORDER BY turn, ready_at`,
	ReadyArgs: readyArgs,
	NamesOfCalls: `
		SELECT message_id, json_extract(call, '$.name'), status, CASE WHEN length(call) <= 2048 THEN call END, substr(result, 1, 512) FROM tool_calls
		WHERE message_id IN (SELECT value FROM json_each(?)) ORDER BY message_id, position`,
	OnPaths: `
		WITH RECURSIVE
			wanted(chat, first) AS (SELECT chat_id, min(position) FROM messages WHERE id IN (SELECT value FROM json_each($1)) GROUP BY chat_id),
			path(place, above, first) AS (
				SELECT position, parent, first FROM wanted CROSS JOIN chats ON chats.id = chat CROSS JOIN messages ON position = path_end
				UNION ALL
				SELECT position, parent, first FROM path CROSS JOIN messages ON position = above WHERE above >= first
			)
		SELECT id FROM path CROSS JOIN messages ON position = place WHERE id IN (SELECT value FROM json_each($1))`,
	StatusOfCall: `
		SELECT status, version FROM tool_calls JOIN chats ON chats.id = chat_id AND deleted_at IS NULL WHERE tool_calls.id = ?`,
	UpdateCall: `
		UPDATE tool_calls SET status = $2, attempts = $3, due_at = $4, version = version + 1, call = $5, result = $6 WHERE id = $1`,
	RoundsOfStream: `SELECT text, calls, details FROM rounds WHERE stream_id = ? ORDER BY position`,
	ReadyTurns: `
		SELECT streams.id FROM streams JOIN messages ON messages.id = message_id JOIN chats ON chats.id = chat_id
		WHERE parked = 1 AND waits_for = 0 AND ended_at IS NULL AND deleted_at IS NULL LIMIT ?`,
	CountParked:    `SELECT count(*) FROM streams WHERE parked = 1 AND project_id = ? AND user_id = ? AND ended_at IS NULL`,
	CountAllParked: `SELECT count(*) FROM streams WHERE parked = 1 AND ended_at IS NULL`,
}

// loseCalls makes the calls due that the previous process was carrying out, because nobody carries
// them out any more.
const loseCalls = `UPDATE tool_calls SET due_at = 1 WHERE due_at IS NOT NULL AND status = 'running' AND kind <> 'page'`

// SetCall implements chat.Calls.
func (s *Store) SetCall(ctx context.Context, call toolcall.Call, used *once.UsedKey) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := store.Take(ctx, tx, used); err != nil {
			return err
		}
		changed, err := queries.SetCall(ctx, tx, call)
		if err != nil || !changed {
			return err
		}
		var over bool
		if err := store.OrNotFound(tx.Row(ctx, streamIsOver, call.StreamID).Scan(&over)); err != nil || over {
			return err
		}
		return s.append(ctx, tx, call.StreamID, toolcall.EventsOf(call))
	})
	return failed("change call", call.ID, err)
}

const (
	streamIsOver = `SELECT ended_at IS NOT NULL FROM streams WHERE id = ?`
	// insertCall needs no name: the column is computed.
	insertCall = `
		INSERT INTO tool_calls (id, stream_id, message_id, chat_id, project_id, user_id, agent_id, approval, kind,
			status, attempts, due_at, version, call, result)
		SELECT $1, $2, $3, $4, chats.project_id, coalesce(chats.user_id, ''), $5, $7, $8, $9, $10, $11, 1, $12, $13 FROM chats WHERE id = $4`
)

// readyArgs are the tools and the users whose calls can't begin, as lists of names.
func readyArgs(held toolcall.Held) []any {
	tools, users := [][]string{}, [][]string{}
	for _, one := range held.Tools {
		tools = append(tools, []string{one.AgentID, one.Name})
	}
	for _, one := range held.Users {
		users = append(users, []string{one.AgentID, one.Name, one.UserID})
	}
	return []any{tools, users}
}
