package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// BeginTurn implements chat.Turns.
func (s *Store) BeginTurn(ctx context.Context, scope chat.Scope, turn chat.Turn) error {
	chatID := turn.Question.ChatID
	if turn.NewChat != nil {
		chatID = turn.NewChat.ChatID
	}
	err := s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := findOrMakeChat(ctx, tx, scope, chatID, turn); err != nil {
			return err
		}
		for _, message := range []wire.Message{turn.Question, turn.Answer} {
			if err := insertMessage(ctx, tx, chatID, message); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO streams (id, message_id) VALUES (?, ?)`, turn.StreamID, turn.Answer.ID)
		if err != nil {
			return err
		}
		if err := enqueue(ctx, tx, scope.ProjectID, chatID, turn); err != nil {
			return err
		}
		return s.insertEvents(ctx, tx, turn.StreamID, 0, turn.Events)
	})
	return failed("begin a turn in chat", chatID, err)
}

func findOrMakeChat(ctx context.Context, tx *sql.Tx, scope chat.Scope, chatID string, turn chat.Turn) error {
	if turn.NewChat != nil {
		return insertChat(ctx, tx, scope, *turn.NewChat, turn.Question.CreatedAt)
	}
	return moveChat(ctx, tx, scope, chatID, turn.Question.CreatedAt)
}

const (
	unnamed   = `SELECT project_id, named FROM chats WHERE id = ?`
	endStream = `DELETE FROM streams WHERE id = ? RETURNING message_id`
)

// NameChat implements chat.Turns.
func (s *Store) NameChat(ctx context.Context, chatID, name string, at float64) (did bool, err error) {
	err = s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var projectID string
		var named bool
		row := tx.QueryRowContext(ctx, unnamed, chatID)
		if err := found(row.Scan(&projectID, &named)); err != nil || named {
			return err
		}
		place, err := nextPlace(ctx, tx, projectID)
		if err != nil {
			return err
		}
		did = true
		_, err = tx.ExecContext(ctx, `UPDATE chats SET name = ?, named = 1, place = ?, updated_at = ? WHERE id = ?`,
			name, place, at, chatID)
		return err
	})
	return did && err == nil, failed("name chat", chatID, err)
}

// EndTurn implements chat.Turns.
func (s *Store) EndTurn(ctx context.Context, streamID string, answer wire.Message) error {
	err := s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var messageID string
		row := tx.QueryRowContext(ctx, endStream, streamID)
		if err := found(row.Scan(&messageID)); err != nil {
			return err
		}
		if messageID != answer.ID {
			return errors.New("the stream carries another message")
		}
		return setAnswer(ctx, tx, answer)
	})
	return failed("end message", answer.ID, err)
}

type openAnswer struct{ streamID, messageID string }

// EndBrokenTurns implements chat.Turns.
func (s *Store) EndBrokenTurns(ctx context.Context) (int, error) {
	var open []openAnswer
	err := s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `SELECT id, message_id FROM streams`)
		if open, err = collect(rows, err, scanOpenAnswer); err != nil {
			return err
		}
		for _, one := range open {
			if err := endBroken(ctx, tx, one); err != nil {
				return fmt.Errorf("message %s: %w", one.messageID, err)
			}
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM streams`)
		return err
	})
	if err != nil {
		return 0, failed("end", "broken turns", err)
	}
	return len(open), nil
}

func scanOpenAnswer(rows *sql.Rows) (one openAnswer, err error) {
	err = rows.Scan(&one.streamID, &one.messageID)
	return one, err
}

func endBroken(ctx context.Context, tx *sql.Tx, one openAnswer) error {
	content, err := textSoFar(ctx, tx, one.streamID)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE messages SET content = ?, finish_reason = ? WHERE id = ?`,
		content, wire.FinishError, one.messageID)
	return err
}
