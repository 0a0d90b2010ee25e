package postgres

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// CreateChat implements chat.Chats.
func (s *Store) CreateChat(ctx context.Context, scope access.Scope, made wire.Chat, used *once.UsedKey) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := store.Take(ctx, tx, used); err != nil {
			return err
		}
		if err := s.Limits.roomForChat(ctx, tx, scope); err != nil {
			return err
		}
		return insertChat(ctx, tx, scope, made, made.CreatedAt)
	})
	return failed("create chat", made.ChatID, err)
}

const addChat = `
	INSERT INTO chats (id, project_id, user_id, place, name, named, document_keys, metadata, created_at, updated_at)
	VALUES ($1, $2, nullif($3, ''), nextval('chat_places'), $4, $5, $6, $7, $8, $9)`

func insertChat(ctx context.Context, tx store.Session, scope access.Scope, made wire.Chat, at float64) error {
	_, err := tx.Exec(ctx, addChat,
		made.ChatID, scope.ProjectID, scope.UserID, made.Name, made.Name != chat.Untitled,
		store.JSON(&made.DocumentKeys), store.Text(made.Metadata), made.CreatedAt, at)
	return err
}

const (
	// holdChat locks a chat for a transaction that adds to it.
	holdChat  = `SELECT id FROM chats WHERE ` + store.InScope + ` FOR NO KEY UPDATE`
	placeChat = `UPDATE chats SET place = nextval('chat_places'), updated_at = $2 WHERE id = $1`
	nameChat  = `UPDATE chats SET place = nextval('chat_places'), updated_at = $2, name = $3, named = true WHERE id = $1`
)

// hold locks a chat. If it lies outside the scope, the error is fault.ErrNotFound.
func hold(ctx context.Context, tx store.Session, scope access.Scope, chatID string) error {
	return store.OrNotFound(tx.Row(ctx, holdChat, chatID, scope.ProjectID, scope.UserID).Scan(&chatID))
}

// moveChat moves a locked chat to the top of the order.
func moveChat(ctx context.Context, tx store.Session, chatID string, at float64) error {
	_, err := tx.Exec(ctx, placeChat, chatID, at)
	return err
}

// setName names a locked chat, and moves it to the top of the order.
func setName(ctx context.Context, tx store.Session, chatID, name string, at float64) error {
	_, err := tx.Exec(ctx, nameChat, chatID, at, name)
	return err
}

// RenameChat implements chat.Chats.
func (s *Store) RenameChat(ctx context.Context, scope access.Scope, chatID, name string, at float64) (told []string, err error) {
	err = s.write(ctx, func(ctx context.Context, tx store.Session) error {
		err := hold(ctx, tx, scope, chatID)
		if err == nil {
			err = setName(ctx, tx, chatID, name, at)
		}
		if err == nil {
			told, err = tellName(ctx, tx, scope.ProjectID, chatID, name)
		}
		return err
	})
	if err != nil {
		told = nil
	}
	return told, failed("rename chat", chatID, err)
}

// openOfChat locks the open streams of a chat, in the order in which appendAll locks them. Those that
// ask in a chat are its user or nobody.
const openOfChat = `
	SELECT streams.id FROM streams JOIN messages ON messages.id = message_id
	WHERE streams.project_id = $2 AND streams.user_id = ANY(ARRAY['', (SELECT coalesce(user_id, '') FROM chats WHERE id = $1)])
		AND ended_at IS NULL AND chat_id = $1
	ORDER BY streams.id FOR NO KEY UPDATE OF streams`

// tellName tells the readers of the open streams of a locked chat its name, and returns these streams.
func tellName(ctx context.Context, tx store.Session, projectID, chatID, name string) ([]string, error) {
	open, err := store.Collect(ctx, tx, store.ScanText, openOfChat, chatID, projectID)
	for _, streamID := range open {
		if err == nil {
			err = tellNext(ctx, tx, streamID, chat.NameEvent(name))
		}
	}
	return open, err
}
