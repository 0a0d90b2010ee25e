package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// ListCalls implements chat.Calls.
func (s *Store) ListCalls(ctx context.Context, filter toolcall.Filter) (calls []toolcall.Call, next int64, err error) {
	err = s.read(ctx, func(ctx context.Context, tx store.Session) error {
		var found []scannedCall
		for _, list := range callLists(filter) {
			some, err := readCalls(ctx, tx, list.text, toolcall.ShownResult+1, list.args...)
			if err != nil {
				return err
			}
			found = append(found, some...)
		}
		slices.SortFunc(found, func(a, b scannedCall) int { return cmp.Compare(b.position, a.position) })
		if len(found) > filter.Limit {
			found = found[:filter.Limit]
			next = found[filter.Limit-1].position
		}
		calls = callsOf(found)
		return nil
	})
	return calls, next, failed("list", "calls", err)
}

const onPaths = `
	WITH RECURSIVE
		wanted(chat, first) AS (SELECT chat_id, min(position) FROM messages WHERE id IN (SELECT value FROM json_each($1)) GROUP BY chat_id),
		path(place, above, first) AS (
			SELECT position, parent, first FROM wanted CROSS JOIN chats ON chats.id = chat CROSS JOIN messages ON position = path_end
			UNION ALL
			SELECT position, parent, first FROM path CROSS JOIN messages ON position = above WHERE above >= first
		)
	SELECT id FROM path CROSS JOIN messages ON position = place WHERE id IN (SELECT value FROM json_each($1))`

// OnPath implements chat.Calls.
func (s *Store) OnPath(ctx context.Context, messageIDs []string) (found []string, err error) {
	ids, err := json.Marshal(messageIDs)
	if err != nil {
		return nil, err
	}
	err = s.read(ctx, func(ctx context.Context, tx store.Session) error {
		found, err = store.Collect(ctx, tx, func(row store.Row) (id string, err error) { return id, row.Scan(&id) }, onPaths, string(ids))
		return err
	})
	return found, failed("find", "the paths of messages", err)
}

// callList is a query of calls that is composed of parts. A plus before a column keeps SQLite
// from using an index of that column, so that it uses the intended one.
type callList struct {
	text string
	args []any
}

// callLists returns the queries that make a list: the calls of a user's chats, and those of other
// chats for an administrator. A single query for both could not use an index.
func callLists(f toolcall.Filter) []*callList {
	list := &callList{text: seenCalls + ` WHERE true`}
	if f.UserID == "" {
		return []*callList{list.narrow(f)}
	}
	if f.MessageID != "" || f.ChatID != "" {
		list.and(`+tool_calls.user_id = ?`, f.UserID)
	} else {
		list.and(`tool_calls.user_id = ?`, f.UserID)
	}
	list.narrow(f)
	if !f.Administers {
		return []*callList{list}
	}
	others := &callList{text: seenCalls + ` WHERE true`}
	if isOpen(f.Status) {
		others.and(`+approval = 'admin'`)
	} else {
		others.and(`approval = 'admin'`)
	}
	others.and(`+tool_calls.user_id <> ?`, f.UserID)
	return []*callList{list, others.narrow(f)}
}

// isOpen reports whether all calls with a status are open.
func isOpen(status string) bool { return status != "" && !toolcall.IsSettled(status) }

func anys(texts []string) (values []any) {
	for _, text := range texts {
		values = append(values, text)
	}
	return values
}

// statusNow is the status at a time, like toolcall.Call.AsOf except for claims that have ended.
const statusNow = `
	CASE WHEN due_at IS NULL OR due_at > ? THEN status
		WHEN status = 'awaiting' OR status = 'approved' AND kind = 'page' THEN iif(attempts = 0, 'expired', 'unknown')
		ELSE status END`

// narrow adds the conditions of a filter that do not depend on the user.
func (l *callList) narrow(f toolcall.Filter) *callList {
	switch {
	case f.MessageID != "":
		l.and(`message_id = ? AND +tool_calls.project_id = ?`, f.MessageID, f.ProjectID)
		if f.ChatID != "" {
			l.and(`+chat_id = ?`, f.ChatID)
		}
	case f.ChatID != "":
		l.and(`chat_id = ? AND +tool_calls.project_id = ?`, f.ChatID, f.ProjectID)
	default:
		l.and(`tool_calls.project_id = ?`, f.ProjectID)
	}
	if f.Agents != nil {
		l.and(`agent_id IN (`+strings.Join(slices.Repeat([]string{`?`}, len(f.Agents)), `, `)+`)`, anys(f.Agents)...)
	}
	if f.Status != "" {
		l.and(statusNow+` = ?`, f.Now, f.Status)
	}
	if isOpen(f.Status) {
		l.and(`due_at IS NOT NULL`) // open calls have an index
	}
	if f.Before > 0 {
		l.and(`tool_calls.position < ?`, f.Before)
	}
	l.text += ` ORDER BY tool_calls.position DESC LIMIT ?`
	l.args = append(l.args, f.Limit+1) // one more, to know whether there are more
	return l
}

func (l *callList) and(condition string, values ...any) {
	l.text += ` AND ` + condition
	l.args = append(l.args, values...)
}
