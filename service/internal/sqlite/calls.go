package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/room"
	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

const (
	// selectCalls reads at most as many bytes of each result as its first argument says.
	selectCalls = `
		SELECT tool_calls.position, tool_calls.project_id, tool_calls.user_id, version, call, substr(result, 1, $1),
			EXISTS (SELECT 1 FROM streams WHERE streams.id = stream_id AND ended_at IS NOT NULL)
		FROM tool_calls`
	seenCalls       = selectCalls + ` JOIN chats ON chats.id = chat_id AND deleted_at IS NULL`
	callByID        = seenCalls + ` WHERE tool_calls.id = $2 AND tool_calls.project_id = $3`
	callsOfStream   = selectCalls + ` WHERE stream_id = $2 ORDER BY position`
	callsOfMessages = selectCalls + ` WHERE message_id IN (SELECT value FROM json_each($2)) ORDER BY message_id, position`
	dueCalls        = seenCalls + ` WHERE due_at > 0 AND due_at <= $2 ORDER BY due_at LIMIT $3`
	readyCalls      = seenCalls + `
		JOIN (
			SELECT position AS ready_at, row_number() OVER (PARTITION BY agent_id, name, user_id ORDER BY position) AS turn
			FROM tool_calls INDEXED BY tool_calls_ready WHERE due_at = 0
				AND (agent_id, name) NOT IN (SELECT value ->> 0, value ->> 1 FROM json_each($2))
				AND (agent_id, name, user_id) NOT IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each($3))
			ORDER BY turn, ready_at LIMIT $4
		) ON ready_at = tool_calls.position ORDER BY turn, ready_at`
	wholeResult = toolcall.MaxResult
)

// loseCalls makes the calls due that the previous process was carrying out, because nobody carries
// them out any more.
const loseCalls = `UPDATE tool_calls SET due_at = 1 WHERE due_at IS NOT NULL AND status = 'running' AND kind <> 'page'`

type scannedCall struct {
	toolcall.Call
	position int64
}

func scanCall(row store.Row) (one scannedCall, err error) {
	var text []byte
	var result []byte
	var projectID, owner string
	var version int64
	var over bool
	if err = row.Scan(&one.position, &projectID, &owner, &version, &text, &result, &over); err == nil {
		err = json.Unmarshal(text, &one.Call)
	}
	one.ProjectID, one.Owner, one.Version, one.Over, one.Result = projectID, owner, version, over, string(result)
	return one, err
}

// readCalls returns calls with this many bytes of their results.
func readCalls(ctx context.Context, tx store.Session, query string, bytes int, args ...any) ([]scannedCall, error) {
	return store.Collect(ctx, tx, room.Each(ctx, scanCall, func(one scannedCall) int64 { return one.Bytes() }), query, append([]any{bytes}, args...)...)
}

func callsOf(scanned []scannedCall) []toolcall.Call {
	calls := make([]toolcall.Call, len(scanned))
	for i, one := range scanned {
		calls[i] = one.Call
	}
	return calls
}

// Call implements chat.Calls.
func (s *Store) Call(ctx context.Context, projectID, callID string) (call toolcall.Call, err error) {
	err = s.read(ctx, func(ctx context.Context, tx store.Session) error {
		calls, err := readCalls(ctx, tx, callByID, wholeResult, callID, projectID)
		if err == nil && len(calls) == 0 {
			err = sql.ErrNoRows
		}
		if err != nil {
			return store.OrNotFound(err)
		}
		call = calls[0].Call
		return nil
	})
	return call, failed("read", "a call", err)
}

// DueCalls implements chat.Calls.
func (s *Store) DueCalls(ctx context.Context, now float64, limit int) (calls []toolcall.Call, err error) {
	err = s.read(ctx, func(ctx context.Context, tx store.Session) error {
		due, err := readCalls(ctx, tx, dueCalls, 0, now, limit)
		calls = callsOf(due)
		return err
	})
	return calls, failed("find", "the calls that are due", err)
}

