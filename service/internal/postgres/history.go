package postgres

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/column"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/room"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	pathEnd        = `SELECT path_end FROM chats WHERE id = $1`
	placeOfMessage = `SELECT position, parent, role FROM messages WHERE id = $1 AND chat_id = $2`
	// newestBelow looks up the children of each message in their index. Without OFFSET 0 the
	// planner, which expects small chats, reads the whole chat for each level of the tree.
	newestBelow = `
		WITH RECURSIVE below(place) AS (
			SELECT position FROM messages WHERE id = $1 AND chat_id = $2
			UNION ALL
			SELECT position FROM below CROSS JOIN LATERAL (
				SELECT position FROM messages WHERE chat_id = $2 AND parent = place OFFSET 0
			) AS children
		)
		SELECT coalesce(max(place), 0) FROM below`
	// onPath are the positions on a path from the message at $1 upwards, at most $2.
	onPath = `
		WITH RECURSIVE path(place, above, number) AS (
			SELECT position, parent, 1::bigint FROM messages WHERE position = $1
			UNION ALL
			SELECT position, parent, number + 1 FROM path JOIN messages ON position = above WHERE number < $2
		)`
	messagesOnPath = onPath + selectMessages + ` JOIN path ON place = position ORDER BY position DESC`
	messagesBefore = selectMessages + ` WHERE chat_id = $1 AND position < $2 ORDER BY position DESC LIMIT $3`
	// selectSizes returns how many bytes are stored of messages, without reading them. Results of calls
	// are read no further than they are shown. Of an answer that is being written it counts the events.
	selectSizes = `
		SELECT octet_length(content) + coalesce(octet_length(sources), 0) + coalesce(octet_length(metadata), 0)
			+ coalesce((SELECT sum(octet_length(call) + least(octet_length(result), 4096)) FROM tool_calls WHERE message_id = messages.id), 0)
			+ coalesce((SELECT sum(octet_length(data)) FROM streams JOIN events ON stream_id = streams.id
				WHERE message_id = messages.id AND ended_at IS NULL), 0)
		FROM messages`
	sizesOnPath   = onPath + selectSizes + ` JOIN path ON place = position ORDER BY position DESC`
	sizesBefore   = selectSizes + ` WHERE chat_id = $1 AND position < $2 ORDER BY position DESC LIMIT $3`
	sizeOfMessage = selectSizes + ` WHERE id = $1 AND chat_id = $2`
	headOfChat    = `SELECT name, created_at, document_keys, metadata FROM chats WHERE ` + inScope
)

// ChatHistory implements chat.Chats.
func (s *Store) ChatHistory(ctx context.Context, scope access.Scope, chatID string) (wire.ChatHistoryResponse, error) {
	return s.HistoryPage(ctx, scope, chatID, chat.Page{Limit: math.MaxInt - 1})
}

// HistoryPage implements chat.Chats.
func (s *Store) HistoryPage(ctx context.Context, scope access.Scope, chatID string, page chat.Page) (wire.ChatHistoryResponse, error) {
	if page.Limit < 1 {
		return wire.ChatHistoryResponse{}, fmt.Errorf("postgres: read chat: limit is %d, want 1 or more", page.Limit)
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
		messages, sizes, args := messagesOnPath, sizesOnPath, []any{from}
		if page.All {
			messages, sizes, args = messagesBefore, sizesBefore, []any{chatID, from}
		}
		all, err := store.Collect(ctx, tx, store.ScanNumber, sizes, append(args, int64(page.Limit)+1)...)
		if err != nil {
			return err
		}
		count, bytes := page.Fit(all)
		if err := room.Take(ctx, bytes); err != nil {
			return err
		}
		history.HasMore = count < len(all)
		if history.Messages, err = store.Collect(ctx, tx, scanMessage, messages, append(args, count)...); err != nil {
			return err
		}
		slices.Reverse(history.Messages)
		if err := complete(ctx, tx, history.Messages); err != nil {
			return err
		}
		return room.Take(ctx, page.Cut(&history))
	})
	if err != nil {
		return wire.ChatHistoryResponse{}, failed("read chat", chatID, err)
	}
	return history, nil
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

const messageOfChat = selectMessages + ` WHERE id = $1 AND chat_id = $2`

