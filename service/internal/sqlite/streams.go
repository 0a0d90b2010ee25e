package sqlite

import (
	"context"
	"database/sql"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

const (
	// streamInScope takes the chat from the stream, so inScope does not fit.
	streamInScope = `
		SELECT streams.id, chats.id, message_id, question_id, coalesce(ended_at, 0), last_id, error
		FROM streams JOIN messages ON messages.id = message_id JOIN chats ON chats.id = chat_id
		WHERE streams.id = ?1 AND chats.project_id = ?2 AND (?3 = '' OR chats.user_id = ?3)`
	oneMessage   = selectMessages + ` WHERE messages.id = ?`
	eventsAfter  = `SELECT id, type, data FROM events WHERE stream_id = ? AND id > ? ORDER BY id LIMIT ?`
	insertStream = `
		INSERT INTO streams (id, message_id, question_id, ended_at, last_id, error, swept)
		VALUES (?, ?, ?, NULL, 0, NULL, 0)`
	endStream = `UPDATE streams SET ended_at = ?, last_id = ?, error = ? WHERE id = ?`
)

// Stream implements chat.Streams.
func (s *Store) Stream(ctx context.Context, scope chat.Scope, streamID string) (kept chat.Kept, err error) {
	err = s.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		row := tx.QueryRowContext(ctx, streamInScope, streamID, scope.ProjectID, scope.UserID)
		start := &kept.Start
		err := row.Scan(&start.StreamID, &start.ChatID, &start.MessageID, &start.UserMessageID,
			&kept.EndedAt, &kept.LastID, object[wire.ErrorBody]{&kept.Error})
		if err := found(err); err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, oneMessage, start.MessageID)
		messages, err := collect(rows, err, scanMessage)
		if err == nil {
			err = fillUnfinished(ctx, tx, messages)
		}
		if err != nil {
			return err
		}
		kept.Answer = messages[0] // streams refer to messages
		kept.Answer.StreamID = ""
		return nil
	})
	return kept, failed("read", "a stream", err)
}

// Events implements chat.Streams.
func (s *Store) Events(ctx context.Context, streamID string, after int64, limit int) ([]chat.Event, error) {
	rows, err := s.readers.QueryContext(ctx, eventsAfter, streamID, after, limit)
	events, err := collect(rows, err, scanEvent)
	return events, failed("read events of", "a stream", err)
}

func scanEvent(rows *sql.Rows) (event chat.Event, err error) {
	err = rows.Scan(&event.ID, &event.Type, &event.Data)
	return event, err
}

// end ends a stream, with its last events, which follow the one with the id last.
func (s *Store) end(ctx context.Context, tx *sql.Tx, streamID string, last int64, end chat.End) error {
	if err := insertEvents(ctx, tx, streamID, last, end.Events); err != nil {
		return err
	}
	last += int64(len(end.Events))
	_, err := tx.ExecContext(ctx, endStream, end.At, last, object[wire.ErrorBody]{&end.Error}, streamID)
	return err
}

const messagesOfStream = `SELECT message_id, question_id FROM streams WHERE id = ?`

// Retell implements chat.Streams.
func (s *Store) Retell(ctx context.Context, old, streamID string, end chat.End) error {
	err := s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var answer, question string
		if err := found(tx.QueryRowContext(ctx, messagesOfStream, old).Scan(&answer, &question)); err != nil {
			return err
		}
		if err := orTaken(tx.ExecContext(ctx, passKeysOn, streamID, old)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, insertStream, streamID, answer, question); err != nil {
			return err
		}
		return s.end(ctx, tx, streamID, 0, end)
	})
	return failed("retell", "a stream", err)
}

// sweepStreams is how many streams one transaction sweeps at most, so that
// nobody who writes waits for long.
const sweepStreams = 64

const (
	streamsToSweep = `SELECT id FROM streams WHERE swept = 0 AND ended_at <= ? LIMIT ?`
	sweepEvents    = `DELETE FROM events WHERE stream_id = ?`
	streamIsSwept  = `UPDATE streams SET swept = 1 WHERE id = ?`
)

// Sweep implements chat.Streams. It is several transactions, none of which
// changes what anybody is told.
func (s *Store) Sweep(ctx context.Context, ended, claimed float64) error {
	err := s.exec(ctx, sweepKeys, claimed)
	for more := true; more && err == nil; {
		more, err = s.sweep(ctx, ended)
	}
	return failed("sweep", "streams and idempotency keys", err)
}

func (s *Store) sweep(ctx context.Context, ended float64) (more bool, err error) {
	err = s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, streamsToSweep, ended, sweepStreams)
		ids, err := collect(rows, err, scanText)
		for _, id := range ids {
			if _, err := tx.ExecContext(ctx, sweepEvents, id); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, streamIsSwept, id); err != nil {
				return err
			}
		}
		more = len(ids) == sweepStreams
		return err
	})
	return more, err
}

func scanText(rows *sql.Rows) (text string, err error) {
	err = rows.Scan(&text)
	return text, err
}
