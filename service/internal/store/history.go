package store

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/room"
)

const (
	PathEnd        = `SELECT path_end FROM chats WHERE id = $1`
	PlaceOfMessage = `SELECT position, parent, role FROM messages WHERE id = $1 AND chat_id = $2`
	LeadPath       = `UPDATE chats SET path_end = $1 WHERE id = $2`
	IDAt           = `SELECT id FROM messages WHERE position = $1`
	// ReturnPath sets the path back to where it was before the answer of a stream.
	ReturnPath = `
		UPDATE chats SET path_end = path_before
		FROM streams JOIN messages ON messages.id = message_id
		WHERE streams.id = $1 AND path_before IS NOT NULL AND chats.id = messages.chat_id AND path_end = messages.position`
)

// HistoryDialect is what one of the databases says differently of a chat's messages.
type HistoryDialect struct {
	// OnPath begins a query of the messages on a path, from one message upwards, and PathArgs are its parameters,
	// without a last one: how many.
	OnPath   string
	PathArgs func(chatID string, from int64) []any
	// ThatPath chooses the messages on it, in a query of messages.
	ThatPath string
	// SelectSizes returns how many bytes are stored of messages, without reading them: see Database.Sizes.
	SelectSizes string
	// NewestBelow is the position of the newest message below $1 in the chat $2, 0 if there is no such message.
	NewestBelow string
	// SiblingsOf returns the siblings of some of a chat's messages once for each parent: a page may have
	// hundreds of answers to one question.
	SiblingsOf string
	// RecentExchanges returns the newest first, so that reading can stop at the first exchange that is not wanted. It goes
	// up no more than RecentMessages.
	RecentExchanges string
	RecentMessages  int
}

type historyQueries struct {
	MessagesOnPath, MessagesBefore, SizesOnPath, SizesBefore, SizeOfMessage string
}

func historyQueriesOf(d Dialect) historyQueries {
	onPath, before := d.ThatPath+` ORDER BY position DESC`, ` WHERE chat_id = $1 AND position < $2 ORDER BY position DESC LIMIT $3`
	return historyQueries{
		MessagesOnPath: d.OnPath + selectMessages + onPath,
		MessagesBefore: selectMessages + before,
		SizesOnPath:    d.OnPath + d.SelectSizes + onPath,
		SizesBefore:    d.SelectSizes + before,
		SizeOfMessage:  d.SelectSizes + ` WHERE id = $1 AND chat_id = $2`,
	}
}

// ChatHistory implements chat.Chats.
func (t *Tables) ChatHistory(ctx context.Context, scope access.Scope, chatID string) (wire.ChatHistoryResponse, error) {
	return t.HistoryPage(ctx, scope, chatID, chat.Page{Limit: math.MaxInt - 1})
}

// HistoryPage implements chat.Chats.
func (t *Tables) HistoryPage(ctx context.Context, scope access.Scope, chatID string, page chat.Page) (wire.ChatHistoryResponse, error) {
	if page.Limit < 1 {
		return wire.ChatHistoryResponse{}, fmt.Errorf("%s: read chat: limit is %d, want 1 or more", t.q.Name, page.Limit)
	}
	history := wire.ChatHistoryResponse{ID: chatID, ChatID: chatID}
	err := t.db.Read(ctx, func(ctx context.Context, tx Session) error {
		if err := t.readHead(ctx, tx, scope, &history); err != nil {
			return err
		}
		from, err := page.From(ctx, t.q.Tree(tx, chatID))
		if err != nil {
			return err
		}
		messages, sizes, args := t.q.MessagesOnPath, t.q.SizesOnPath, t.q.PathArgs(chatID, from)
		if page.All {
			messages, sizes, args = t.q.MessagesBefore, t.q.SizesBefore, []any{chatID, from}
		}
		all, err := t.db.Sizes(ctx, tx, sizes, append(args, int64(page.Limit)+1)...)
		if err != nil {
			return err
		}
		count, bytes := page.Fit(all)
		if err := room.Take(ctx, bytes); err != nil {
			return err
		}
		history.HasMore = count < len(all)
		if history.Messages, err = Collect(ctx, tx, scanMessage, messages, append(args, count)...); err != nil {
			return err
		}
		slices.Reverse(history.Messages)
		if err := t.complete(ctx, tx, history.Messages); err != nil {
			return err
		}
		return room.Take(ctx, page.Cut(&history))
	})
	if err != nil {
		return wire.ChatHistoryResponse{}, t.db.Failed("read chat", chatID, err)
	}
	return history, nil
}

