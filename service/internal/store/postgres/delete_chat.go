package postgres

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	// takeChat locks a chat exclusively.
	takeChat     = `SELECT id FROM chats WHERE ` + store.InScope + ` FOR UPDATE`
	ownersOfChat = `
		SELECT DISTINCT project_id, agent_id, user_id FROM memories WHERE source_chat_id = $1
		ORDER BY project_id, agent_id, user_id`
	// Memories that came from a chat, $1, which is deleted at $2.
	forgetPending  = `DELETE FROM memories WHERE source_chat_id = $1 AND status = 'pending' AND expires_at > $2`
	forgetMessages = `
		UPDATE memories SET source_chat_id = NULL, source_message_id = NULL, triggering_message = NULL, span_start = NULL, span_end = NULL
		WHERE source_chat_id = $1`
	// forgetJobs removes the jobs of a chat's questions.
	forgetJobs = `DELETE FROM memory_jobs USING messages WHERE messages.id = message_id AND chat_id = $1`
	// deleteOpenStreams deletes the open answers of a chat, so that whoever writes them finds no stream to
	// append to, and leaves their events to be removed.
	deleteOpenStreams = `
		WITH deleted AS (
			DELETE FROM streams USING messages
			WHERE messages.id = message_id AND chat_id = $1 AND streams.project_id = $2 AND ended_at IS NULL RETURNING streams.id
		) INSERT INTO removals (kind, subject, place) SELECT 'stream', id, 0 FROM deleted`
	deleteChat = `DELETE FROM chats WHERE id = $1`
)

// DeleteChat implements chat.Chats. Without its row nothing of a chat is found. Sweep removes the rest in
// steps: see removals.go.
func (s *Store) DeleteChat(ctx context.Context, scope access.Scope, chatID string, at float64) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := store.OrNotFound(tx.Row(ctx, takeChat, chatID, scope.ProjectID, scope.UserID).Scan(&chatID)); err != nil {
			return err
		}
		if err := forgetChat(ctx, tx, scope, chatID, at); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, deleteOpenStreams, chatID, scope.ProjectID); err != nil {
			return err
		}
		return store.ExecAll(ctx, tx, []string{forgetJobs, deleteChat}, chatID)
	})
	return failed("delete chat", chatID, s.tellErased(err))
}

// forgetChat removes the chat from the memories that came from it. It waits for decisions about
// them that are being made.
func forgetChat(ctx context.Context, tx store.Session, scope access.Scope, chatID string, at float64) error {
	if err := lockOwners(ctx, tx, ownersOfChat, chatID); err != nil {
		return err
	}
	if err := queries.KeepReceiptsOfChat(ctx, tx, scope, chatID, at); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, forgetPending, chatID, at); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, forgetMessages, chatID)
	return err
}

// lockOwners locks the owners that a query returns, in the order that everybody uses.
func lockOwners(ctx context.Context, tx store.Session, query string, args ...any) error {
	owners, err := store.Collect(ctx, tx, func(row store.Row) (one memory.Owner, err error) {
		err = row.Scan(&one.ProjectID, &one.AgentID, &one.UserID)
		return one, err
	}, query, args...)
	for _, one := range owners {
		if err == nil {
			err = lockOwner(ctx, tx, one)
		}
	}
	return err
}
