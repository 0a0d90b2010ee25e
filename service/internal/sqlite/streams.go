package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

const (
	// streamInScope takes the chat from the stream, so inScope does not fit.
	streamInScope = `
		SELECT streams.id, chats.id, message_id, question_id, coalesce(ended_at, 0),
			iif(ended_at IS NULL, coalesce((SELECT max(id) FROM events WHERE stream_id = streams.id), 0), last_id), error
		FROM streams JOIN messages ON messages.id = message_id JOIN chats ON chats.id = chat_id
		WHERE streams.id = ?1 AND chats.project_id = ?2 AND (?3 = '' OR chats.user_id = ?3) AND deleted_at IS NULL`
	oneMessage  = selectMessages + ` WHERE messages.id = ?`
	ofSeenChat  = ` streams JOIN messages ON messages.id = message_id JOIN chats ON chats.id = chat_id WHERE streams.id = ?1 AND deleted_at IS NULL`
	eventsAfter = `
		SELECT id, type, data FROM events
		WHERE stream_id = ?1 AND id > ?2 AND EXISTS (SELECT 1 FROM` + ofSeenChat + `) ORDER BY id LIMIT ?3`
	endOf        = `SELECT ended_at IS NOT NULL, swept FROM` + ofSeenChat
	insertStream = `
		INSERT INTO streams (id, message_id, question_id, ended_at, last_id, error, swept)
		VALUES (?, ?, ?, NULL, 0, NULL, 0)`
	endStream = `UPDATE streams SET ended_at = ?, last_id = ?, error = ? WHERE id = ?`
)

// Stream implements chat.Streams.
func (s *Store) Stream(ctx context.Context, scope access.Scope, streamID string) (kept chat.Kept, err error) {
	err = s.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		row := tx.QueryRowContext(ctx, streamInScope, streamID, scope.ProjectID, scope.UserID)
		start := &kept.Start
		err := row.Scan(&start.StreamID, &start.ChatID, &start.MessageID, &start.UserMessageID,
			&kept.EndedAt, &kept.LastID, object[chat.Failure]{&kept.Error})
		if err := orNotFound(err); err != nil {
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

// Events implements stream.Store.
func (s *Store) Events(ctx context.Context, streamID string, after int64, limit int) ([]chat.Event, error) {
	rows, err := s.readers.QueryContext(ctx, eventsAfter, streamID, after, limit)
	events, err := collect(rows, err, scanEvent)
	if err == nil && len(events) == 0 {
		err = s.nothingBehind(ctx, streamID)
	}
	if err == io.EOF {
		return nil, err
	}
	return events, failed("read events of", "a stream", err)
}

// nothingBehind says why a stream has no more events.
func (s *Store) nothingBehind(ctx context.Context, streamID string) error {
	var ended, swept bool
	err := s.readers.QueryRowContext(ctx, endOf, streamID).Scan(&ended, &swept)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return stream.ErrDeleted
	case err != nil:
		return err
	case swept:
		return stream.ErrSwept
	case ended:
		return io.EOF
	}
	return nil
}

func scanEvent(rows *sql.Rows) (event chat.Event, err error) {
	err = rows.Scan(&event.ID, &event.Type, &event.Data)
	return event, err
}

// end ends a stream, with its last events, which get the ids behind last.
func (s *Store) end(ctx context.Context, tx *sql.Tx, streamID string, last int64, end chat.End) error {
	if err := insertEvents(ctx, tx, streamID, stream.Number(last, end.Events)); err != nil {
		return err
	}
	last += int64(len(end.Events))
	_, err := tx.ExecContext(ctx, endStream, end.At, last, object[chat.Failure]{&end.Error}, streamID)
	return err
}

const messagesOfStream = `SELECT message_id, question_id FROM` + ofSeenChat

// Retell implements chat.Streams.
func (s *Store) Retell(ctx context.Context, old, streamID string, end chat.End) error {
	err := s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var answer, question string
		if err := orNotFound(tx.QueryRowContext(ctx, messagesOfStream, old).Scan(&answer, &question)); err != nil {
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

// sweepRows is how many rows one transaction sweeps at most, so that nobody who
// writes waits for long.
const sweepRows = 512

const (
	streamsToSweep = `SELECT id FROM streams WHERE swept = 0 AND ended_at <= ? LIMIT ?`
	sweepEvents    = `DELETE FROM events WHERE stream_id = ?1 AND id IN (SELECT id FROM events WHERE stream_id = ?1 ORDER BY id LIMIT ?2)`
	streamIsSwept  = `UPDATE streams SET swept = 1 WHERE id = ?`
)

// Sweep implements chat.Streams. It is many transactions, none of which changes
// what anybody is told. What fails holds nothing else up.
func (s *Store) Sweep(ctx context.Context, ended, claimed float64) error {
	keys := s.inSteps(ctx, func(ctx context.Context, tx *sql.Tx) (int64, error) {
		return changed(tx.ExecContext(ctx, sweepKeys, claimed, sweepRows))
	})
	err := errors.Join(keys, s.sweepStreams(ctx, ended), s.removeRemains(ctx), s.emptyLog(ctx))
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return failed("sweep", "streams, idempotency keys and what was deleted", err)
}

func (s *Store) sweepStreams(ctx context.Context, ended float64) error {
	for {
		rows, err := s.readers.QueryContext(ctx, streamsToSweep, ended, sweepRows)
		ids, err := collect(rows, err, scanText)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if err := s.sweepStream(ctx, id); err != nil {
				return err
			}
		}
	}
}

// sweepStream removes the events of a stream.
func (s *Store) sweepStream(ctx context.Context, id string) error {
	return s.inSteps(ctx, func(ctx context.Context, tx *sql.Tx) (int64, error) {
		count, err := changed(tx.ExecContext(ctx, sweepEvents, id, sweepRows))
		if err != nil || count > 0 {
			return count, err
		}
		_, err = tx.ExecContext(ctx, streamIsSwept, id)
		return 0, err
	})
}

// inSteps runs a step in a transaction of its own, again and again until it
// changes nothing. A step that was broken off by a kill is done by the next run.
func (s *Store) inSteps(ctx context.Context, step func(context.Context, *sql.Tx) (int64, error)) error {
	for count := int64(1); count > 0; {
		err := s.write(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
			count, err = step(ctx, tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// changed is how many rows a statement changed.
func changed(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func scanText(rows *sql.Rows) (text string, err error) {
	err = rows.Scan(&text)
	return text, err
}
