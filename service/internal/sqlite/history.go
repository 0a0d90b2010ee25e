package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

const (
	placeOfMessage = `SELECT position FROM messages WHERE id = ? AND chat_id = ? AND replaces IS NULL`
	messagesBefore = selectMessages + ` WHERE chat_id = ? AND replaces IS NULL AND position < ? ORDER BY position DESC LIMIT ?`
)

// HistoryPage implements chat.Chats.
func (s *Store) HistoryPage(ctx context.Context, scope access.Scope, chatID, before string, limit int) (wire.ChatHistoryResponse, error) {
	if limit < 1 {
		return wire.ChatHistoryResponse{}, fmt.Errorf("sqlite: read chat: limit is %d, want 1 or more", limit)
	}
	history := wire.ChatHistoryResponse{ID: chatID, ChatID: chatID}
	err := s.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := readHead(ctx, tx, scope, &history); err != nil {
			return err
		}
		place, err := placeInHistory(ctx, tx, chatID, before)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, messagesBefore, chatID, place, int64(limit)+1)
		if history.Messages, err = collect(rows, err, scanMessage); err != nil {
			return err
		}
		if history.HasMore = len(history.Messages) > limit; history.HasMore {
			history.Messages = history.Messages[:limit]
		}
		slices.Reverse(history.Messages)
		return s.fillUnfinished(ctx, tx, history.Messages)
	})
	if err != nil {
		return wire.ChatHistoryResponse{}, failed("read chat", chatID, err)
	}
	return history, nil
}

// placeInHistory is the position of a message; of an empty id it is one behind all
// messages.
func placeInHistory(ctx context.Context, tx *sql.Tx, chatID, messageID string) (place int64, err error) {
	if messageID == "" {
		return math.MaxInt64, nil
	}
	err = tx.QueryRowContext(ctx, placeOfMessage, messageID, chatID).Scan(&place)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, chat.ErrNoSuchMessage
	}
	return place, err
}
