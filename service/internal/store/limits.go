package store

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
)

// Limits bound what a user may have stored; 0 means no limit. Data without a user has none. If a
// limit is lowered, existing data stays, but nothing is added.
type Limits struct {
	Chats     int
	Documents int
	// DocumentBytes counts the bytes of the uploaded files.
	DocumentBytes int
}

type limitQueries struct{ CountChats, CountUserFiles string }

func limitQueriesOf(d Dialect) limitQueries {
	return limitQueries{
		CountChats: `SELECT count(*) FROM chats WHERE project_id = $1 AND user_id = $2` + d.ChatIsSeen,
		CountUserFiles: `
			SELECT count(*), CAST(coalesce(sum(size), 0) AS bigint) FROM documents WHERE project_id = $1 AND user_id = $2` + d.DocumentIsSeen,
	}
}

// RoomForChat refuses a chat that its user may not add. It and RoomForDocument run in the transaction that adds,
// and no other one adds for the user: if two add at the same time, the second one counts the first.
func (q *Queries) RoomForChat(ctx context.Context, tx Session, l Limits, scope access.Scope) error {
	if l.Chats == 0 || scope.UserID == "" {
		return nil
	}
	var count int
	err := tx.Row(ctx, q.CountChats, scope.ProjectID, scope.UserID).Scan(&count)
	if err == nil && count >= l.Chats {
		return chat.TooManyChats(l.Chats)
	}
	return err
}

// RoomForDocument refuses a document that its user may not add.
func (q *Queries) RoomForDocument(ctx context.Context, tx Session, l Limits, d knowledge.Document) error {
	if l.Documents == 0 && l.DocumentBytes == 0 || d.UserID == "" {
		return nil
	}
	var count, bytes int64
	err := tx.Row(ctx, q.CountUserFiles, d.ProjectID, d.UserID).Scan(&count, &bytes)
	switch {
	case err != nil:
		return err
	case l.Documents > 0 && count >= int64(l.Documents):
		return knowledge.TooManyDocuments(l.Documents)
	case l.DocumentBytes > 0 && bytes+d.Size > int64(l.DocumentBytes):
		return knowledge.TooManyBytes(l.DocumentBytes)
	}
	return nil
}
