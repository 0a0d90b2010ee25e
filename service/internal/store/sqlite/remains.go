package sqlite

import (
	"context"
	"errors"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/store"
)

// The remains of deleted things are removed in steps, each a transaction. Their order lets the
// next run continue after a kill: first what belongs to a thing, and last the row that says that
// the thing is to be removed.

const (
	// stepBytes is about how many bytes of text one transaction removes.
	stepBytes = 256 << 10
	// stepMemories is how many memories, or messages that wait to be examined, one transaction removes
	// or changes.
	stepMemories = 64
)

// removeSmall removes what is left of everything that was deleted, except documents.
func (s *Store) removeSmall(ctx context.Context) error {
	now := float64(time.Now().UnixMicro()) / 1e6
	return errors.Join(s.removeEach(ctx, s.removeChat, deletedChats), s.removeErased(ctx), s.removeEach(ctx, s.removeFile, unnamedFiles, now-unnamedLife))
}

// removeEach removes everything that a query names.
func (s *Store) removeEach(ctx context.Context, remove func(context.Context, string) error, query string, args ...any) error {
	ids, err := store.Collect(ctx, s.now(), store.ScanText, query, args...)
	for _, id := range ids {
		if err == nil {
			err = remove(ctx, id)
		}
	}
	return err
}

const (
	deletedChats = `SELECT id FROM chats WHERE deleted_at IS NOT NULL`
	// Memories that came from a chat: $1 is the chat, $2 how many.
	forgetPending = `
		DELETE FROM memories WHERE position IN (
			SELECT position FROM memories
			WHERE source_chat_id = $1 AND status = 'pending' AND expires_at > (SELECT deleted_at FROM chats WHERE id = $1) LIMIT $2)`
	forgetMessages = `
		UPDATE memories SET source_chat_id = NULL, source_message_id = NULL, triggering_message = NULL, span_start = NULL, span_end = NULL
		WHERE position IN (SELECT position FROM memories WHERE source_chat_id = $1 LIMIT $2)`
	streamsOfChat = `
		SELECT streams.id, number, coalesce(places, '') FROM messages JOIN streams ON message_id = messages.id
		WHERE chat_id = ? AND swept = 0`
	// A single call or round may be as long as a step.
	removeSomeCalls  = `DELETE FROM tool_calls WHERE position IN (SELECT position FROM tool_calls WHERE chat_id = ? LIMIT 1)`
	removeSomeRounds = `DELETE FROM rounds WHERE position IN (SELECT position FROM rounds WHERE chat_id = ? LIMIT 1)`

	someMessages = `SELECT id, length(content) FROM messages WHERE chat_id = ? LIMIT 64`
	removeRow    = `DELETE FROM messages WHERE id = ?`
	removeChat   = `DELETE FROM chats WHERE id = ?`
)

func (s *Store) removeChat(ctx context.Context, chatID string) error {
	for _, statement := range []string{forgetPending, forgetMessages} {
		err := s.inSteps(ctx, func(ctx context.Context, tx store.Session) (int64, error) {
			return tx.Exec(ctx, statement, chatID, stepMemories)
		})
		if err != nil {
			return err
		}
	}
	streams, err := store.Collect(ctx, s.now(), scanSweeping, streamsOfChat, chatID)
	if err == nil {
		err = s.sweep(ctx, streams)
	}
	for _, statement := range []string{removeSomeCalls, removeSomeRounds} {
		if err == nil {
			err = s.inSteps(ctx, func(ctx context.Context, tx store.Session) (int64, error) {
				return tx.Exec(ctx, statement, chatID)
			})
		}
	}
	if err == nil {
		err = s.inSteps(ctx, func(ctx context.Context, tx store.Session) (int64, error) { return removeMessages(ctx, tx, chatID) })
	}
	if err != nil {
		return err
	}
	return s.exec(ctx, removeChat, chatID)
}

type sized struct {
	id   string
	size int64
}

func scanSized(row store.Row) (one sized, err error) {
	err = row.Scan(&one.id, &one.size)
	return one, err
}

