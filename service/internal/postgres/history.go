package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/column"
)

const (
	messagesOfChat = selectMessages + ` WHERE chat_id = $1 AND replaces IS NULL ORDER BY position`
	placeOfMessage = `SELECT position FROM messages WHERE id = $1 AND chat_id = $2 AND replaces IS NULL`
	messagesBefore = selectMessages + ` WHERE chat_id = $1 AND replaces IS NULL AND position < $2 ORDER BY position DESC LIMIT $3`
	headOfChat     = `SELECT name, created_at, document_keys, metadata FROM chats WHERE ` + inScope
)

// ChatHistory implements chat.Chats.
func (s *Store) ChatHistory(ctx context.Context, scope access.Scope, chatID string) (wire.ChatHistoryResponse, error) {
	history := wire.ChatHistoryResponse{ID: chatID, ChatID: chatID}
	err := s.read(ctx, func(ctx context.Context, tx session) error {
		if err := readHead(ctx, tx, scope, &history); err != nil {
			return err
		}
		var err error
		if history.Messages, err = collect(ctx, tx, scanMessage, messagesOfChat, chatID); err != nil {
			return err
		}
		return fillUnfinished(ctx, tx, history.Messages)
	})
	if err != nil {
		return wire.ChatHistoryResponse{}, failed("read chat", chatID, err)
	}
	return history, nil
}

// HistoryPage implements chat.Chats.
func (s *Store) HistoryPage(ctx context.Context, scope access.Scope, chatID, before string, limit int) (wire.ChatHistoryResponse, error) {
	if limit < 1 {
		return wire.ChatHistoryResponse{}, fmt.Errorf("postgres: read chat: limit is %d, want 1 or more", limit)
	}
	history := wire.ChatHistoryResponse{ID: chatID, ChatID: chatID}
	err := s.read(ctx, func(ctx context.Context, tx session) error {
		if err := readHead(ctx, tx, scope, &history); err != nil {
			return err
		}
		place, err := placeInHistory(ctx, tx, chatID, before)
		if err != nil {
			return err
		}
		if history.Messages, err = collect(ctx, tx, scanMessage, messagesBefore, chatID, place, int64(limit)+1); err != nil {
			return err
		}
		if history.HasMore = len(history.Messages) > limit; history.HasMore {
			history.Messages = history.Messages[:limit]
		}
		slices.Reverse(history.Messages)
		return fillUnfinished(ctx, tx, history.Messages)
	})
	if err != nil {
		return wire.ChatHistoryResponse{}, failed("read chat", chatID, err)
	}
	return history, nil
}

// readHead reads what a history tells of its chat.
func readHead(ctx context.Context, tx session, scope access.Scope, history *wire.ChatHistoryResponse) error {
	row := tx.row(ctx, headOfChat, history.ChatID, scope.ProjectID, scope.UserID)
	return orNotFound(row.Scan(&history.Name, &history.CreatedAt, column.JSON(&history.DocumentKeys), (*[]byte)(&history.Metadata)))
}

// placeInHistory is the position of a message; of an empty id it is one behind all
// messages.
func placeInHistory(ctx context.Context, tx session, chatID, messageID string) (place int64, err error) {
	if messageID == "" {
		return math.MaxInt64, nil
	}
	err = tx.row(ctx, placeOfMessage, messageID, chatID).Scan(&place)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, chat.ErrNoSuchMessage
	}
	return place, err
}

// recentExchanges gives the newest first, so that reading can stop at the first
// that is not wanted. An answer stands right after its question.
const recentExchanges = `
	SELECT answer.id, answer.content, question.id, question.content, question.image_urls
	FROM messages AS answer JOIN messages AS question ON question.position = answer.position - 1
	WHERE answer.chat_id = $1 AND answer.role = 'assistant' AND answer.replaces IS NULL AND answer.finish_reason <> ''
		AND answer.position < coalesce((SELECT position FROM messages WHERE id = $2 AND chat_id = $1), 9223372036854775807)
	ORDER BY answer.position DESC LIMIT $3`

// Recent implements chat.Chats.
func (s *Store) Recent(ctx context.Context, scope access.Scope, chatID, before string, tokens int) (messages []chat.PromptMessage, err error) {
	err = s.read(ctx, func(ctx context.Context, tx session) error {
		if err := chatIsIn(ctx, tx, scope, chatID); err != nil {
			return err
		}
		return tx.each(ctx, func(row scanner) (bool, error) {
			question, answer, err := scanExchange(row)
			if tokens -= question.Cost() + answer.Cost(); err != nil || tokens < 0 {
				return false, err
			}
			if answer.Text != "" {
				messages = append(messages, answer)
			}
			messages = append(messages, question)
			return true, nil
		}, recentExchanges, chatID, before, chat.MaxExchanges)
	})
	slices.Reverse(messages)
	return messages, failed("read the newest messages of chat", chatID, err)
}

func scanExchange(row scanner) (question, answer chat.PromptMessage, err error) {
	var images []string
	question.Role, answer.Role = wire.RoleUser, wire.RoleAssistant
	err = row.Scan(&answer.ID, &answer.Text, &question.ID, &question.Text, column.JSON(&images))
	question.Images = chat.ImagesNamed(images)
	return question, answer, err
}

// chatIsIn is fault.ErrNotFound where the chat lies outside the scope.
func chatIsIn(ctx context.Context, tx session, scope access.Scope, chatID string) error {
	var one int
	return orNotFound(tx.row(ctx, `SELECT 1 FROM chats WHERE `+inScope, chatID, scope.ProjectID, scope.UserID).Scan(&one))
}

const (
	messageInChat = selectMessages + ` WHERE messages.id = $1 AND chat_id = $2 AND replaces IS NULL`
	// questionOf takes the message before the answer.
	questionOf = selectMessages + ` WHERE position = (SELECT position FROM messages WHERE id = $1) - 1`
)

// Replaceable implements chat.Chats.
func (s *Store) Replaceable(ctx context.Context, scope access.Scope, chatID, answerID string) (question, answer wire.Message, err error) {
	err = s.read(ctx, func(ctx context.Context, tx session) error {
		if err := chatIsIn(ctx, tx, scope, chatID); err != nil {
			return err
		}
		if answer, err = scanMessage(tx.row(ctx, messageInChat, answerID, chatID)); err != nil {
			return orNotFound(err)
		}
		if answer.Role != wire.RoleAssistant {
			return chat.ErrNotAnswer
		}
		if err := mayReplace(ctx, tx, chatID, answerID); err != nil {
			return err
		}
		question, err = scanMessage(tx.row(ctx, questionOf, answerID))
		return orNotFound(err)
	})
	if err != nil {
		return wire.Message{}, wire.Message{}, failed("read message", answerID, err)
	}
	return question, answer, nil
}
