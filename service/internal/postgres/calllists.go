package postgres

import (
	"cmp"
	"context"
	"fmt"
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
			some, err := store.Collect(ctx, tx, scanCall, list.text, list.args...)
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
		wanted(chat, first) AS (SELECT chat_id, min(position) FROM messages WHERE id = ANY($1) GROUP BY chat_id),
		path(place, above, first) AS (
			SELECT position, parent, first FROM wanted JOIN chats ON chats.id = chat JOIN messages ON position = path_end
			UNION ALL
			SELECT position, parent, first FROM path JOIN messages ON position = above WHERE above >= first
		)
	SELECT id FROM path JOIN messages ON position = place WHERE id = ANY($1)`

// OnPath implements chat.Calls.
func (s *Store) OnPath(ctx context.Context, messageIDs []string) ([]string, error) {
	found, err := store.Collect(ctx, s.now(), store.ScanText, onPaths, messageIDs)
	return found, failed("find", "the paths of messages", err)
}

// callList is a query of calls that is composed of parts.
type callList struct {
	text string
	args []any
}

// callLists returns the queries that make a list: the calls of a user's chats, and those of other
// chats for an administrator. A single query for both could not use an index.
func callLists(f toolcall.Filter) []*callList {
	list := &callList{text: selectCalls + ` WHERE true`, args: []any{toolcall.ShownResult + 1}}
	if f.UserID == "" {
		return []*callList{list.narrow(f)}
	}
	list.and(`tool_calls.user_id = ?`, f.UserID).narrow(f)
	if !f.Administers {
		return []*callList{list}
	}
	others := &callList{text: selectCalls + ` WHERE true`, args: []any{toolcall.ShownResult + 1}}
	others.and(`approval = 'admin' AND tool_calls.user_id <> ?`, f.UserID)
	return []*callList{list, others.narrow(f)}
}

// statusNow is the status at a time, like toolcall.Call.AsOf except for claims that have ended.
const statusNow = `
	CASE WHEN due_at IS NULL OR due_at > ? THEN status
		WHEN status = 'awaiting' OR status = 'approved' AND kind = 'page' THEN CASE WHEN attempts = 0 THEN 'expired' ELSE 'unknown' END
		ELSE status END`

// narrow adds the conditions of a filter that do not depend on the user.
func (l *callList) narrow(f toolcall.Filter) *callList {
	l.and(`tool_calls.project_id = ?`, f.ProjectID)
	if f.ChatID != "" {
		l.and(`chat_id = ?`, f.ChatID)
	}
	if f.MessageID != "" {
		l.and(`tool_calls.message_id = ?`, f.MessageID)
	}
	if f.Agents != nil {
		l.and(`agent_id = ANY(?)`, f.Agents)
	}
	if f.Status != "" {
		l.and(statusNow+` = ?`, f.Now, f.Status)
	}
	if f.Status != "" && !toolcall.IsSettled(f.Status) {
		l.and(`due_at IS NOT NULL`) // open calls have an index
	}
	if f.Before > 0 {
		l.and(`position < ?`, f.Before)
	}
	l.add(` ORDER BY position DESC LIMIT ?`, f.Limit+1) // one more, to know whether there are more
	return l
}

// and adds a condition with a value for each ?.
func (l *callList) and(condition string, values ...any) *callList {
	return l.add(` AND `+condition, values...)
}

func (l *callList) add(text string, values ...any) *callList {
	for _, value := range values {
		l.args = append(l.args, value)
		text = strings.Replace(text, "?", fmt.Sprint("$", len(l.args)), 1)
	}
	l.text += text
	return l
}
