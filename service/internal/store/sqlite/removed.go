package sqlite

import (
	"context"
	"time"
)

const (
	// muchText is how many bytes of a kind wait for their removal before the answer to a deletion waits
	// too. Less is gone soon enough.
	muchText = 1 << 20
	// removalTime is how long that answer waits.
	removalTime = 10 * time.Second
)

// ChatsRemoved implements httpapi.Removals.
func (s *Store) ChatsRemoved(ctx context.Context) { s.awaitRemoval(ctx, bytesOfChats) }

// DocumentsRemoved implements httpapi.Removals.
func (s *Store) DocumentsRemoved(ctx context.Context) { s.awaitRemoval(ctx, bytesOfDocuments) }

// MemoriesRemoved implements httpapi.Removals.
func (s *Store) MemoriesRemoved(ctx context.Context) { s.awaitRemoval(ctx, bytesOfMemories) }

// awaitRemoval waits for Sweep if a query says that much text waits for its removal. If the database can't be
// read, the deletion was successful all the same.
func (s *Store) awaitRemoval(ctx context.Context, query string) {
	last := s.erasing.left()
	ctx, cancel := context.WithTimeout(ctx, removalTime)
	defer cancel()
	var bytes int64
	if err := s.readers.QueryRowContext(ctx, query, muchText).Scan(&bytes); err == nil && bytes > muchText {
		s.erasing.until(ctx, last)
	}
}

// These count deleted text that is still in rows. A row counts as 256 bytes at least, so that they read a limited
// number of rows.
const (
	bytesOfChats = sumOf + `
			SELECT octet_length(content) + coalesce(octet_length(details), 0) AS bytes FROM messages WHERE chat_id IN (` + deletedChats + `)
			UNION ALL SELECT octet_length(call) + octet_length(result) FROM tool_calls WHERE chat_id IN (` + deletedChats + `)
			UNION ALL SELECT octet_length(text) + octet_length(calls) + coalesce(octet_length(details), 0) FROM rounds WHERE chat_id IN (` + deletedChats + `)` + limited
	bytesOfDocuments = sumOf + `SELECT size AS bytes FROM documents WHERE deleted_at IS NOT NULL` + limited
	bytesOfMemories  = sumOf + `
			SELECT octet_length(content) + coalesce(octet_length(triggering_message), 0) AS bytes
			FROM memory_erasures AS e JOIN memories AS m ON m.project_id = e.project_id AND m.agent_id = e.agent_id AND m.user_id = e.user_id
			WHERE e.removing = 1 AND m.erasures < e.erasures` + limited

	sumOf   = `SELECT coalesce(sum(max(bytes, 256)), 0) FROM (`
	limited = ` LIMIT $1 / 256 + 1)`
)
