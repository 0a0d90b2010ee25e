package postgres

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/room"
	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

const (
	// selectCalls reads at most $1 bytes of each result.
	selectCalls = `
		SELECT position, tool_calls.project_id, tool_calls.user_id, version, call, substr(result, 1, $1), ended_at IS NOT NULL
		FROM tool_calls JOIN streams ON streams.id = stream_id JOIN chats ON chats.id = tool_calls.chat_id`
	callByID        = selectCalls + ` WHERE tool_calls.id = $2 AND tool_calls.project_id = $3`
	callsOfStream   = selectCalls + ` WHERE stream_id = $2 AND tool_calls.message_id = streams.message_id ORDER BY position`
	callsOfMessages = selectCalls + ` WHERE tool_calls.message_id = ANY($2) ORDER BY position`
	dueCalls        = selectCalls + ` WHERE due_at > 0 AND due_at <= $2 ORDER BY due_at LIMIT $3`
	readyCalls      = selectCalls + `
		JOIN (
			SELECT position AS ready_at, row_number() OVER (PARTITION BY agent_id, name, user_id ORDER BY position) AS turn
			FROM tool_calls WHERE due_at = 0
				AND (agent_id, name) NOT IN (SELECT * FROM unnest($2::text[], $3::text[]))
				AND (agent_id, name, user_id) NOT IN (SELECT * FROM unnest($4::text[], $5::text[], $6::text[]))
			ORDER BY turn, ready_at LIMIT $7
		) AS ready ON ready_at = tool_calls.position ORDER BY turn, ready_at`
	wholeResult = math.MaxInt32
)

type scannedCall struct {
	toolcall.Call
	position int64
}

func scanCall(row store.Row) (one scannedCall, err error) {
	var projectID, owner, text string
	var result []byte
	var version int64
	var over bool
	if err = row.Scan(&one.position, &projectID, &owner, &version, &text, &result, &over); err == nil {
		err = json.Unmarshal([]byte(text), &one.Call)
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
func (s *Store) Call(ctx context.Context, projectID, callID string) (toolcall.Call, error) {
	calls, err := readCalls(ctx, s.now(), callByID, wholeResult, callID, projectID)
	if err == nil && len(calls) == 0 {
		err = fault.ErrNotFound
	}
	if err != nil {
		return toolcall.Call{}, failed("read", "a call", err)
	}
	return calls[0].Call, nil
}

// DueCalls implements chat.Calls.
func (s *Store) DueCalls(ctx context.Context, now float64, limit int) ([]toolcall.Call, error) {
	calls, err := readCalls(ctx, s.now(), dueCalls, 0, now, limit)
	return callsOf(calls), failed("find", "the calls that are due", err)
}

// ReadyCalls implements chat.Calls.
func (s *Store) ReadyCalls(ctx context.Context, held toolcall.Held, limit int) ([]toolcall.Call, error) {
	var tools, users [3][]string
	for _, one := range held.Tools {
		tools[0], tools[1] = append(tools[0], one.AgentID), append(tools[1], one.Name)
	}
	for _, one := range held.Users {
		users[0], users[1], users[2] = append(users[0], one.AgentID), append(users[1], one.Name), append(users[2], one.UserID)
	}
	calls, err := readCalls(ctx, s.now(), readyCalls, 0, tools[0], tools[1], users[0], users[1], users[2], limit)
	return callsOf(calls), failed("find", "the calls that can begin", err)
}

const holdStream = `SELECT ended_at IS NOT NULL FROM streams WHERE id = $1 FOR NO KEY UPDATE`

// SetCall implements chat.Calls.
func (s *Store) SetCall(ctx context.Context, call toolcall.Call, claim *once.Claim) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := store.Take(ctx, tx, claim); err != nil {
			return err
		}
		var over bool
		if err := store.OrNotFound(tx.Row(ctx, holdStream, call.StreamID).Scan(&over)); err != nil {
			return err
		}
		changed, err := setCall(ctx, tx, call, s.replica)
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
	return tellNext(ctx, tx, call.StreamID, toolcall.EventOf(call))
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
	statusOfCall = `SELECT status, version FROM tool_calls WHERE id = $1`
	updateCall   = `
		UPDATE tool_calls SET status = $2, attempts = $3, due_at = $4, version = version + 1, call = $5, result = $6,
			owner = CASE WHEN $2 <> 'running' OR kind = 'page' THEN NULL WHEN status = 'running' THEN owner ELSE $7 END
		WHERE id = $1`
	// loseCalls makes calls due whose owner's lease has expired or was given up, because nobody
	// carries them out any more.
	loseCalls = `
		UPDATE tool_calls SET due_at = 1 WHERE status = 'running' AND owner IS NOT NULL AND due_at <> 1
			AND NOT EXISTS (SELECT 1 FROM replicas WHERE replicas.id = owner AND lease_until >= clock_timestamp())`
	settleOne  = `UPDATE streams SET waits_for = waits_for - 1 WHERE id = $1`
	insertCall = `
		INSERT INTO tool_calls (id, stream_id, message_id, chat_id, project_id, user_id, agent_id, name, approval, kind,
			status, attempts, due_at, version, call, result)
		SELECT $1, $2, $3, $4, chats.project_id, coalesce(chats.user_id, ''), $5, $6, $7, $8, $9, $10, $11, 1, $12, $13
		FROM chats WHERE id = $4`
)

// setCall changes a call of a locked stream, and reports whether its status has changed. A call
// that begins to run belongs to the replica.
func setCall(ctx context.Context, tx store.Session, call toolcall.Call, replica string) (changed bool, err error) {
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
		_, err = tx.Exec(ctx, updateCall, call.ID, call.Status, call.Attempts, due, text, []byte(call.Result), replica)
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

func storeCall(ctx context.Context, tx store.Session, call toolcall.Call) error {
	text, due, err := columnsOf(call)
	if err == nil {
		_, err = tx.Exec(ctx, insertCall, call.ID, call.StreamID, call.MessageID, call.ChatID, call.AgentID, call.Name, call.Approval, call.Kind,
			call.Status, call.Attempts, due, text, []byte(call.Result))
	}
	return err
}

// fillCalls adds the calls of answers to them.
func fillCalls(ctx context.Context, tx store.Session, messages []wire.Message) error {
	at := map[string]*wire.Message{}
	for i := range messages {
		if messages[i].Role == wire.RoleAssistant {
			at[messages[i].ID] = &messages[i]
		}
	}
	calls, err := readCalls(ctx, tx, callsOfMessages, toolcall.ShownResult+1, slices.Collect(maps.Keys(at)))
	for _, call := range calls {
		answer := at[call.MessageID]
		answer.ToolCalls = append(answer.ToolCalls, call.Shown())
	}
	return err
}

const namesOfCalls = `SELECT message_id, name, status FROM tool_calls WHERE message_id = ANY($1) ORDER BY position`

// nameCalls adds the names and states of the calls of answers to them.
func nameCalls(ctx context.Context, tx store.Session, messages []answering.PromptMessage) error {
	at := map[string]*answering.PromptMessage{}
	for i := range messages {
		if messages[i].Role == wire.RoleAssistant {
			at[messages[i].ID] = &messages[i]
		}
	}
	return tx.Each(ctx, func(row store.Row) (bool, error) {
		var id string
		var call wire.ToolCall
		err := row.Scan(&id, &call.Name, &call.Status)
		if err == nil {
			at[id].Calls = append(at[id].Calls, call)
		}
		return true, err
	}, namesOfCalls, slices.Collect(maps.Keys(at)))
}
