package postgres

import (
	"context"
	"maps"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/column"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

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
// have hundreds of answers to one question. OFFSET 0 has each parent looked up in the index.
const siblingsOf = `
	SELECT json_agg(id ORDER BY position)::text
	FROM (SELECT DISTINCT parent FROM messages WHERE id = ANY($2)) AS parents CROSS JOIN LATERAL (
		SELECT id, position FROM messages WHERE chat_id = $1 AND parent = parents.parent OFFSET 0
	) AS beside
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
	return tx.Each(ctx, func(row store.Row) (bool, error) {
		var siblings []string
		err := row.Scan(column.JSON(&siblings))
		for _, id := range siblings {
			if message := at[id]; message != nil {
				message.Siblings = siblings
			}
		}
		return true, err
	}, siblingsOf, messages[0].ChatID, slices.Collect(maps.Keys(at)))
}

// complete adds to messages of one chat what other tables and rows have of them: their siblings,
// the calls of answers, and for answers that are being written the text and the sources of their
// events so far.
func complete(ctx context.Context, tx store.Session, messages []wire.Message) error {
	if err := fillSiblings(ctx, tx, messages); err != nil {
		return err
	}
	if err := fillCalls(ctx, tx, messages); err != nil {
		return err
	}
	for i := range messages {
		if messages[i].StreamID == "" || messages[i].FinishReason != "" {
			continue
		}
		said, err := saidSoFar(ctx, tx, messages[i].StreamID)
		if err != nil {
			return err
		}
		messages[i].Content, messages[i].Sources = said.Text(), said.Sources
	}
	return nil
}

const (
	roleInScope = `SELECT role FROM messages JOIN chats ON chats.id = chat_id WHERE messages.id = $4 AND ` + inScope
	rateMessage = `UPDATE messages SET feedback = $1 WHERE id = $2`
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
		return store.Touched(tx.Exec(ctx, rateMessage, positive, messageID)) // it may have been deleted meanwhile
	})
	return failed("rate message", messageID, err)
}

// extras are the columns of a message that wire.Message doesn't have.
type extras struct {
	position int64
	options  wire.JSON
	parent   int64 // its position, 0 for none
}

const (
	// nextPositions returns the first of two consecutive positions. The chat is locked, so that
	// later positions in it are higher.
	nextPositions = `SELECT nextval('message_positions')`
	addMessage    = `
		INSERT INTO messages (position, id, chat_id, role, content, created_at, feedback, metadata, model_name, agent_id,
			finish_reason, is_test, sources, image_urls, memory_ids, options, parent)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`
	// updateAnswer sets everything except the rating, which belongs to the reader.
	updateAnswer = `
		UPDATE messages SET content = $1, created_at = $2, metadata = $3, model_name = $4, agent_id = $5,
			finish_reason = $6, is_test = $7, sources = $8, image_urls = $9, memory_ids = $10
		WHERE id = $11`
)

func insertMessage(ctx context.Context, tx store.Session, chatID string, m wire.Message, more extras) error {
	_, err := tx.Exec(ctx, addMessage,
		more.position, m.ID, chatID, m.Role, m.Content, m.CreatedAt, m.Feedback, column.Text(m.Metadata), m.ModelName, m.AgentID,
		m.FinishReason, m.IsTest, column.JSON(&m.Sources), column.JSON(&m.ImageURLs), column.JSON(&m.MemoryIDs),
		column.Text(more.options), more.parent)
	return err
}

func setAnswer(ctx context.Context, tx store.Session, m wire.Message) error {
	_, err := tx.Exec(ctx, updateAnswer,
		m.Content, m.CreatedAt, column.Text(m.Metadata), m.ModelName, m.AgentID,
		m.FinishReason, m.IsTest, column.JSON(&m.Sources), column.JSON(&m.ImageURLs), column.JSON(&m.MemoryIDs), m.ID)
	return err
}