// readHead reads what a history says about its chat.
func (t *Tables) readHead(ctx context.Context, tx Session, scope access.Scope, history *wire.ChatHistoryResponse) error {
	row := tx.Row(ctx, t.q.HeadInScope, history.ChatID, scope.ProjectID, scope.UserID)
	return OrNotFound(row.Scan(&history.Name, &history.CreatedAt, JSON(&history.DocumentKeys), (*[]byte)(&history.Metadata)))
}

// Message implements chat.Chats.
func (t *Tables) Message(ctx context.Context, scope access.Scope, chatID, messageID string) (message wire.Message, err error) {
	err = t.db.Read(ctx, func(ctx context.Context, tx Session) error {
		if err := t.q.IsInScope(ctx, tx, scope, chatID); err != nil {
			return err
		}
		sizes, err := t.db.Sizes(ctx, tx, t.q.SizeOfMessage, messageID, chatID)
		if err == nil && len(sizes) == 0 {
			err = fault.ErrNotFound
		}
		if err == nil {
			_, bytes := chat.Page{Limit: 1}.Fit(sizes)
			err = room.Take(ctx, bytes)
		}
		if err == nil {
			message, err = t.message(ctx, tx, MessageOfChat, messageID, chatID)
		}
		return err
	})
	if err != nil {
		return wire.Message{}, t.db.Failed("read message", messageID, err)
	}
	return message, nil
}

// Tree is the chat.Tree of a chat.
type Tree struct {
	tx          Session
	chatID      string
	newestBelow string
}

// Tree returns the tree of a chat.
func (q *Queries) Tree(tx Session, chatID string) Tree { return Tree{tx, chatID, q.NewestBelow} }

// Place implements chat.Tree.
func (t Tree) Place(ctx context.Context, messageID string) (at chat.Place, err error) {
	err = t.tx.Row(ctx, PlaceOfMessage, messageID, t.chatID).Scan(&at.Position, &at.Parent, &at.Role)
	return at, OrNotFound(err)
}

// PathEnd implements chat.Tree.
func (t Tree) PathEnd(ctx context.Context) (position int64, err error) {
	return ScanNumber(t.tx.Row(ctx, PathEnd, t.chatID))
}

// Newest implements chat.Tree.
func (t Tree) Newest(ctx context.Context, messageID string) (position int64, err error) {
	position, err = ScanNumber(t.tx.Row(ctx, t.newestBelow, messageID, t.chatID))
	if err == nil && position == 0 {
		err = fault.ErrNotFound
	}
	return position, err
}

// Recent implements chat.Chats.
func (t *Tables) Recent(ctx context.Context, scope access.Scope, chatID, before string, tokens int) (messages []answering.PromptMessage, err error) {
	err = t.db.Read(ctx, func(ctx context.Context, tx Session) error {
		if err := t.q.IsInScope(ctx, tx, scope, chatID); err != nil {
			return err
		}
		from, err := chat.Page{Before: before}.From(ctx, t.q.Tree(tx, chatID))
		if err != nil {
			return err
		}
		err = tx.Each(ctx, func(row Row) (bool, error) {
			question, answer, err := scanExchange(row)
			if tokens -= question.Size() + answer.Size(); err != nil || tokens < 0 {
				return false, err
			}
			messages = append(messages, answer, question)
			return true, nil
		}, t.q.RecentExchanges, append(t.q.PathArgs(chatID, from), t.q.RecentMessages, answering.MaxExchanges)...)
		if err != nil {
			return err
		}
		return t.nameCalls(ctx, tx, messages)
	})
	messages = slices.DeleteFunc(messages, answering.PromptMessage.IsSilent)
	slices.Reverse(messages)
	return messages, t.db.Failed("read the newest messages of chat", chatID, err)
}

func scanExchange(row Row) (question, answer answering.PromptMessage, err error) {
	var asked, given []string
	var more *details
	question.Role, answer.Role = wire.RoleUser, wire.RoleAssistant
	err = row.Scan(&answer.ID, &answer.Text, JSON(&more), &question.ID, &question.Text, JSON(&asked), JSON(&given))
	question.Images, answer.Images = images.Named(asked), images.Named(given)
	if more != nil {
		answer.Marks = more.Marks
	}
	return question, answer, err
}
