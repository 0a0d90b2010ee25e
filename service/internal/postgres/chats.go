package postgres

import (
	"context"
	"fmt"
	"math"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/column"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// CreateChat implements chat.Chats.
func (s *Store) CreateChat(ctx context.Context, scope access.Scope, made wire.Chat, claim *once.Claim) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := store.Take(ctx, tx, claim); err != nil {
			return err
		}
		if err := s.Limits.roomForChat(ctx, tx, scope); err != nil {
			return err
		}
		return insertChat(ctx, tx, scope, made, made.CreatedAt)
	})
	return failed("create chat", made.ChatID, err)
}

const (
	chatInScope = `
		SELECT id, name, created_at, updated_at, document_keys, metadata, coalesce(user_id, '') FROM chats WHERE ` + inScope
	addChat = `
		INSERT INTO chats (id, project_id, user_id, place, name, named, document_keys, metadata, created_at, updated_at)
		VALUES ($1, $2, nullif($3, ''), nextval('chat_places'), $4, $5, $6, $7, $8, $9)`
)

// Chat implements chat.Chats.
func (s *Store) Chat(ctx context.Context, scope access.Scope, chatID string) (one wire.Chat, err error) {
	row := s.now().Row(ctx, chatInScope, chatID, scope.ProjectID, scope.UserID)
	err = row.Scan(&one.ChatID, &one.Name, &one.CreatedAt, &one.UpdatedAt, column.JSON(&one.DocumentKeys), (*[]byte)(&one.Metadata), &one.UserID)
	return one, failed("read chat", chatID, store.OrNotFound(err))
}

func insertChat(ctx context.Context, tx store.Session, scope access.Scope, made wire.Chat, at float64) error {
	_, err := tx.Exec(ctx, addChat,
		made.ChatID, scope.ProjectID, scope.UserID, made.Name, made.Name != chat.Untitled,
		column.JSON(&made.DocumentKeys), column.Text(made.Metadata), made.CreatedAt, at)
	return err
}

const (
	// inScope is the condition for what an access.Scope reaches: $1 is the chat, $2 the project,
	// $3 the user or empty.
	inScope = `chats.id = $1 AND chats.project_id = $2 AND ($3 = '' OR chats.user_id = $3)`
	// holdChat locks a chat for a transaction that adds to it.
	holdChat  = `SELECT id FROM chats WHERE ` + inScope + ` FOR NO KEY UPDATE`
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

const ownerInScope = `SELECT coalesce(user_id, '') FROM chats WHERE ` + inScope

// ChatOwner implements chat.Chats.
func (s *Store) ChatOwner(ctx context.Context, scope access.Scope, chatID string) (owner string, err error) {
	row := s.now().Row(ctx, ownerInScope, chatID, scope.ProjectID, scope.UserID)
	return owner, failed("find the owner of chat", chatID, store.OrNotFound(row.Scan(&owner)))
}

// Two queries, so that each can use its index.
const (
	selectChats = `SELECT id, name, created_at, updated_at, document_keys, place FROM chats WHERE project_id = $1 AND place < $2`
	newestFirst = ` ORDER BY place DESC LIMIT $3`

	chatsOfProject = selectChats + newestFirst
	chatsOfUser    = selectChats + ` AND user_id = $4` + newestFirst
)

type placedChat struct {
	wire.Chat
	place int64
}

// ListChats implements chat.Chats.
func (s *Store) ListChats(ctx context.Context, scope access.Scope, cursor int64, limit int) (wire.ListChatsResponse, error) {
	if limit < 1 {
		return wire.ListChatsResponse{}, fmt.Errorf("postgres: list chats: limit is %d, want 1 or more", limit)
	}
	if cursor == 0 {
		cursor = math.MaxInt64
	}
	query, args := chatsOfProject, []any{scope.ProjectID, cursor, int64(limit) + 1}
	if scope.UserID != "" {
		query, args = chatsOfUser, append(args, scope.UserID)
	}
	found, err := store.Collect(ctx, s.now(), scanChat, query, args...)
	if err != nil {
		return wire.ListChatsResponse{}, failed("list chats of", scope.ProjectID, err)
	}
	return page(found, limit), nil
}

func scanChat(row store.Row) (one placedChat, err error) {
	err = row.Scan(&one.ChatID, &one.Name, &one.CreatedAt, &one.UpdatedAt, column.JSON(&one.DocumentKeys), &one.place)
	return one, err
}

// page makes a page of what was found, which is one chat more than limit if there are more.
func page(found []placedChat, limit int) wire.ListChatsResponse {
	response := wire.ListChatsResponse{Chats: []wire.Chat{}}
	if len(found) > limit {
		found = found[:limit]
		response.HasMore, response.NextCursor = true, found[limit-1].place
	}
	for _, one := range found {
		response.Chats = append(response.Chats, one.Chat)
	}
	return response
}
