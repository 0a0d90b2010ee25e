package sqlite

import (
	"context"
	"errors"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// onPath are the positions on a path of the chat $1, from the message at $2 upwards, newest first.
const onPath = `
		WITH RECURSIVE path(place, above) AS (
			SELECT position, parent FROM messages INDEXED BY messages_of_chat WHERE chat_id = $1 AND position = $2
			UNION ALL
			SELECT position, parent FROM path CROSS JOIN messages INDEXED BY messages_of_chat ON chat_id = $1 AND position = above
			LIMIT $3
		)`

var historyDialect = store.HistoryDialect{
	OnPath:   onPath,
	PathArgs: func(chatID string, from int64) []any { return []any{chatID, from} },
	ThatPath: ` WHERE position IN (SELECT place FROM path)`,
	// SelectSizes returns how many bytes are stored of messages, without reading them, and the streams
	// of answers that are being written. Results of calls are read no further than they are shown.
	SelectSizes: `
		SELECT octet_length(content) + coalesce(octet_length(sources), 0) + coalesce(octet_length(metadata), 0)
			+ coalesce(octet_length(details), 0)
			+ coalesce((SELECT sum(octet_length(call) + min(octet_length(result), 4096)) FROM tool_calls WHERE message_id = messages.id), 0),
			coalesce((SELECT streams.id FROM streams WHERE message_id = messages.id AND ended_at IS NULL), '')
		FROM messages`,
	NewestBelow: `
		WITH RECURSIVE below(place) AS (
			SELECT position FROM messages WHERE id = $1 AND chat_id = $2
			UNION ALL
			SELECT position FROM below CROSS JOIN messages INDEXED BY messages_beside ON chat_id = $2 AND parent = place
		)
		SELECT coalesce(max(place), 0) FROM below`,
	SiblingsOf: `
		SELECT json_group_array(beside.id ORDER BY beside.position)
		FROM (SELECT DISTINCT parent FROM messages WHERE id IN (SELECT value FROM json_each($2))) AS parents
		CROSS JOIN messages AS beside INDEXED BY messages_beside ON beside.chat_id = $1 AND beside.parent = parents.parent
		GROUP BY parents.parent HAVING count(*) > 1`,
	// RecentExchanges goes up a path, so that reading can stop at the first exchange that is not
	// wanted: the rows of a recursion come in its order (SQLite, "The WITH Clause", section 3.1).
	RecentExchanges: onPath + `
		SELECT answer.id, answer.content, CASE WHEN answer.details LIKE '%"marks":%' THEN answer.details END, question.id, question.content,
			question.image_urls, answer.image_urls
		FROM path CROSS JOIN messages AS answer ON answer.position = place CROSS JOIN messages AS question ON question.position = above
		WHERE answer.role = 'assistant' AND answer.finish_reason <> ''
		LIMIT $4`,
	RecentMessages: -1, // no end
}

// sizes returns how many bytes are stored of the messages that a query of SelectSizes finds.
func (s *Store) sizes(ctx context.Context, tx store.Session, query string, args ...any) ([]int64, error) {
	var open []string
	all, err := store.Collect(ctx, tx, func(row store.Row) (size int64, err error) {
		var streamID string
		err = row.Scan(&size, &streamID)
		open = append(open, streamID)
		return size, err
	}, query, args...)
	for i, streamID := range open {
		if streamID == "" || err != nil {
			continue
		}
		var size int64
		size, err = s.sizeOfOpen(ctx, tx, streamID)
		all[i] += size
	}
	return all, err
}

const newestOfChat = `SELECT coalesce(max(position), 0) FROM messages WHERE chat_id = ?`

// branch is what SelectBranch finds below a message.
type branch struct {
	newest int64 // its newest descendant, or itself
	id     string
	until  int64 // the chat's newest message
}

// SelectBranch implements chat.Chats. It looks for the newest descendant before the writer is
// needed, because a chat may be long, and again if the chat has grown meanwhile.
func (s *Store) SelectBranch(ctx context.Context, scope access.Scope, chatID, messageID string, used *once.UsedKey) (last string, err error) {
	for range readTries {
		var found branch
		err = s.read(ctx, func(ctx context.Context, tx store.Session) (err error) {
			found, err = branchBelow(ctx, tx, scope, chatID, messageID)
			return err
		})
		if err == nil {
			err = s.leadThrough(ctx, scope, chatID, found, used)
		}
		if last = found.id; !errors.Is(err, errGrown) {
			break
		}
	}
	return last, failed("lead the path of a chat through message", messageID, err)
}

// errGrown says that a chat has a message that it had not before.
var errGrown = errors.New("the chat has grown meanwhile")

func branchBelow(ctx context.Context, tx store.Session, scope access.Scope, chatID, messageID string) (found branch, err error) {
	if err = queries.IsInScope(ctx, tx, scope, chatID); err == nil {
		found.newest, err = queries.Tree(tx, chatID).Newest(ctx, messageID)
	}
	if err == nil {
		err = tx.Row(ctx, store.IDAt, found.newest).Scan(&found.id)
	}
	if err == nil {
		err = tx.Row(ctx, newestOfChat, chatID).Scan(&found.until)
	}
	return found, err
}

// leadThrough makes the path of a chat lead to the end of a branch, unless the chat has grown.
func (s *Store) leadThrough(ctx context.Context, scope access.Scope, chatID string, found branch, used *once.UsedKey) error {
	return s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := store.Take(ctx, tx, used); err != nil {
			return err
		}
		if err := queries.IsInScope(ctx, tx, scope, chatID); err != nil {
			return err
		}
		var until int64
		err := tx.Row(ctx, newestOfChat, chatID).Scan(&until)
		if err == nil && until != found.until {
			err = errGrown
		}
		if err == nil {
			_, err = tx.Exec(ctx, store.LeadPath, found.newest, chatID)
		}
		return err
	})
}
