package postgres

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

const (
	// selectCalls reads at most $1 bytes of each result.
	selectCalls = `
		SELECT position, tool_calls.project_id, tool_calls.user_id, version, call, substr(result, 1, $1), ended_at IS NOT NULL
		FROM tool_calls JOIN streams ON streams.id = stream_id JOIN chats ON chats.id = tool_calls.chat_id`
)

var callDialect = store.CallDialect{
	SelectCalls:     selectCalls,
	CallsOfStream:   selectCalls + ` WHERE stream_id = $2 AND tool_calls.message_id = streams.message_id ORDER BY position`,
	CallsOfMessages: selectCalls + ` WHERE tool_calls.message_id = ANY($2) ORDER BY position`,
	ReadyCalls: selectCalls + `
		JOIN (
			SELECT position AS ready_at, row_number() OVER (PARTITION BY agent_id, name, user_id ORDER BY position) AS turn
			FROM tool_calls WHERE due_at = 0
				AND (agent_id, name) NOT IN (SELECT * FROM unnest($2::text[], $3::text[]))
				AND (agent_id, name, user_id) NOT IN (SELECT * FROM unnest($4::text[], $5::text[], $6::text[]))
			ORDER BY turn, ready_at LIMIT $7
		) AS ready ON ready_at = tool_calls.position ORDER BY turn, ready_at`,
	ReadyArgs: readyArgs,
	NamesOfCalls: `
		SELECT message_id, name, status, CASE WHEN length(call) <= 2048 THEN call END, substr(result, 1, 512)
		FROM tool_calls WHERE message_id = ANY($1) ORDER BY position`,
	OnPaths: `
		WITH RECURSIVE
			wanted(chat, first) AS (SELECT chat_id, min(position) FROM messages WHERE id = ANY($1) GROUP BY chat_id),
			path(place, above, first) AS (
				SELECT position, parent, first FROM wanted JOIN chats ON chats.id = chat JOIN messages ON position = path_end
				UNION ALL
				SELECT position, parent, first FROM path JOIN messages ON position = above WHERE above >= first
			)
		SELECT id FROM path JOIN messages ON position = place WHERE id = ANY($1)`,
	StatusOfCall: `SELECT status, version FROM tool_calls WHERE id = $1`,
	UpdateCall: `
		UPDATE tool_calls SET status = $2, attempts = $3, due_at = $4, version = version + 1, call = $5, result = $6,
			owner = CASE WHEN $2 <> 'running' OR kind = 'page' THEN NULL WHEN status = 'running' THEN owner ELSE $7 END
		WHERE id = $1`,
	RoundsOfStream: `SELECT text, calls, details FROM rounds WHERE stream_id = $1 ORDER BY epoch`,
	ReadyTurns:     `SELECT id FROM streams WHERE ` + isParked + ` AND (waits_for = 0 OR stop_asked) LIMIT $1`,
	CountParked:    `SELECT count(*) FROM streams WHERE project_id = $1 AND user_id = $2 AND ` + isParked,
	CountAllParked: `SELECT count(*) FROM streams WHERE ` + isParked,
}

const holdStream = `SELECT ended_at IS NOT NULL FROM streams WHERE id = $1 FOR NO KEY UPDATE`

// SetCall implements chat.Calls.
func (s *Store) SetCall(ctx context.Context, call toolcall.Call, used *once.UsedKey) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := store.Take(ctx, tx, used); err != nil {
			return err
		}
		var over bool
		if err := store.OrNotFound(tx.Row(ctx, holdStream, call.StreamID).Scan(&over)); err != nil {
			return err
		}
		changed, err := queries.SetCall(ctx, tx, call, s.replica)
		if err != nil || !changed || over {
			return err
		}
		return tellOf(ctx, tx, call)
	})
	return failed("change call", call.ID, err)
}

const nextEvent = `UPDATE streams SET last_id = last_id + 1 WHERE id = $1 RETURNING last_id`

// tellOf tells the readers of an open stream the state of a call.
func tellOf(ctx context.Context, tx store.Session, call toolcall.Call) error {
	for _, event := range toolcall.EventsOf(call) {
		if err := tellNext(ctx, tx, call.StreamID, event); err != nil {
			return err
		}
	}
	return nil
}

// tellNext stores the next event of a stream that is open and locked.
func tellNext(ctx context.Context, tx store.Session, streamID string, event chat.Event) error {
	var id int64
	if err := tx.Row(ctx, nextEvent, streamID).Scan(&id); err != nil {
		return err
	}
	return insertEvents(ctx, tx, streamID, id-1, []chat.Event{event})
}

const (
	// loseCalls makes calls due whose owner's lease has expired or was given up, because nobody
	// carries them out any more.
	loseCalls = `
		UPDATE tool_calls SET due_at = 1 WHERE status = 'running' AND owner IS NOT NULL AND due_at <> 1
			AND NOT EXISTS (SELECT 1 FROM replicas WHERE replicas.id = owner AND lease_until >= clock_timestamp())`
	insertCall = `
		INSERT INTO tool_calls (id, stream_id, message_id, chat_id, project_id, user_id, agent_id, name, approval, kind,
			status, attempts, due_at, version, call, result)
		SELECT $1, $2, $3, $4, chats.project_id, coalesce(chats.user_id, ''), $5, $6, $7, $8, $9, $10, $11, 1, $12, $13
		FROM chats WHERE id = $4`
)

// readyArgs are the tools and the users whose calls can't begin, a list for each column.
func readyArgs(held toolcall.Held) []any {
	var tools, users [3][]string
	for _, one := range held.Tools {
		tools[0], tools[1] = append(tools[0], one.AgentID), append(tools[1], one.Name)
	}
	for _, one := range held.Users {
		users[0], users[1], users[2] = append(users[0], one.AgentID), append(users[1], one.Name), append(users[2], one.UserID)
	}
	return []any{tools[0], tools[1], users[0], users[1], users[2]}
}
