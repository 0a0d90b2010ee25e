package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/room"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	pathEnd        = `SELECT path_end FROM chats WHERE id = ?`
	placeOfMessage = `SELECT position, parent, role FROM messages WHERE id = ? AND chat_id = ?`
	newestBelow    = `
		WITH RECURSIVE below(place) AS (
			SELECT position FROM messages WHERE id = $1 AND chat_id = $2
			UNION ALL
			SELECT position FROM below CROSS JOIN messages INDEXED BY messages_beside ON chat_id = $2 AND parent = place
		)
		SELECT coalesce(max(place), 0) FROM below`
	// onPath are the positions on a path of the chat $1, from the message at $2 upwards, newest
	// first.
	onPath = `
		WITH RECURSIVE path(place, above) AS (
			SELECT position, parent FROM messages INDEXED BY messages_of_chat WHERE chat_id = $1 AND position = $2
			UNION ALL
			SELECT position, parent FROM path CROSS JOIN messages INDEXED BY messages_of_chat ON chat_id = $1 AND position = above
			LIMIT $3
		)`
	messagesOnPath = onPath + selectMessages + ` WHERE position IN (SELECT place FROM path) ORDER BY position DESC`
	messagesBefore = selectMessages + ` WHERE chat_id = $1 AND position < $2 ORDER BY position DESC LIMIT $3`

	// selectSizes returns how many bytes are stored of messages, without reading them, and the streams
	// of answers that are being written. Results of calls are read no further than they are shown.
	selectSizes = `
		SELECT octet_length(content) + coalesce(octet_length(sources), 0) + coalesce(octet_length(metadata), 0)
			+ coalesce((SELECT sum(octet_length(call) + min(octet_length(result), 4096)) FROM tool_calls WHERE message_id = messages.id), 0),
			coalesce((SELECT streams.id FROM streams WHERE message_id = messages.id AND ended_at IS NULL), '')
		FROM messages`
	sizesOnPath = onPath + selectSizes + ` WHERE position IN (SELECT place FROM path) ORDER BY position DESC`
	sizesBefore = selectSizes + ` WHERE chat_id = $1 AND position < $2 ORDER BY position DESC LIMIT $3`
)

// HistoryPage implements chat.Chats.
func (s *Store) HistoryPage(ctx context.Context, scope access.Scope, chatID string, page chat.Page) (wire.ChatHistoryResponse, error) {
	if page.Limit < 1 {
		return wire.ChatHistoryResponse{}, fmt.Errorf("sqlite: read chat: limit is %d, want 1 or more", page.Limit)
	}
	history := wire.ChatHistoryResponse{ID: chatID, ChatID: chatID}
	err := s.read(ctx, func(ctx context.Context, tx store.Session) error {
		if err := readHead(ctx, tx, scope, &history); err != nil {
			return err
		}
		from, err := page.From(ctx, tree{tx, chatID})
		if err != nil {
			return err
		}
		messages, sizes := messagesOnPath, sizesOnPath
		if page.All {
			messages, sizes = messagesBefore, sizesBefore
		}
		all, err := s.sizes(ctx, tx, sizes, chatID, from, int64(page.Limit)+1)
		if err != nil {
			return err
		}
		count, bytes := page.Fit(all)
		if err := room.Take(ctx, bytes); err != nil {
			return err
		}
		history.HasMore = count < len(all)
		if history.Messages, err = store.Collect(ctx, tx, scanMessage, messages, chatID, from, count); err != nil {
			return err
		}
		slices.Reverse(history.Messages)
		if err := s.complete(ctx, tx, history.Messages); err != nil {
			return err
		}
		return room.Take(ctx, page.Cut(&history))
	})
	if err != nil {
		return wire.ChatHistoryResponse{}, failed("read chat", chatID, err)
	}
	return history, nil
}

// sizes returns how many bytes are stored of the messages that a query of selectSizes finds.
func (s *Store) sizes(ctx context.Context, tx store.Session, query string, args ...any) ([]int64, error) {
	var open []string
	all, err := store.Collect(ctx, tx, func(row store.Row) (size int64, err error) {
		var streamID string
		err = row.Scan(&size, &streamID)
		open = append(open, streamID)
		return size, err
	}, query, args...)
	for i, streamID := range open {
		if streamID == "" || err != nil {
			continue
		}
		var size int64
		size, err = s.sizeOfOpen(ctx, tx, streamID)
		all[i] += size
	}
	return all, err
}

// tree is the chat.Tree of a chat.
type tree struct {
	tx     store.Session
	chatID string
}