// ReadyCalls implements chat.Calls.
func (s *Store) ReadyCalls(ctx context.Context, held toolcall.Held, limit int) (calls []toolcall.Call, err error) {
	tools, users := [][]string{}, [][]string{}
	for _, one := range held.Tools {
		tools = append(tools, []string{one.AgentID, one.Name})
	}
	for _, one := range held.Users {
		users = append(users, []string{one.AgentID, one.Name, one.UserID})
	}
	ofTools, err := json.Marshal(tools)
	if err != nil {
		return nil, err
	}
	ofUsers, err := json.Marshal(users)
	if err != nil {
		return nil, err
	}
	err = s.read(ctx, func(ctx context.Context, tx store.Session) error {
		ready, err := readCalls(ctx, tx, readyCalls, 0, string(ofTools), string(ofUsers), limit)
		calls = callsOf(ready)
		return err
	})
	return calls, failed("find", "the calls that can begin", err)
}

// SetCall implements chat.Calls.
func (s *Store) SetCall(ctx context.Context, call toolcall.Call, claim *once.Claim) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := store.Take(ctx, tx, claim); err != nil {
			return err
		}
		changed, err := setCall(ctx, tx, call)
		if err != nil || !changed {
			return err
		}
		var over bool
		if err := store.OrNotFound(tx.Row(ctx, streamIsOver, call.StreamID).Scan(&over)); err != nil || over {
			return err
		}
		return s.append(ctx, tx, call.StreamID, []chat.Event{toolcall.EventOf(call)})
	})
	return failed("change call", call.ID, err)
}

const (
	streamIsOver = `SELECT ended_at IS NOT NULL FROM streams WHERE id = ?`
	statusOfCall = `
		SELECT status, version FROM tool_calls JOIN chats ON chats.id = chat_id AND deleted_at IS NULL WHERE tool_calls.id = ?`
	updateCall = `
		UPDATE tool_calls SET status = ?, attempts = ?, due_at = ?, version = version + 1, call = ?, result = ? WHERE id = ?`
	settleOne  = `UPDATE streams SET waits_for = waits_for - 1 WHERE id = ?`
	insertCall = `
		INSERT INTO tool_calls (id, stream_id, message_id, chat_id, project_id, user_id, agent_id, approval, kind,
			status, attempts, due_at, version, call, result)
		SELECT $1, $2, $3, $4, chats.project_id, coalesce(chats.user_id, ''), $5, $6, $7, $8, $9, $10, 1, $11, $12 FROM chats WHERE id = $4`
)

// setCall changes a call, and reports whether its status has changed.
func setCall(ctx context.Context, tx store.Session, call toolcall.Call) (changed bool, err error) {
	var before string
	var version int64
	if err := store.OrNotFound(tx.Row(ctx, statusOfCall, call.ID).Scan(&before, &version)); err != nil {
		return false, err
	}
	if version != call.Version {
		return false, toolcall.ErrStale
	}
	text, due, err := columnsOf(call)
	if err == nil {
		_, err = tx.Exec(ctx, updateCall, call.Status, call.Attempts, due, text, []byte(call.Result), call.ID)
	}
	if err == nil && call.IsSettled() && !toolcall.IsSettled(before) {
		_, err = tx.Exec(ctx, settleOne, call.StreamID)
	}
	return before != call.Status, err
}

// columnsOf returns the JSON of a call without its result, and when it is due.
func columnsOf(call toolcall.Call) (text string, due *float64, err error) {
	if at, ever := call.Due(); ever {
		due = &at
	}
	call.Result, call.Hidden = "", false
	all, err := json.Marshal(call)
	return string(all), due, err
}

// rowOf returns the arguments of insertCall.
func rowOf(call toolcall.Call) ([]any, error) {
	text, due, err := columnsOf(call)
	return []any{call.ID, call.StreamID, call.MessageID, call.ChatID, call.AgentID, call.Approval, call.Kind,
		call.Status, call.Attempts, due, text, []byte(call.Result)}, err
}

// fillCalls adds the calls of answers to them.
func fillCalls(ctx context.Context, tx store.Session, messages []wire.Message) error {
	at := map[string]*wire.Message{}
	for i := range messages {
		if messages[i].Role == wire.RoleAssistant {
			at[messages[i].ID] = &messages[i]
		}
	}
	ids, err := json.Marshal(slices.Collect(maps.Keys(at)))
	if err != nil {
		return err
	}
	calls, err := readCalls(ctx, tx, callsOfMessages, toolcall.ShownResult+1, string(ids))
	for _, call := range calls {
		answer := at[call.MessageID]
		answer.ToolCalls = append(answer.ToolCalls, call.Shown())
	}
	return err
}
