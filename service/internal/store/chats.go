package store

import (
	"context"
	"fmt"
	"math"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
)

type chatQueries struct{ HeadInScope, ChatInScope, OwnerInScope, RoleInScope, ChatsOfProject, ChatsOfUser, isInScope string }

func chatQueriesOf(d Dialect) chatQueries {
	inScope := InScope + d.ChatIsSeen
	// Two queries, so that each can use its index.
	selectChats := `SELECT id, name, created_at, updated_at, document_keys, place FROM chats WHERE project_id = $1 AND place < $2` + d.ChatIsSeen
	newestFirst := ` ORDER BY place DESC LIMIT $3`
	return chatQueries{
		HeadInScope:    `SELECT name, created_at, document_keys, metadata FROM chats WHERE ` + inScope,
		ChatInScope:    `SELECT id, name, created_at, updated_at, document_keys, metadata, coalesce(user_id, '') FROM chats WHERE ` + inScope,
		OwnerInScope:   `SELECT coalesce(user_id, '') FROM chats WHERE ` + inScope,
		RoleInScope:    `SELECT role FROM messages JOIN chats ON chats.id = chat_id WHERE messages.id = $4 AND ` + inScope,
		ChatsOfProject: selectChats + newestFirst,
		ChatsOfUser:    selectChats + ` AND user_id = $4` + newestFirst,
		isInScope:      `SELECT 1 FROM chats WHERE ` + inScope,
	}
}

// InScope is the condition for what an access.Scope reaches: $1 is the chat, $2 the project, $3 the user or empty.
// It is followed by Dialect.ChatIsSeen.
const InScope = `chats.id = $1 AND chats.project_id = $2 AND ($3 = '' OR chats.user_id = $3)`

// IsInScope returns fault.ErrNotFound if the chat lies outside the scope.
func (q *Queries) IsInScope(ctx context.Context, tx Session, scope access.Scope, chatID string) error {
	return OrNotFound(tx.Row(ctx, q.isInScope, chatID, scope.ProjectID, scope.UserID).Scan(new(int)))
}

// Chat implements chat.Chats.
func (t *Tables) Chat(ctx context.Context, scope access.Scope, chatID string) (one wire.Chat, err error) {
	row := t.db.Now().Row(ctx, t.q.ChatInScope, chatID, scope.ProjectID, scope.UserID)
	err = row.Scan(&one.ChatID, &one.Name, &one.CreatedAt, &one.UpdatedAt, JSON(&one.DocumentKeys), (*[]byte)(&one.Metadata), &one.UserID)
	return one, t.db.Failed("read chat", chatID, OrNotFound(err))
}

// ChatOwner implements chat.Chats.
func (t *Tables) ChatOwner(ctx context.Context, scope access.Scope, chatID string) (owner string, err error) {
	row := t.db.Now().Row(ctx, t.q.OwnerInScope, chatID, scope.ProjectID, scope.UserID)
	return owner, t.db.Failed("find the owner of chat", chatID, OrNotFound(row.Scan(&owner)))
}

type placedChat struct {
	wire.Chat
	place int64
}

// ListChats implements chat.Chats.
func (t *Tables) ListChats(ctx context.Context, scope access.Scope, cursor int64, limit int) (wire.ListChatsResponse, error) {
	if limit < 1 {
		return wire.ListChatsResponse{}, fmt.Errorf("%s: list chats: limit is %d, want 1 or more", t.q.Name, limit)
	}
	if cursor == 0 {
		cursor = math.MaxInt64
	}
	query, args := t.q.ChatsOfProject, []any{scope.ProjectID, cursor, int64(limit) + 1}
	if scope.UserID != "" {
		query, args = t.q.ChatsOfUser, append(args, scope.UserID)
	}
	found, err := Collect(ctx, t.db.Now(), scanChat, query, args...)
	if err != nil {
		return wire.ListChatsResponse{}, t.db.Failed("list chats of", scope.ProjectID, err)
	}
	return page(found, limit), nil
}

func scanChat(row Row) (one placedChat, err error) {
	err = row.Scan(&one.ChatID, &one.Name, &one.CreatedAt, &one.UpdatedAt, JSON(&one.DocumentKeys), &one.place)
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
