package postgres

import (
	"context"
	"database/sql"
	"errors"
	"io"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

const (
	// streamInScope is like inScope for the chat of a stream.
	streamInScope = `
		SELECT streams.id, chats.id, message_id, question_id, coalesce(ended_at, 0), last_id, error, coalesce(` + isParked + `, false)
		FROM streams JOIN messages ON messages.id = message_id JOIN chats ON chats.id = chat_id
		WHERE streams.id = $1 AND chats.project_id = $2 AND ($3 = '' OR chats.user_id = $3)`
	// Events and the end of a stream are found as long as its chat exists.
	eventsAfter = `SELECT id, type, data FROM events WHERE stream_id = $1 AND id > $2 AND EXISTS (SELECT 1 ` + streamOfChat + `) ORDER BY id LIMIT $3`
	endOf       = `SELECT ended_at IS NOT NULL, swept, last_id ` + streamOfChat

	streamOfChat = `FROM streams JOIN messages ON messages.id = message_id JOIN chats ON chats.id = chat_id WHERE streams.id = $1`

	insertStream = `
		INSERT INTO streams (id, message_id, question_id, ended_at, last_id, error, swept, owner, epoch, stop_asked, project_id, user_id, path_before, asked)
		VALUES ($1, $2, $3, NULL, $4, NULL, false, $5, 1, false, $6, $7, $8, $9)`
	// closeStream ends a stream for the writer who has its epoch.
	closeStream = `
		UPDATE streams SET ended_at = $3, error = $4, last_id = last_id + $5
		WHERE id = $1 AND ended_at IS NULL AND epoch = $2 RETURNING message_id, last_id`
	epochOf = `SELECT epoch FROM streams WHERE id = $1 AND ended_at IS NULL`
)

// StreamHead implements chat.Streams.
func (s *Store) StreamHead(ctx context.Context, scope access.Scope, streamID string) (chat.StoredStream, error) {
	head, err := headOf(ctx, s.now(), scope, streamID)
	return head, failed("read", "a stream", err)
}

func headOf(ctx context.Context, tx store.Session, scope access.Scope, streamID string) (chat.StoredStream, error) {
	return store.First(ctx, tx, store.ScanHead, streamInScope, streamID, scope.ProjectID, scope.UserID)
}

// Events implements stream.Store.
func (s *Store) Events(ctx context.Context, streamID string, after int64, limit int) ([]chat.Event, error) {
	events, err := store.Collect(ctx, s.now(), scanEvent, eventsAfter, streamID, after, limit)
	if err == nil && len(events) == 0 {
		events, err = s.nothingBehind(ctx, streamID, after, limit)
	}
	if err == io.EOF {
		return nil, err
	}
	return events, failed("read events of", "a stream", err)
}

// nothingBehind says why a stream has no more events, or returns those that were stored
// meanwhile.
func (s *Store) nothingBehind(ctx context.Context, streamID string, after int64, limit int) (events []chat.Event, err error) {
	err = s.read(ctx, func(ctx context.Context, tx store.Session) error {
		var ended, swept bool
		var last int64
		err := tx.Row(ctx, endOf, streamID).Scan(&ended, &swept, &last)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return stream.ErrDeleted
		case err != nil:
			return err
		case swept:
			return stream.ErrSwept
		case ended && last <= after:
			return io.EOF
		}
		events, err = store.Collect(ctx, tx, scanEvent, eventsAfter, streamID, after, limit)
		return err
	})
	return events, err
}

func scanEvent(row store.Row) (event chat.Event, err error) {
	err = row.Scan(&event.ID, &event.Type, &event.Data)
	return event, err
}

// endStream ends a stream with its last events, and sets their ids in place. It returns the id of
// the message that the stream carries.
func endStream(ctx context.Context, tx store.Session, lease stream.Lease, end chat.End) (messageID string, err error) {
	var last int64
	row := tx.Row(ctx, closeStream, lease.StreamID, lease.Epoch, end.At, store.JSON(&end.Error), len(end.Events))
	if err := row.Scan(&messageID, &last); errors.Is(err, sql.ErrNoRows) {
		return "", whyNot(ctx, tx, lease.StreamID)
	} else if err != nil {
		return "", err
	}
	first := last - int64(len(end.Events))
	return messageID, insertEvents(ctx, tx, lease.StreamID, first, stream.Number(first, end.Events))
}

// whyNot says why a stream accepted nothing: another replica has taken it, it has ended, or it
// was deleted.
func whyNot(ctx context.Context, tx store.Session, streamID string) error {
	var epoch int64
	if err := store.OrNotFound(tx.Row(ctx, epochOf, streamID).Scan(&epoch)); err != nil {
		return err
	}
	return stream.ErrTaken
}

const messagesOfStream = `SELECT message_id, question_id FROM streams WHERE id = $1`

// Retell implements chat.Streams.
func (s *Store) Retell(ctx context.Context, old, streamID string, end chat.End) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		held, err := holdChatOf(ctx, tx, old)
		if err != nil {
			return err
		}
		var answer, question string
		if err := store.OrNotFound(tx.Row(ctx, messagesOfStream, old).Scan(&answer, &question)); err != nil {
			return err
		}
		if err := store.PassOn(ctx, tx, old, streamID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertStream, streamID, answer, question, 0, s.replica, held.projectID, "", nil, nil); err != nil {
			return err
		}
		_, err = endStream(ctx, tx, stream.Lease{StreamID: streamID, Epoch: 1}, end)
		return err
	})
	return failed("retell", "a stream", err)
}
