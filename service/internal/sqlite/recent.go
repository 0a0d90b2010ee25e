package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/column"
)

// recentExchanges goes up a path, so that reading can stop at the first exchange that is not
// wanted: the rows of a recursion come in its order (SQLite, "The WITH Clause", section 3.1).
const recentExchanges = onPath + `
	SELECT answer.id, answer.content, question.id, question.content, question.image_urls
	FROM path CROSS JOIN messages AS answer ON answer.position = place CROSS JOIN messages AS question ON question.position = above
	WHERE answer.role = 'assistant' AND answer.finish_reason <> ''
	LIMIT ?4`

// Recent implements chat.Chats.
func (s *Store) Recent(ctx context.Context, scope access.Scope, chatID, before string, tokens int) (messages []chat.PromptMessage, err error) {
	err = s.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := chatIsIn(ctx, tx, scope, chatID); err != nil {
			return err
		}
		from, err := chat.Page{Before: before}.From(ctx, tree{tx, chatID})
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, recentExchanges, chatID, from, -1, chat.MaxExchanges)
		if err != nil {
			return err
		}
		if messages, err = untilFull(rows, tokens); err != nil {
			return err
		}
		return nameCalls(ctx, tx, messages)
	})
	messages = slices.DeleteFunc(messages, chat.PromptMessage.IsSilent)
	slices.Reverse(messages)
	return messages, failed("read the newest messages of chat", chatID, err)
}

// untilFull returns the messages of rows, as many exchanges as fit into tokens, and closes rows.
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
		messages = append(messages, answer, question)
	}
	return messages, rows.Err()
}

const namesOfCalls = `
	SELECT message_id, json_extract(call, '$.name'), status FROM tool_calls
	WHERE message_id IN (SELECT value FROM json_each(?)) ORDER BY message_id, position`

// nameCalls adds the names and states of the calls of answers to them.
func nameCalls(ctx context.Context, tx *sql.Tx, messages []chat.PromptMessage) error {
	at := map[string]*chat.PromptMessage{}
	for i := range messages {
		if messages[i].Role == wire.RoleAssistant {
			at[messages[i].ID] = &messages[i]
		}
	}
	ids, err := json.Marshal(slices.Collect(maps.Keys(at)))
	if err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, namesOfCalls, string(ids))
	_, err = collect(rows, err, func(rows *sql.Rows) (none struct{}, err error) {
		var id string
		var call wire.ToolCall
		if err = rows.Scan(&id, &call.Name, &call.Status); err == nil {
			at[id].Calls = append(at[id].Calls, call)
		}
		return none, err
	})
	return err
}

func scanExchange(rows *sql.Rows) (question, answer chat.PromptMessage, err error) {
	var images []string
	question.Role, answer.Role = wire.RoleUser, wire.RoleAssistant
	err = rows.Scan(&answer.ID, &answer.Text, &question.ID, &question.Text, column.JSON(&images))
	question.Images = chat.ImagesNamed(images)
	return question, answer, err
}

// chatIsIn returns fault.ErrNotFound if the chat lies outside the scope.
func chatIsIn(ctx context.Context, tx *sql.Tx, scope access.Scope, chatID string) error {
	var one int
	return orNotFound(tx.QueryRowContext(ctx, `SELECT 1 FROM chats WHERE `+inScope, chatID, scope.ProjectID, scope.UserID).Scan(&one))
}