func (t tree) Place(ctx context.Context, messageID string) (at chat.Place, err error) {
	err = t.tx.Row(ctx, placeOfMessage, messageID, t.chatID).Scan(&at.Position, &at.Parent, &at.Role)
	return at, store.OrNotFound(err)
}

func (t tree) PathEnd(ctx context.Context) (position int64, err error) {
	err = t.tx.Row(ctx, pathEnd, t.chatID).Scan(&position)
	return position, err
}

func (t tree) Newest(ctx context.Context, messageID string) (position int64, err error) {
	err = t.tx.Row(ctx, newestBelow, messageID, t.chatID).Scan(&position)
	if err == nil && position == 0 {
		err = fault.ErrNotFound
	}
	return position, err
}

const (
	messageOfChat = selectMessages + ` WHERE id = ? AND chat_id = ?`
	sizeOfMessage = selectSizes + ` WHERE id = ? AND chat_id = ?`
)

// Message implements chat.Chats.
func (s *Store) Message(ctx context.Context, scope access.Scope, chatID, messageID string) (message wire.Message, err error) {
	err = s.read(ctx, func(ctx context.Context, tx store.Session) error {
		if err := chatIsIn(ctx, tx, scope, chatID); err != nil {
			return err
		}
		sizes, err := s.sizes(ctx, tx, sizeOfMessage, messageID, chatID)
		if err != nil {
			return err
		}
		if _, bytes := (chat.Page{Limit: 1}).Fit(sizes); len(sizes) > 0 {
			err = room.Take(ctx, bytes)
		}
		if err != nil {
			return err
		}
		messages, err := store.Collect(ctx, tx, scanMessage, messageOfChat, messageID, chatID)
		if err != nil {
			return err
		}
		if len(messages) == 0 {
			return fault.ErrNotFound
		}
		if err := s.complete(ctx, tx, messages); err != nil {
			return err
		}
		message = messages[0]
		return nil
	})
	return message, failed("read message", messageID, err)
}

const (
	leadPath     = `UPDATE chats SET path_end = ? WHERE id = ?`
	idAt         = `SELECT id FROM messages WHERE position = ?`
	newestOfChat = `SELECT coalesce(max(position), 0) FROM messages WHERE chat_id = ?`
)

// branch is what SelectBranch finds below a message.
type branch struct {
	newest int64 // its newest descendant, or itself
	id     string
	until  int64 // the chat's newest message
}

// SelectBranch implements chat.Chats. It looks for the newest descendant before the writer is
// needed, because a chat may be long, and again if the chat has grown meanwhile.
func (s *Store) SelectBranch(ctx context.Context, scope access.Scope, chatID, messageID string, claim *once.Claim) (last string, err error) {
	for range readTries {
		var found branch
		err = s.read(ctx, func(ctx context.Context, tx store.Session) (err error) {
			found, err = branchBelow(ctx, tx, scope, chatID, messageID)
			return err
		})
		if err == nil {
			err = s.leadThrough(ctx, scope, chatID, found, claim)
		}
		if last = found.id; !errors.Is(err, errGrown) {
			break
		}
	}
	return last, failed("lead the path of a chat through message", messageID, err)
}

// errGrown says that a chat has a message that it had not before.
var errGrown = errors.New("the chat has grown meanwhile")

func branchBelow(ctx context.Context, tx store.Session, scope access.Scope, chatID, messageID string) (found branch, err error) {
	if err = chatIsIn(ctx, tx, scope, chatID); err == nil {
		found.newest, err = tree{tx, chatID}.Newest(ctx, messageID)
	}
	if err == nil {
		err = tx.Row(ctx, idAt, found.newest).Scan(&found.id)
	}
	if err == nil {
		err = tx.Row(ctx, newestOfChat, chatID).Scan(&found.until)
	}
	return found, err
}

// leadThrough makes the path of a chat lead to the end of a branch, unless the chat has grown.
func (s *Store) leadThrough(ctx context.Context, scope access.Scope, chatID string, found branch, claim *once.Claim) error {
	return s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := store.Take(ctx, tx, claim); err != nil {
			return err
		}
		if err := chatIsIn(ctx, tx, scope, chatID); err != nil {
			return err
		}
		var until int64
		err := tx.Row(ctx, newestOfChat, chatID).Scan(&until)
		if err == nil && until != found.until {
			err = errGrown
		}
		if err == nil {
			_, err = tx.Exec(ctx, leadPath, found.newest, chatID)
		}
		return err
	})
}
