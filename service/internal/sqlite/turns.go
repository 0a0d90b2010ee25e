package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/column"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// BeginTurn implements chat.Turns.
func (s *Store) BeginTurn(ctx context.Context, scope access.Scope, turn chat.Turn) error {
	chatID := turn.Question.ChatID
	if turn.NewChat != nil {
		chatID = turn.NewChat.ChatID
	}
	err := s.storeImages(ctx, turn.Images)
	if err == nil {
		err = s.beginTurn(ctx, scope, chatID, turn)
	}
	if err != nil {
		err = errors.Join(err, s.removeFiles(ctx, imageIDs(turn.Images)...))
	}
	return failed("begin a turn in chat", chatID, err)
}

func (s *Store) beginTurn(ctx context.Context, scope access.Scope, chatID string, turn chat.Turn) error {
	return s.writeWithin(ctx, beginPatience, func(ctx context.Context, tx *sql.Tx) error {
		if err := take(ctx, tx, turn.Claim); err != nil {
			return err
		}
		if err := s.findOrMakeChat(ctx, tx, scope, chatID, turn); err != nil {
			return err
		}
		if err := storeMessages(ctx, tx, chatID, turn); err != nil {
			return err
		}
		if err := s.begin(ctx, tx, turn.StreamID, turn.Answer.ID, turn.Question.ID); err != nil {
			return err
		}
		if err := enqueue(ctx, tx, scope.ProjectID, chatID, turn); err != nil {
			return err
		}
		return s.append(ctx, tx, turn.StreamID, turn.Events)
	})
}

// storeMessages stores the question, where it is a new one, and the answer.
func storeMessages(ctx context.Context, tx *sql.Tx, chatID string, turn chat.Turn) error {
	if turn.Replaces != "" {
		if err := mayReplace(ctx, tx, chatID, turn.Replaces); err != nil {
			return err
		}
		return insertMessage(ctx, tx, chatID, turn.Answer, extras{replaces: turn.Replaces})
	}
	if err := insertMessage(ctx, tx, chatID, turn.Question, extras{options: turn.Options}); err != nil {
		return err
	}
	if err := insertImages(ctx, tx, turn.Question.ID, turn.Images); err != nil {
		return err
	}
	return insertMessage(ctx, tx, chatID, turn.Answer, extras{})
}

// canBeReplaced has a row for each answer of a chat that stands in its history.
const canBeReplaced = `
	SELECT finish_reason <> ''
		AND NOT EXISTS (SELECT 1 FROM messages AS later
			WHERE later.chat_id = old.chat_id AND later.position > old.position AND later.replaces IS NULL)
		AND NOT EXISTS (SELECT 1 FROM messages AS other JOIN streams ON message_id = other.id
			WHERE other.replaces = old.id AND ended_at IS NULL)
	FROM messages AS old WHERE id = ? AND chat_id = ? AND role = 'assistant' AND replaces IS NULL`

func mayReplace(ctx context.Context, tx *sql.Tx, chatID, answerID string) error {
	var can bool
	if err := orNotFound(tx.QueryRowContext(ctx, canBeReplaced, answerID, chatID).Scan(&can)); err != nil {
		return err
	}
	if !can {
		return chat.ErrNotLast
	}
	return nil
}

func (s *Store) findOrMakeChat(ctx context.Context, tx *sql.Tx, scope access.Scope, chatID string, turn chat.Turn) error {
	if turn.NewChat != nil {
		return s.insertChat(ctx, tx, scope, *turn.NewChat, turn.Question.CreatedAt)
	}
	at := turn.Question.CreatedAt
	if turn.Replaces != "" {
		at = turn.Answer.CreatedAt
	}
	return moveChat(ctx, tx, scope, chatID, at)
}

const (
	unnamed  = `SELECT project_id FROM chats WHERE id = ? AND NOT named`
	nameChat = `UPDATE chats SET name = ?, named = 1, place = ?, updated_at = ? WHERE id = ?`
)

// name names a chat that nobody has named, and tells whether it did.
func name(ctx context.Context, tx *sql.Tx, chatID string, end *chat.End) (bool, error) {
	var projectID string
	err := tx.QueryRowContext(ctx, unnamed, chatID).Scan(&projectID)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	place := int64(0)
	if err == nil {
		place, err = nextPlace(ctx, tx, projectID)
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, nameChat, end.Name, place, end.At, chatID)
	}
	return err == nil, err
}

// Of a stream that is being written.
const openTurn = `
	SELECT messages.id, chat_id, coalesce(replaces, '')
	FROM streams JOIN messages ON messages.id = message_id
	WHERE streams.id = ? AND ended_at IS NULL`

