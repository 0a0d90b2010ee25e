package postgres

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// Limits bound what a user may have, over all replicas; 0 means no limit. Data without a user has
// no total. If a limit is lowered, existing data stays, but nothing is added.
type Limits struct {
	Chats     int
	Documents int
	// DocumentBytes counts the bytes of the uploaded files.
	DocumentBytes int
	// SendsPerMinute counts answers that begin; a user can save up as many as a minute allows.
	SendsPerMinute int
	// StreamsPerUser counts answers that are being written at the same time.
	StreamsPerUser int
}

// roomForChat refuses a chat that its user may not add. It and roomForDocument hold the user's
// lock until the transaction that adds has ended: if two add at the same time, the second one
// counts the first.
func (l Limits) roomForChat(ctx context.Context, tx store.Session, scope access.Scope) error {
	if l.Chats == 0 || scope.UserID == "" {
		return nil
	}
	if err := lockUser(ctx, tx, scope.ProjectID, scope.UserID); err != nil {
		return err
	}
	return queries.RoomForChat(ctx, tx, l.total(), scope)
}

// roomForDocument refuses a document that its user may not add. It holds the user's lock even
// without a limit, because the lock keeps the rounds of the user's files in order.
func (l Limits) roomForDocument(ctx context.Context, tx store.Session, d knowledge.Document) error {
	if err := lockUser(ctx, tx, d.ProjectID, d.UserID); err != nil {
		return err
	}
	return queries.RoomForDocument(ctx, tx, l.total(), d)
}

// total are the limits of what is stored.
func (l Limits) total() store.Limits {
	return store.Limits{Chats: l.Chats, Documents: l.Documents, DocumentBytes: l.DocumentBytes}
}
