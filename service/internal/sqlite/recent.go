package sqlite

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/column"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// recentExchanges goes up a path, so that reading can stop at the first exchange that is not
// wanted: the rows of a recursion come in its order (SQLite, "The WITH Clause", section 3.1).
const recentExchanges = onPath + `
	SELECT answer.id, answer.content, question.id, question.content, question.image_urls
	FROM path CROSS JOIN messages AS answer ON answer.position = place CROSS JOIN messages AS question ON question.position = above
	WHERE answer.role = 'assistant' AND answer.finish_reason <> ''
	LIMIT $4`

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
		}, recentExchanges, chatID, from, -1, answering.MaxExchanges)
		if err != nil {
			return err
		}
		return nameCalls(ctx, tx, messages)
	})
	messages = slices.DeleteFunc(messages, answering.PromptMessage.IsSilent)
	slices.Reverse(messages)
	return messages, failed("read the newest messages of chat", chatID, err)
}

const namesOfCalls = `
	SELECT message_id, json_extract(call, '$.name'), status FROM tool_calls
	WHERE message_id IN (SELECT value FROM json_each(?)) ORDER BY message_id, position`

// nameCalls adds the names and states of the calls of answers to them.
func nameCalls(ctx context.Context, tx store.Session, messages []answering.PromptMessage) error {
	at := map[string]*answering.PromptMessage{}
	for i := range messages {
		if messages[i].Role == wire.RoleAssistant {
			at[messages[i].ID] = &messages[i]
		}
	}
	ids, err := json.Marshal(slices.Collect(maps.Keys(at)))
	if err != nil {
		return err
	}
	_, err = store.Collect(ctx, tx, func(row store.Row) (none struct{}, err error) {
		var id string
		var call wire.ToolCall
		if err = row.Scan(&id, &call.Name, &call.Status); err == nil {
			at[id].Calls = append(at[id].Calls, call)
		}
		return none, err
	}, namesOfCalls, string(ids))
	return err
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