// removeMessages removes as many messages of a chat, whose events are already removed, as one
// transaction may. It returns how many rows it removed.
func removeMessages(ctx context.Context, tx store.Session, chatID string) (removed int64, err error) {
	messages, err := store.Collect(ctx, tx, scanSized, someMessages, chatID)
	bytes := int64(0)
	for _, one := range messages {
		if err != nil || removed >= sweepRows || bytes > 0 && bytes+one.size > stepBytes {
			break
		}
		_, err = tx.Exec(ctx, removeRow, one.id)
		removed++
		bytes += one.size
	}
	return removed, err
}

const (
	unnamedFiles    = `SELECT id FROM files WHERE unnamed_since <= ?`
	removeSomeParts = `DELETE FROM file_parts WHERE position IN (SELECT position FROM file_parts WHERE file_id = ? LIMIT ?)`
	removeFileRow   = `DELETE FROM files WHERE id = ?`
)

func (s *Store) removeFile(ctx context.Context, id string) error {
	err := s.inSteps(ctx, func(ctx context.Context, tx store.Session) (int64, error) {
		return tx.Exec(ctx, removeSomeParts, id, stepParts)
	})
	if err != nil {
		return err
	}
	return s.exec(ctx, removeFileRow, id)
}

type erased struct{ project, agent, user string }

const (
	erasedOwners = `SELECT project_id, agent_id, user_id FROM memory_erasures WHERE removing = 1`
	ofErased     = store.OfOwner + ` AND erasures < (SELECT e.erasures FROM memory_erasures AS e WHERE e.project_id = $1 AND e.agent_id = $2 AND e.user_id = $3)`
	removeSome   = `DELETE FROM memories WHERE position IN (SELECT position FROM memories WHERE ` + ofErased + ` LIMIT $4)`
	removeMarks  = `
		DELETE FROM memory_marks WHERE ` + store.OfOwner + ` AND mark IN (SELECT mark FROM memory_marks WHERE ` + ofErased + ` LIMIT $4)`
	// If the owner has nothing left, the record of the erasure goes too. Otherwise the number
	// stays, because later rows have it.
	nothingErased = `UPDATE memory_erasures SET removing = 0 WHERE ` + store.OfOwner + `
			AND NOT EXISTS (SELECT 1 FROM memories WHERE ` + ofErased + `) AND NOT EXISTS (SELECT 1 FROM memory_marks WHERE ` + ofErased + `)`
	nothingOfOwner = `
		DELETE FROM memory_erasures WHERE ` + store.OfOwner + `
			AND NOT EXISTS (SELECT 1 FROM memories WHERE ` + store.OfOwner + `) AND NOT EXISTS (SELECT 1 FROM memory_marks WHERE ` + store.OfOwner + `)`
)

// removeErased removes the memories of erased owners, and the marks of memories that were deleted
// earlier.
func (s *Store) removeErased(ctx context.Context) error {
	owners, err := store.Collect(ctx, s.now(), func(row store.Row) (one erased, err error) {
		err = row.Scan(&one.project, &one.agent, &one.user)
		return one, err
	}, erasedOwners)
	for _, one := range owners {
		if err == nil {
			err = s.removeErasedOf(ctx, one)
		}
	}
	return err
}

func (s *Store) removeErasedOf(ctx context.Context, one erased) error {
	for _, statement := range []string{removeSome, removeMarks} {
		err := s.inSteps(ctx, func(ctx context.Context, tx store.Session) (int64, error) {
			return tx.Exec(ctx, statement, one.project, one.agent, one.user, stepMemories)
		})
		if err != nil {
			return err
		}
	}
	return s.writeFreeing(ctx, func(ctx context.Context, tx store.Session) error {
		for _, statement := range []string{nothingErased, nothingOfOwner} {
			if _, err := tx.Exec(ctx, statement, one.project, one.agent, one.user); err != nil {
				return err
			}
		}
		return nil
	})
}