// Message implements chat.Chats.
func (s *Store) Message(ctx context.Context, scope access.Scope, chatID, messageID string) (message wire.Message, err error) {
	err = s.read(ctx, func(ctx context.Context, tx store.Session) error {
		if err := chatIsIn(ctx, tx, scope, chatID); err != nil {
			return err
		}
		size, err := store.ScanNumber(tx.Row(ctx, sizeOfMessage, messageID, chatID))
		if err != nil {
			return store.OrNotFound(err)
		}
		if err := room.Take(ctx, size); err != nil {
			return err
		}
		found, err := scanMessage(tx.Row(ctx, messageOfChat, messageID, chatID))
		if err != nil {
			return store.OrNotFound(err)
		}
		messages := []wire.Message{found}
		err = complete(ctx, tx, messages)
		message = messages[0]
		return err
	})
	if err != nil {
		return wire.Message{}, failed("read message", messageID, err)
	}
	return message, nil
}

const (
	leadPath = `UPDATE chats SET path_end = $1 WHERE id = $2`
	idAt     = `SELECT id FROM messages WHERE position = $1`
)

// SelectBranch implements chat.Chats.
func (s *Store) SelectBranch(ctx context.Context, scope access.Scope, chatID, messageID string, claim *once.Claim) (last string, err error) {
	err = s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := store.Take(ctx, tx, claim); err != nil {
			return err
		}
		if err := hold(ctx, tx, scope, chatID); err != nil {
			return err
		}
		newest, err := tree{tx, chatID}.Newest(ctx, messageID)
		if err == nil {
			err = tx.Row(ctx, idAt, newest).Scan(&last)
		}
		if err == nil {
			_, err = tx.Exec(ctx, leadPath, newest, chatID)
		}
		return err
	})
	return last, failed("lead the path of a chat through message", messageID, err)
}

// readHead reads what a history says about its chat.
func readHead(ctx context.Context, tx store.Session, scope access.Scope, history *wire.ChatHistoryResponse) error {
	row := tx.Row(ctx, headOfChat, history.ChatID, scope.ProjectID, scope.UserID)
	return store.OrNotFound(row.Scan(&history.Name, &history.CreatedAt, column.JSON(&history.DocumentKeys), (*[]byte)(&history.Metadata)))
}

// recentExchanges returns the newest first, so that reading can stop at the first exchange that
// is not wanted.
const recentExchanges = onPath + `
	SELECT answer.id, answer.content, question.id, question.content, question.image_urls
	FROM path JOIN messages AS answer ON answer.position = place JOIN messages AS question ON question.position = above
	WHERE answer.role = 'assistant' AND answer.finish_reason <> ''
	ORDER BY place DESC LIMIT $3`

// Recent implements chat.Chats.
func (s *Store) Recent(ctx context.Context, scope access.Scope, chatID, before string, tokens int) (messages []answering.PromptMessage, err error) {
	err = s.read(ctx, func(ctx context.Context, tx store.Session) error {
		if err := chatIsIn(ctx, tx, scope, chatID); err != nil {
			return err
		}
		from, err := chat.Page{Before: before}.From(ctx, tree{tx, chatID})
		if err != nil {
			return err
		}
		err = tx.Each(ctx, func(row store.Row) (bool, error) {
			question, answer, err := scanExchange(row)
			if tokens -= question.Cost() + answer.Cost(); err != nil || tokens < 0 {
				return false, err
			}
			messages = append(messages, answer, question)
			return true, nil
		}, recentExchanges, from, 2*answering.MaxExchanges, answering.MaxExchanges)
		if err != nil {
			return err
		}
		return nameCalls(ctx, tx, messages)
	})
	messages = slices.DeleteFunc(messages, answering.PromptMessage.IsSilent)
	slices.Reverse(messages)
	return messages, failed("read the newest messages of chat", chatID, err)
}

func scanExchange(row store.Row) (question, answer answering.PromptMessage, err error) {
	var images []string
	question.Role, answer.Role = wire.RoleUser, wire.RoleAssistant
	err = row.Scan(&answer.ID, &answer.Text, &question.ID, &question.Text, column.JSON(&images))
	question.Images = answering.ImagesNamed(images)
	return question, answer, err
}

// chatIsIn returns fault.ErrNotFound if the chat lies outside the scope.
func chatIsIn(ctx context.Context, tx store.Session, scope access.Scope, chatID string) error {
	var one int
	return store.OrNotFound(tx.Row(ctx, `SELECT 1 FROM chats WHERE `+inScope, chatID, scope.ProjectID, scope.UserID).Scan(&one))
}
