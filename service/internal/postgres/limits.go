package postgres

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
)

// Limits are what a user may have, over all replicas; 0 is no limit. What belongs to no
// user has no total. What is beyond a new limit stays, and nothing is added to it.
type Limits struct {
	Chats     int
	Documents int
	// DocumentBytes are those of the files that the documents were made of.
	DocumentBytes int
	// SendsPerMinute are answers that are begun; a user saves up as many as a minute gives.
	SendsPerMinute int
	// StreamsPerUser are answers that are written at once.
	StreamsPerUser int
}

const (
	countChats     = `SELECT count(*) FROM chats WHERE project_id = $1 AND user_id = $2`
	countUserFiles = `SELECT count(*), coalesce(sum(size), 0)::bigint FROM documents WHERE project_id = $1 AND user_id = $2`
)

// roomForChat refuses a chat that its user may not add. It and roomForDocument hold the
// user's lock until the transaction that adds has ended: of two at once, the second one
// counts the first.
func (l Limits) roomForChat(ctx context.Context, tx session, scope access.Scope) error {
	if l.Chats == 0 || scope.UserID == "" {
		return nil
	}
	if err := lockUser(ctx, tx, scope.ProjectID, scope.UserID); err != nil {
		return err
	}
	var count int
	err := tx.row(ctx, countChats, scope.ProjectID, scope.UserID).Scan(&count)
	if err == nil && count >= l.Chats {
		return chat.TooManyChats(l.Chats)
	}
	return err
}

// roomForDocument refuses a document that its user may not add. The user's lock is held
// without a limit too: it keeps the rounds of its files in order.
func (l Limits) roomForDocument(ctx context.Context, tx session, d knowledge.Document) error {
	if err := lockUser(ctx, tx, d.ProjectID, d.UserID); err != nil {
		return err
	}
	if l.Documents == 0 && l.DocumentBytes == 0 || d.UserID == "" {
		return nil
	}
	var count, bytes int64
	err := tx.row(ctx, countUserFiles, d.ProjectID, d.UserID).Scan(&count, &bytes)
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
