package sqlite

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// Limits bound what a user may have stored; 0 means no limit. Data without a user has none. If a
// limit is lowered, existing data stays, but nothing is added.
type Limits struct {
	Chats     int
	Documents int
	// DocumentBytes counts the bytes of the uploaded files.
	DocumentBytes int
}

const (
	countChats     = `SELECT count(*) FROM chats WHERE project_id = ? AND user_id = ? AND deleted_at IS NULL`
	countUserFiles = `SELECT count(*), coalesce(sum(size), 0) FROM documents WHERE project_id = ? AND user_id = ? AND deleted_at IS NULL`
)

// roomForChat refuses a chat that its user may not add. It and roomForDocument run in the
// transaction that adds: if two add at the same time, the second one counts the first.
func (l Limits) roomForChat(ctx context.Context, tx store.Session, scope access.Scope) error {
	if l.Chats == 0 || scope.UserID == "" {
		return nil
	}
	var count int
	err := tx.Row(ctx, countChats, scope.ProjectID, scope.UserID).Scan(&count)
	if err == nil && count >= l.Chats {
		return chat.TooManyChats(l.Chats)
	}
	return err
}

// roomForDocument refuses a document that its user may not add.
func (l Limits) roomForDocument(ctx context.Context, tx store.Session, d knowledge.Document) error {
	if l.Documents == 0 && l.DocumentBytes == 0 || d.UserID == "" {
		return nil
	}
	var count, bytes int64
	err := tx.Row(ctx, countUserFiles, d.ProjectID, d.UserID).Scan(&count, &bytes)
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
