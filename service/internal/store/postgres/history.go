package postgres

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	// onPath are the positions on a path from the message at $1 upwards, at most $2.
	onPath = `
		WITH RECURSIVE path(place, above, number) AS (
			SELECT position, parent, 1::bigint FROM messages WHERE position = $1
			UNION ALL
			SELECT position, parent, number + 1 FROM path JOIN messages ON position = above WHERE number < $2
		)`
)

var historyDialect = store.HistoryDialect{
	OnPath:   onPath,
	PathArgs: func(_ string, from int64) []any { return []any{from} },
	ThatPath: ` JOIN path ON place = position`,
	// SelectSizes returns how many bytes are stored of messages, without reading them. Results of calls
	// are read no further than they are shown. Of an answer that is being written it counts the events.
	SelectSizes: `
		SELECT octet_length(content) + coalesce(octet_length(sources), 0) + coalesce(octet_length(metadata), 0)
			+ coalesce(octet_length(details), 0)
			+ coalesce((SELECT sum(octet_length(call) + least(octet_length(result), 4096)) FROM tool_calls WHERE message_id = messages.id), 0)
			+ coalesce((SELECT sum(octet_length(data)) FROM streams JOIN events ON stream_id = streams.id
				WHERE message_id = messages.id AND ended_at IS NULL), 0)
		FROM messages`,
	// NewestBelow looks up the children of each message in their index. Without OFFSET 0 the
	// planner, which expects small chats, reads the whole chat for each level of the tree.
	NewestBelow: `
		WITH RECURSIVE below(place) AS (
			SELECT position FROM messages WHERE id = $1 AND chat_id = $2
			UNION ALL
			SELECT position FROM below CROSS JOIN LATERAL (
				SELECT position FROM messages WHERE chat_id = $2 AND parent = place OFFSET 0
			) AS children
		)
		SELECT coalesce(max(place), 0) FROM below`,
	// SiblingsOf looks up each parent in the index, because of OFFSET 0.
	SiblingsOf: `
		SELECT json_agg(id ORDER BY position)::text
		FROM (SELECT DISTINCT parent FROM messages WHERE id = ANY($2)) AS parents CROSS JOIN LATERAL (
			SELECT id, position FROM messages WHERE chat_id = $1 AND parent = parents.parent OFFSET 0
		) AS beside
		GROUP BY parents.parent HAVING count(*) > 1`,
	// RecentExchanges returns the newest first, so that reading can stop at the first exchange that
	// is not wanted.
	RecentExchanges: onPath + `
		SELECT answer.id, answer.content, CASE WHEN answer.details LIKE '%"marks":%' THEN answer.details END, question.id, question.content,
			question.image_urls, answer.image_urls
		FROM path JOIN messages AS answer ON answer.position = place JOIN messages AS question ON question.position = above
		WHERE answer.role = 'assistant' AND answer.finish_reason <> ''
		ORDER BY place DESC LIMIT $3`,
	RecentMessages: 2 * answering.MaxExchanges,
}

// SelectBranch implements chat.Chats.
func (s *Store) SelectBranch(ctx context.Context, scope access.Scope, chatID, messageID string, used *once.UsedKey) (last string, err error) {
	err = s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := store.Take(ctx, tx, used); err != nil {
			return err
		}
		if err := hold(ctx, tx, scope, chatID); err != nil {
			return err
		}
		newest, err := queries.Tree(tx, chatID).Newest(ctx, messageID)
		if err == nil {
			err = tx.Row(ctx, store.IDAt, newest).Scan(&last)
		}
		if err == nil {
			_, err = tx.Exec(ctx, store.LeadPath, newest, chatID)
		}
		return err
	})
	return last, failed("lead the path of a chat through message", messageID, err)
}