// EndTurn implements chat.Turns.
func (s *Store) EndTurn(ctx context.Context, lease stream.Lease, answer wire.Message, end *chat.End) error {
	err := s.dropReplaced(ctx, answer)
	if err != nil {
		return failed("end message", answer.ID, err)
	}
	var stored chat.End
	err = s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var messageID, chatID, replaces string
		row := tx.QueryRowContext(ctx, openTurn, lease.StreamID)
		if err := orNotFound(row.Scan(&messageID, &chatID, &replaces)); err != nil {
			return err
		}
		if messageID != answer.ID {
			return errors.New("the stream carries another message")
		}
		if err := setAnswer(ctx, tx, answer); err != nil {
			return err
		}
		stored = *end
		if end.Name != "" {
			named, err := name(ctx, tx, chatID, end)
			if err != nil {
				return err
			}
			if !named {
				stored.Events = end.Events[1:]
			}
		}
		if err := s.end(ctx, tx, lease.StreamID, stored); err != nil {
			return err
		}
		if replaces == "" || answer.FinishReason == wire.FinishError {
			return nil
		}
		return replace(ctx, tx, replaces, answer.ID, lease.StreamID)
	})
	if err == nil {
		*end = stored
	}
	return failed("end message", answer.ID, err)
}

const (
	replacedBy = `SELECT coalesce(replaces, '') FROM messages WHERE id = ?`
	// To readers its streams are over, as are those that ended long ago.
	outdateStreams = `UPDATE streams SET ended_at = 1 WHERE message_id = ? AND ended_at IS NOT NULL RETURNING id, number, coalesce(places, '')`
)

// dropReplaced removes in steps the events of the answer that another one is
// about to replace: its message goes in one transaction.
func (s *Store) dropReplaced(ctx context.Context, answer wire.Message) error {
	if answer.FinishReason == wire.FinishError {
		return nil
	}
	var replaced string
	err := s.readers.QueryRowContext(ctx, replacedBy, answer.ID).Scan(&replaced)
	if replaced == "" || err != nil {
		return orNotFound(err)
	}
	var old []sweeping
	err = s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, outdateStreams, replaced)
		old, err = collect(rows, err, scanSweeping)
		return err
	})
	if err != nil {
		return err
	}
	return s.sweep(ctx, old)
}

const (
	passStreamsOn = `UPDATE idempotency_keys SET subject = ? WHERE subject IN (SELECT id FROM streams WHERE message_id = ?)`
	deleteMessage = `DELETE FROM messages WHERE id = ? RETURNING position`
	takePlace     = `UPDATE messages SET position = ?, replaces = NULL WHERE id = ?`
)

// replace puts an answer in the place of another one.
func replace(ctx context.Context, tx *sql.Tx, oldID, newID, streamID string) error {
	if _, err := tx.ExecContext(ctx, passStreamsOn, streamID, oldID); err != nil {
		return err
	}
	var position int64
	if err := orNotFound(tx.QueryRowContext(ctx, deleteMessage, oldID).Scan(&position)); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, takePlace, position, newID)
	return err
}

type openAnswer struct{ streamID, messageID string }

const openAnswers = `SELECT id, message_id FROM streams WHERE ended_at IS NULL AND swept = 0`

// EndBrokenTurns implements chat.Turns. Each answer is a transaction of its own.
func (s *Store) EndBrokenTurns(ctx context.Context, end chat.End, _ ...string) (streamIDs []string, err error) {
	rows, err := s.readers.QueryContext(ctx, openAnswers)
	open, err := collect(rows, err, scanOpenAnswer)
	ctx = context.WithoutCancel(ctx) // all of them, or none
	for _, one := range open {
		if err != nil {
			break
		}
		err = s.write(ctx, func(ctx context.Context, tx *sql.Tx) error { return s.endBroken(ctx, tx, one, end) })
		if err != nil {
			err = fmt.Errorf("message %s: %w", one.messageID, err)
		}
		streamIDs = append(streamIDs, one.streamID)
	}
	if err != nil {
		return nil, failed("end", "broken turns", err)
	}
	return streamIDs, nil
}

func scanOpenAnswer(rows *sql.Rows) (one openAnswer, err error) {
	err = rows.Scan(&one.streamID, &one.messageID)
	return one, err
}

func (s *Store) endBroken(ctx context.Context, tx *sql.Tx, one openAnswer, end chat.End) error {
	said, err := s.saidSoFar(ctx, tx, one.streamID)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE messages SET content = ?, sources = ?, finish_reason = ? WHERE id = ?`,
		said.Text(), column.JSON(&said.Sources), wire.FinishError, one.messageID)
	if err != nil {
		return err
	}
	end.Events = slices.Clone(end.Events)
	return s.end(ctx, tx, one.streamID, end)
}

const optionsOfQuestion = `SELECT options FROM messages WHERE id = ? AND role = 'user'`

// SendOptions implements chat.Turns.
func (s *Store) SendOptions(ctx context.Context, questionID string) (options wire.JSON, err error) {
	row := s.readers.QueryRowContext(ctx, optionsOfQuestion, questionID)
	err = row.Scan((*[]byte)(&options))
	return options, failed("read the options of message", questionID, orNotFound(err))
}
