package sqlite

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/column"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// ChatHistory implements chat.Chats.
func (s *Store) ChatHistory(ctx context.Context, scope access.Scope, chatID string) (wire.ChatHistoryResponse, error) {
	return s.HistoryPage(ctx, scope, chatID, chat.Page{Limit: math.MaxInt - 1})
}

// readHead reads what a history says about its chat.
func readHead(ctx context.Context, tx store.Session, scope access.Scope, history *wire.ChatHistoryResponse) error {
	row := tx.Row(ctx, `SELECT name, created_at, document_keys, metadata FROM chats WHERE `+inScope,
		history.ChatID, scope.ProjectID, scope.UserID)
	return store.OrNotFound(row.Scan(&history.Name, &history.CreatedAt, column.JSON(&history.DocumentKeys), (*[]byte)(&history.Metadata)))
}

// selectMessages also returns the stream of an answer that is being written.
const selectMessages = `
	SELECT messages.id, chat_id, role, content, created_at, feedback, metadata, model_name, agent_id,
		finish_reason, is_test, sources, image_urls, memory_ids,
		coalesce((SELECT streams.id FROM streams WHERE message_id = messages.id AND ended_at IS NULL), ''),
		coalesce((SELECT above.id FROM messages AS above WHERE above.position = messages.parent), '')
	FROM messages`

func scanMessage(row store.Row) (m wire.Message, err error) {
	err = row.Scan(&m.ID, &m.ChatID, &m.Role, &m.Content, &m.CreatedAt, &m.Feedback, (*[]byte)(&m.Metadata), &m.ModelName, &m.AgentID,
		&m.FinishReason, &m.IsTest, column.JSON(&m.Sources), column.JSON(&m.ImageURLs), column.JSON(&m.MemoryIDs), &m.StreamID,
		&m.ParentID)
	return m, err
}

// siblingsOf returns the siblings of some of a chat's messages once for each parent: a page may
// have hundreds of answers to one question.
const siblingsOf = `
	SELECT json_group_array(beside.id ORDER BY beside.position)
	FROM (SELECT DISTINCT parent FROM messages WHERE id IN (SELECT value FROM json_each($2))) AS parents
	CROSS JOIN messages AS beside INDEXED BY messages_beside ON beside.chat_id = $1 AND beside.parent = parents.parent
	GROUP BY parents.parent HAVING count(*) > 1`

// fillSiblings adds the ids of their siblings to messages of one chat.
func fillSiblings(ctx context.Context, tx store.Session, messages []wire.Message) error {
	if len(messages) == 0 {
		return nil
	}
	at := map[string]*wire.Message{}
	for i := range messages {
		at[messages[i].ID] = &messages[i]
	}
	ids, err := json.Marshal(slices.Collect(maps.Keys(at)))
	if err != nil {
		return err
	}
	all, err := store.Collect(ctx, tx, func(row store.Row) (siblings []string, err error) {
		err = row.Scan(column.JSON(&siblings))
		return siblings, err
	}, siblingsOf, messages[0].ChatID, string(ids))
	for _, siblings := range all {
		for _, id := range siblings {
			if message := at[id]; message != nil {
				message.Siblings = siblings
			}
		}
	}
	return err
}

// complete adds to messages of one chat what other tables and rows have of them: their siblings,
// the calls of answers, and for answers that are being written the text and the sources of their
// events so far.
func (s *Store) complete(ctx context.Context, tx store.Session, messages []wire.Message) error {
	for i := range messages { // this comes first: an open answer may end meanwhile
		if messages[i].StreamID == "" || messages[i].FinishReason != "" {
			continue
		}
		said, err := s.saidSoFar(ctx, tx, messages[i].StreamID)
		if err != nil {
			return err
		}
		messages[i].Content, messages[i].Sources = said.Text(), said.Sources
	}
	if err := fillSiblings(ctx, tx, messages); err != nil {
		return err
	}
	return fillCalls(ctx, tx, messages)
}

const (
	roleInScope = `SELECT role FROM messages JOIN chats ON chats.id = chat_id WHERE messages.id = $4 AND ` + inScope
	rateMessage = `UPDATE messages SET feedback = ? WHERE id = ?`
)

// SetFeedback implements chat.Chats.
func (s *Store) SetFeedback(ctx context.Context, scope access.Scope, chatID, messageID string, positive bool) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		var role string
		row := tx.Row(ctx, roleInScope, chatID, scope.ProjectID, scope.UserID, messageID)
		if err := store.OrNotFound(row.Scan(&role)); err != nil {
			return err
		}
		if role != wire.RoleAssistant {
			return chat.ErrNotAnswer
		}
		_, err := tx.Exec(ctx, rateMessage, positive, messageID)
		return err
	})
	return failed("rate message", messageID, err)
}

// extras are the columns of a message that wire.Message doesn't have.
type extras struct {
	options wire.JSON
	parent  int64 // its position, 0 for none
}

// insertMessage returns the message's position.
func insertMessage(ctx context.Context, tx store.Session, chatID string, m wire.Message, more extras) (position int64, err error) {
	err = tx.Row(ctx, `
		INSERT INTO messages (id, chat_id, role, content, created_at, feedback, metadata, model_name, agent_id,
			finish_reason, is_test, sources, image_urls, memory_ids, options, parent)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		RETURNING position`,
		m.ID, chatID, m.Role, m.Content, m.CreatedAt, m.Feedback, column.Text(m.Metadata), m.ModelName, m.AgentID,
		m.FinishReason, m.IsTest, column.JSON(&m.Sources), column.JSON(&m.ImageURLs), column.JSON(&m.MemoryIDs),
		column.Text(more.options), more.parent).Scan(&position)
	return position, err
}

// updateAnswer sets everything except the rating, which belongs to the reader.
const updateAnswer = `
	UPDATE messages SET content = ?, created_at = ?, metadata = ?, model_name = ?, agent_id = ?,
		finish_reason = ?, is_test = ?, sources = ?, image_urls = ?, memory_ids = ?
	WHERE id = ?`

func setAnswer(ctx context.Context, tx store.Session, m wire.Message) error {
	_, err := tx.Exec(ctx, updateAnswer,
		m.Content, m.CreatedAt, column.Text(m.Metadata), m.ModelName, m.AgentID,
		m.FinishReason, m.IsTest, column.JSON(&m.Sources), column.JSON(&m.ImageURLs), column.JSON(&m.MemoryIDs), m.ID)
	return err
}
