package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/column"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// recentExchanges gives the newest first, so that reading can stop at the first
// that is not wanted. An answer stands right after its question.
const recentExchanges = `
	SELECT answer.id, answer.content, question.id, question.content, question.image_urls
	FROM messages AS answer CROSS JOIN messages AS question ON question.position = answer.position - 1
	WHERE answer.chat_id = ?1 AND answer.role = 'assistant' AND answer.replaces IS NULL AND answer.finish_reason <> ''
		AND answer.position < coalesce((SELECT position FROM messages WHERE id = ?2 AND chat_id = ?1), 9223372036854775807)
	ORDER BY answer.position DESC LIMIT ?3`

// Recent implements chat.Chats.
func (s *Store) Recent(ctx context.Context, scope access.Scope, chatID, before string, tokens int) (messages []chat.PromptMessage, err error) {
	err = s.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := chatIsIn(ctx, tx, scope, chatID); err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, recentExchanges, chatID, before, chat.MaxExchanges)
		if err != nil {
			return err
		}
		messages, err = untilFull(rows, tokens)
		return err
	})
	slices.Reverse(messages)
	return messages, failed("read the newest messages of chat", chatID, err)
}

// untilFull gives the messages of rows, as many exchanges as tokens hold, and
// closes rows.
func untilFull(rows *sql.Rows, tokens int) (messages []chat.PromptMessage, err error) {
	defer rows.Close()
	for rows.Next() {
		question, answer, err := scanExchange(rows)
		if err != nil {
			return nil, err
		}
		if tokens -= question.Cost() + answer.Cost(); tokens < 0 {
			return messages, nil
		}
		if answer.Text != "" {
			messages = append(messages, answer)
		}
		messages = append(messages, question)
	}
	return messages, rows.Err()
}

func scanExchange(rows *sql.Rows) (question, answer chat.PromptMessage, err error) {
	var images []string
	question.Role, answer.Role = wire.RoleUser, wire.RoleAssistant
	err = rows.Scan(&answer.ID, &answer.Text, &question.ID, &question.Text, column.JSON(&images))
	question.Images = chat.ImagesNamed(images)
	return question, answer, err
}

// chatIsIn is fault.ErrNotFound where the chat lies outside the scope.
func chatIsIn(ctx context.Context, tx *sql.Tx, scope access.Scope, chatID string) error {
	var one int
	return orNotFound(tx.QueryRowContext(ctx, `SELECT 1 FROM chats WHERE `+inScope, chatID, scope.ProjectID, scope.UserID).Scan(&one))
}

const messageInChat = selectMessages + ` WHERE messages.id = ? AND chat_id = ? AND replaces IS NULL`

// Replaceable implements chat.Chats.
func (s *Store) Replaceable(ctx context.Context, scope access.Scope, chatID, answerID string) (question, answer wire.Message, err error) {
	err = s.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := chatIsIn(ctx, tx, scope, chatID); err != nil {
			return err
		}
		if answer, err = one(tx.QueryContext(ctx, messageInChat, answerID, chatID)); err != nil {
			return err
		}
		if answer.Role != wire.RoleAssistant {
			return chat.ErrNotAnswer
		}
		if err := mayReplace(ctx, tx, chatID, answerID); err != nil {
			return err
		}
		question, err = one(tx.QueryContext(ctx, questionOf, answerID))
		return err
	})
	return question, answer, failed("read message", answerID, err)
}

// questionOf takes the message before the answer.
const questionOf = selectMessages + ` WHERE position = (SELECT position FROM messages WHERE id = ?) - 1`

// one is the message of the only row.
func one(rows *sql.Rows, err error) (wire.Message, error) {
	messages, err := collect(rows, err, scanMessage)
	if err == nil && len(messages) == 0 {
		err = fault.ErrNotFound
	}
	if err != nil {
		return wire.Message{}, err
	}
	return messages[0], nil
}
