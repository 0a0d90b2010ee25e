package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// ListCalls implements chat.Calls.
func (t *Tables) ListCalls(ctx context.Context, filter toolcall.Filter) (calls []toolcall.Call, next int64, err error) {
	err = t.db.Read(ctx, func(ctx context.Context, tx Session) error {
		var found []scannedCall
		for _, list := range t.q.CallLists(filter) {
			some, err := readCalls(ctx, tx, list.Text, list.Args...)
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
	return calls, next, t.db.Failed("list", "calls", err)
}

// OnPath implements chat.Calls.
func (t *Tables) OnPath(ctx context.Context, messageIDs []string) ([]string, error) {
	found, err := Collect(ctx, t.db.Now(), ScanText, t.q.OnPaths, messageIDs)
	return found, t.db.Failed("find", "the paths of messages", err)
}

// CallLists returns the queries that make a list: the calls of a user's chats, and those of other
// chats for an administrator. A single query for both could not use an index.
func (q *Queries) CallLists(f toolcall.Filter) []*List {
	list := q.callList()
	if f.UserID == "" {
		return []*List{q.narrow(list, f)}
	}
	if f.MessageID != "" || f.ChatID != "" {
		list.And(q.Plus+`tool_calls.user_id = ?`, f.UserID)
	} else {
		list.And(`tool_calls.user_id = ?`, f.UserID)
	}
	q.narrow(list, f)
	if !f.Administers {
		return []*List{list}
	}
	others := q.callList()
	if isOpen(f.Status) {
		others.And(q.Plus + `approval = 'admin'`)
	} else {
		others.And(`approval = 'admin'`)
	}
	others.And(q.Plus+`tool_calls.user_id <> ?`, f.UserID)
	return []*List{list, q.narrow(others, f)}
}

func (q *Queries) callList() *List {
	return &List{Text: q.SelectCalls + ` WHERE true`, Args: []any{toolcall.ShownResult + 1}}
}

// isOpen reports whether all calls with a status are open.
func isOpen(status string) bool { return status != "" && !toolcall.IsSettled(status) }

// statusNow is the status at a time, like toolcall.Call.AsOf except for claims that have ended.
const statusNow = `
	CASE WHEN due_at IS NULL OR due_at > ? THEN status
		WHEN status = 'awaiting' OR status = 'approved' AND kind = 'page' THEN CASE WHEN attempts = 0 THEN 'expired' ELSE 'unknown' END
		ELSE status END`

// narrow adds the conditions of a filter that do not depend on the user.
func (q *Queries) narrow(l *List, f toolcall.Filter) *List {
	switch {
	case f.MessageID != "":
		l.And(`tool_calls.message_id = ? AND `+q.Plus+`tool_calls.project_id = ?`, f.MessageID, f.ProjectID)
		if f.ChatID != "" {
			l.And(q.Plus+`chat_id = ?`, f.ChatID)
		}
	case f.ChatID != "":
		l.And(`chat_id = ? AND `+q.Plus+`tool_calls.project_id = ?`, f.ChatID, f.ProjectID)
	default:
		l.And(`tool_calls.project_id = ?`, f.ProjectID)
	}
	if f.Agents != nil {
		condition, values := q.OneOf(`agent_id`, f.Agents)
		l.And(condition, values...)
	}
	if f.Status != "" {
		l.And(statusNow+` = ?`, f.Now, f.Status)
	}
	if isOpen(f.Status) {
		l.And(`due_at IS NOT NULL`) // open calls have an index
	}
	if f.Before > 0 {
		l.And(`tool_calls.position < ?`, f.Before)
	}
	l.Add(` ORDER BY tool_calls.position DESC LIMIT ?`, f.Limit+1) // one more, to know whether there are more
	return l
}
