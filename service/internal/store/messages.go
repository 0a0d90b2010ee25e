package store

import (
	"context"
	"maps"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

const (
	// selectMessages also returns the stream of an answer that is being written.
	selectMessages = `
		SELECT messages.id, chat_id, role, content, created_at, feedback, metadata, model_name, agent_id,
			finish_reason, is_test, sources, image_urls, memory_ids, details,
			coalesce((SELECT streams.id FROM streams WHERE message_id = messages.id AND ended_at IS NULL), ''),
			coalesce((SELECT above.id FROM messages AS above WHERE above.position = messages.parent), '')
		FROM messages`
	OneMessage    = selectMessages + ` WHERE messages.id = $1`
	MessageOfChat = selectMessages + ` WHERE id = $1 AND chat_id = $2`

	RateMessage = `UPDATE messages SET feedback = $1 WHERE id = $2`
	// UpdateAnswer sets everything except the rating, which belongs to the reader.
	UpdateAnswer = `
		UPDATE messages SET content = $1, created_at = $2, metadata = $3, model_name = $4, agent_id = $5,
			finish_reason = $6, is_test = $7, sources = $8, image_urls = $9, memory_ids = $10, details = $11
		WHERE id = $12`
	optionsOfQuestion = `SELECT options FROM messages WHERE id = $1 AND role = 'user'`
)

func scanMessage(row Row) (m wire.Message, err error) {
	var more *details
	err = row.Scan(&m.ID, &m.ChatID, &m.Role, &m.Content, &m.CreatedAt, &m.Feedback, (*[]byte)(&m.Metadata), &m.ModelName, &m.AgentID,
		&m.FinishReason, &m.IsTest, JSON(&m.Sources), JSON(&m.ImageURLs), JSON(&m.MemoryIDs), JSON(&more),
		&m.StreamID, &m.ParentID)
	if more != nil {
		m.Usage, m.LeftOut, m.Reasoning = more.Usage, more.LeftOut, more.Reasoning
	}
	return m, err
}

// details are what a column keeps of an answer as JSON.
type details struct {
	Usage     *wire.Usage   `json:"usage,omitempty"`
	LeftOut   *wire.LeftOut `json:"left_out,omitempty"`
	Reasoning string        `json:"reasoning,omitempty"`
	// Marks are for later prompts alone. RecentExchanges of each Store looks for this name.
	Marks []answering.Mark `json:"marks,omitempty"`
}

// detailsOf returns the details of a message as a value of their column, NULL for none.
func detailsOf(m wire.Message, marks []answering.Mark) Value {
	more := &details{m.Usage, m.LeftOut, m.Reasoning, marks}
	if m.Usage == nil && m.LeftOut == nil && m.Reasoning == "" && len(marks) == 0 {
		more = nil
	}
	return JSON(&more)
}

// Extras are the columns of a message that wire.Message doesn't have.
type Extras struct {
	// Position is given by the database if it is nil.
	Position *int64
	Options  wire.JSON
	Parent   int64 // its position, 0 for none
}

const insertMessage = `
	INSERT INTO messages (position, id, chat_id, role, content, created_at, feedback, metadata, model_name, agent_id,
		finish_reason, is_test, sources, image_urls, memory_ids, options, parent, details)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
	RETURNING position`

// InsertMessage returns the message's position.
func InsertMessage(ctx context.Context, tx Session, chatID string, m wire.Message, more Extras) (position int64, err error) {
	return ScanNumber(tx.Row(ctx, insertMessage,
		more.Position, m.ID, chatID, m.Role, m.Content, m.CreatedAt, m.Feedback, Text(m.Metadata), m.ModelName, m.AgentID,
		m.FinishReason, m.IsTest, JSON(&m.Sources), JSON(&m.ImageURLs), JSON(&m.MemoryIDs),
		Text(more.Options), more.Parent, detailsOf(m, nil)))
}

// SetAnswer stores an answer that has ended, with the marks that the model wrote into it.
func SetAnswer(ctx context.Context, tx Session, m wire.Message, marks []answering.Mark) error {
	_, err := tx.Exec(ctx, UpdateAnswer,
		m.Content, m.CreatedAt, Text(m.Metadata), m.ModelName, m.AgentID,
		m.FinishReason, m.IsTest, JSON(&m.Sources), JSON(&m.ImageURLs), JSON(&m.MemoryIDs), detailsOf(m, marks), m.ID)
	return err
}

// SetFeedback implements chat.Chats.
func (t *Tables) SetFeedback(ctx context.Context, scope access.Scope, chatID, messageID string, positive bool) error {
	err := t.db.Write(ctx, func(ctx context.Context, tx Session) error {
		role, err := First(ctx, tx, ScanText, t.q.RoleInScope, chatID, scope.ProjectID, scope.UserID, messageID)
		if err != nil {
			return err
		}
		if role != wire.RoleAssistant {
			return chat.ErrNotAnswer
		}
		return Touched(tx.Exec(ctx, RateMessage, positive, messageID)) // it may have been deleted meanwhile
	})
	return t.db.Failed("rate message", messageID, err)
}

// SendOptions implements chat.Turns.
func (t *Tables) SendOptions(ctx context.Context, questionID string) (options wire.JSON, err error) {
	err = t.db.Now().Row(ctx, optionsOfQuestion, questionID).Scan((*[]byte)(&options))
	return options, t.db.Failed("read the options of message", questionID, OrNotFound(err))
}

// Begun implements chat.Calls.
func (t *Tables) Begun(ctx context.Context, parked chat.Parked) (wire.Message, error) {
	answer, err := First(ctx, t.db.Now(), scanMessage, OneMessage, parked.Start.MessageID)
	return answer, t.db.Failed("read the answer of", "a parked stream", err)
}

// message returns one message, complete.
func (t *Tables) message(ctx context.Context, tx Session, query string, args ...any) (wire.Message, error) {
	message, err := First(ctx, tx, scanMessage, query, args...)
	if err != nil {
		return wire.Message{}, err
	}
	messages := []wire.Message{message}
	err = t.complete(ctx, tx, messages)
	return messages[0], err
}

// complete adds to messages of one chat what other tables and rows have of them: their siblings,
// the calls of answers, and for answers that are being written the text and the sources of their
// events so far.
func (t *Tables) complete(ctx context.Context, tx Session, messages []wire.Message) error {
	for i := range messages { // this comes first: in SQLite an open answer may end meanwhile
		if messages[i].StreamID == "" || messages[i].FinishReason != "" {
			continue
		}
		said, err := t.db.SaidSoFar(ctx, tx, messages[i].StreamID)
		if err != nil {
			return err
		}
		messages[i].Content, messages[i].Sources, messages[i].ImageURLs = said.Text(), said.Sources, said.Images
		messages[i].Reasoning = said.Reasoning()
	}
	if err := t.fillSiblings(ctx, tx, messages); err != nil {
		return err
	}
	return t.fillCalls(ctx, tx, messages)
}

// fillSiblings adds the ids of their siblings to messages of one chat.
func (t *Tables) fillSiblings(ctx context.Context, tx Session, messages []wire.Message) error {
	if len(messages) == 0 {
		return nil
	}
	at := map[string]*wire.Message{}
	for i := range messages {
		at[messages[i].ID] = &messages[i]
	}
	return tx.Each(ctx, func(row Row) (bool, error) {
		var siblings []string
		err := row.Scan(JSON(&siblings))
		for _, id := range siblings {
			if message := at[id]; message != nil {
				message.Siblings = siblings
			}
		}
		return true, err
	}, t.q.SiblingsOf, messages[0].ChatID, slices.Collect(maps.Keys(at)))
}

// Stream implements chat.Streams.
func (t *Tables) Stream(ctx context.Context, scope access.Scope, streamID string) (stored chat.StoredStream, err error) {
	err = t.db.Read(ctx, func(ctx context.Context, tx Session) error {
		if stored, err = t.db.HeadOf(ctx, tx, scope, streamID); err != nil {
			return err
		}
		stored.Answer, err = t.message(ctx, tx, OneMessage, stored.Start.MessageID)
		stored.Answer.StreamID = ""
		return err
	})
	return stored, t.db.Failed("read", "a stream", err)
}
