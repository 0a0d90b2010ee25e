package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/column"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// BeginTurn implements chat.Turns.
func (s *Store) BeginTurn(ctx context.Context, scope access.Scope, turn chat.Turn) error {
	chatID := turn.Question.ChatID
	if turn.NewChat != nil {
		chatID = turn.NewChat.ChatID
	}
	err := s.write(ctx, func(ctx context.Context, tx session) error { return s.beginTurn(ctx, tx, scope, chatID, turn) })
	return failed("begin a turn in chat", chatID, err)
}

func (s *Store) beginTurn(ctx context.Context, tx session, scope access.Scope, chatID string, turn chat.Turn) error {
	if err := storeImages(ctx, tx, turn.Images); err != nil { // first: it takes long, and holds nobody up
		return err
	}
	if err := take(ctx, tx, turn.Claim); err != nil {
		return err
	}
	if err := s.Limits.roomForTurn(ctx, tx, scope); err != nil {
		return err
	}
	if err := s.findOrMakeChat(ctx, tx, scope, chatID, turn); err != nil {
		return err
	}
	if err := storeMessages(ctx, tx, chatID, turn); err != nil {
		return err
	}
	if _, err := tx.exec(ctx, insertStream, turn.StreamID, turn.Answer.ID, turn.Question.ID,
		len(turn.Events), s.replica, scope.ProjectID, scope.UserID); err != nil {
		return err
	}
	if err := enqueue(ctx, tx, scope.ProjectID, chatID, turn); err != nil {
		return err
	}
	if err := insertEvents(ctx, tx, turn.StreamID, 0, stream.Number(0, turn.Events)); err != nil || turn.NewChat != nil {
		return err
	}
	return moveChat(ctx, tx, scope.ProjectID, chatID, begunAt(turn))
}

func begunAt(turn chat.Turn) float64 {
	if turn.Replaces != "" {
		return turn.Answer.CreatedAt
	}
	return turn.Question.CreatedAt
}

func (s *Store) findOrMakeChat(ctx context.Context, tx session, scope access.Scope, chatID string, turn chat.Turn) error {
	if turn.NewChat == nil {
		if err := hold(ctx, tx, scope, chatID); err != nil {
			return err
		}
		return lockExamined(ctx, tx, scope.ProjectID, turn)
	}
	if err := s.Limits.roomForChat(ctx, tx, scope); err != nil {
		return err
	}
	if err := lockExamined(ctx, tx, scope.ProjectID, turn); err != nil {
		return err
	}
	return insertChat(ctx, tx, scope, *turn.NewChat, turn.Question.CreatedAt)
}

// storeMessages stores the question, where it is a new one, and the answer.
func storeMessages(ctx context.Context, tx session, chatID string, turn chat.Turn) error {
	var position int64
	if err := tx.row(ctx, nextPositions).Scan(&position); err != nil {
		return err
	}
	if turn.Replaces != "" {
		if err := mayReplace(ctx, tx, chatID, turn.Replaces); err != nil {
			return err
		}
		return insertMessage(ctx, tx, chatID, turn.Answer, extras{position: position, replaces: turn.Replaces})
	}
	if err := insertMessage(ctx, tx, chatID, turn.Question, extras{position: position, options: turn.Options}); err != nil {
		return err
	}
	if err := insertImages(ctx, tx, turn.Question.ID, turn.Images); err != nil {
		return err
	}
	return insertMessage(ctx, tx, chatID, turn.Answer, extras{position: position + 1})
}

// canBeReplaced has a row for each answer of a chat that stands in its history.
const canBeReplaced = `
	SELECT finish_reason <> ''
		AND NOT EXISTS (SELECT 1 FROM messages AS later
			WHERE later.chat_id = old.chat_id AND later.position > old.position AND later.replaces IS NULL)
		AND NOT EXISTS (SELECT 1 FROM messages AS other JOIN streams ON message_id = other.id
			WHERE other.replaces = old.id AND ended_at IS NULL)
	FROM messages AS old WHERE id = $1 AND chat_id = $2 AND role = 'assistant' AND replaces IS NULL`

func mayReplace(ctx context.Context, tx session, chatID, answerID string) error {
	var can bool
	if err := orNotFound(tx.row(ctx, canBeReplaced, answerID, chatID).Scan(&can)); err != nil {
		return err
	}
	if !can {
		return chat.ErrNotLast
	}
	return nil
}

const (
	// chatOfStream locks the chat of a stream.
	chatOfStream = `
		SELECT chats.id, chats.project_id, named
		FROM streams JOIN messages ON messages.id = message_id JOIN chats ON chats.id = chat_id
		WHERE streams.id = $1 FOR NO KEY UPDATE OF chats`
	replacedBy = `SELECT coalesce(replaces, '') FROM messages WHERE id = $1`

	passStreamsOn         = `UPDATE idempotency_keys SET subject = $1 WHERE subject IN (SELECT id FROM streams WHERE message_id = $2)`
	deleteEventsOfMessage = `DELETE FROM events WHERE stream_id IN (SELECT id FROM streams WHERE message_id = $1)`
	deleteMessage         = `DELETE FROM messages WHERE id = $1 RETURNING position`
	takePlace             = `UPDATE messages SET position = $1, replaces = NULL WHERE id = $2`
)

// heldChat is a chat that is locked.
type heldChat struct {
	id, projectID string
	named         bool
}

// holdChatOf locks the chat of a stream. Where that is gone it is fault.ErrNotFound.
func holdChatOf(ctx context.Context, tx session, streamID string) (one heldChat, err error) {
	err = tx.row(ctx, chatOfStream, streamID).Scan(&one.id, &one.projectID, &one.named)
	return one, orNotFound(err)
}

// EndTurn implements chat.Turns.
func (s *Store) EndTurn(ctx context.Context, lease stream.Lease, answer wire.Message, end *chat.End) error {
	var stored chat.End
	err := s.write(ctx, func(ctx context.Context, tx session) (err error) {
		stored, err = endTurn(ctx, tx, lease, answer, *end)
		return err
	})
	if err == nil {
		*end = stored
	}
	return failed("end message", answer.ID, err)
}

// endTurn gives the end as it is stored.
func endTurn(ctx context.Context, tx session, lease stream.Lease, answer wire.Message, end chat.End) (chat.End, error) {
	held, err := holdChatOf(ctx, tx, lease.StreamID)
	switch {
	case err != nil:
		return end, err
	case end.Name != "" && !held.named:
		err = setName(ctx, tx, held.projectID, held.id, end.Name, end.At)
	case end.Name != "":
		end.Events = end.Events[1:]
	}
	if err != nil {
		return end, err
	}
	messageID, err := endStream(ctx, tx, lease, end)
	if err != nil {
		return end, err
	}
	if messageID != answer.ID {
		return end, errors.New("the stream carries another message")
	}
	if err := setAnswer(ctx, tx, answer); err != nil {
		return end, err
	}
	var replaces string
	err = tx.row(ctx, replacedBy, answer.ID).Scan(&replaces)
	if err == nil && replaces != "" && answer.FinishReason != wire.FinishError {
		err = replace(ctx, tx, replaces, answer.ID, lease.StreamID)
	}
	return end, err
}

// replace puts an answer in the place of another one.
func replace(ctx context.Context, tx session, oldID, newID, streamID string) error {
	if _, err := tx.exec(ctx, passStreamsOn, streamID, oldID); err != nil {
		return err
	}
	if _, err := tx.exec(ctx, deleteEventsOfMessage, oldID); err != nil {
		return err
	}
	var position int64
	if err := orNotFound(tx.row(ctx, deleteMessage, oldID).Scan(&position)); err != nil {
		return err
	}
	_, err := tx.exec(ctx, takePlace, position, newID)
	return err
}

const (
	// brokenAnswers are those whose owner's lease has run out, that of nobody, and those of this
	// replica that it says it doesn't write.
	brokenAnswers = `SELECT id FROM streams WHERE ` + isBroken
	isBroken      = `ended_at IS NULL AND CASE WHEN owner = $1 THEN id = ANY($2::text[]) ELSE owner IS NULL
		OR EXISTS (SELECT 1 FROM replicas WHERE replicas.id = owner AND lease_until < clock_timestamp()) END`
	// takeBroken locks one that is still broken off and that nobody else has in hand.
	takeBroken = `SELECT message_id, epoch FROM streams WHERE id = $3 AND ` + isBroken + ` FOR NO KEY UPDATE SKIP LOCKED`
	breakOff   = `UPDATE messages SET content = $1, sources = $2, finish_reason = $3 WHERE id = $4`
	nextEpoch  = `UPDATE streams SET epoch = epoch + 1, owner = $2 WHERE id = $1`
)

// EndBrokenTurns implements chat.Turns. Each is a transaction of its own,
// and several replicas may do it at once: each answer is ended by one.
func (s *Store) EndBrokenTurns(ctx context.Context, end chat.End, orphans ...string) ([]string, error) {
	all, err := s.endBrokenTurns(ctx, end, orphans)
	return all, failed("end", "broken turns", ended(ctx, err))
}

func (s *Store) endBrokenTurns(ctx context.Context, end chat.End, orphans []string) (ended []string, err error) {
	if orphans == nil {
		orphans = []string{}
	}
	open, err := collect(ctx, s.now(), scanText, brokenAnswers, s.replica, orphans)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // all of them, or none
	for _, streamID := range open {
		did := false
		err := s.write(ctx, func(ctx context.Context, tx session) (err error) {
			did, err = s.endBroken(ctx, tx, streamID, end, orphans)
			return err
		})
		if err != nil {
			return ended, fmt.Errorf("stream %s: %w", streamID, err)
		}
		if did {
			ended = append(ended, streamID)
		}
	}
	return ended, nil
}

// endBroken tells whether it ended the answer: another replica may have, or its owner may
// have renewed its lease.
func (s *Store) endBroken(ctx context.Context, tx session, streamID string, end chat.End, orphans []string) (bool, error) {
	var messageID string
	lease := stream.Lease{StreamID: streamID}
	err := orNotFound(tx.row(ctx, takeBroken, s.replica, orphans, streamID).Scan(&messageID, &lease.Epoch))
	if errors.Is(err, fault.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	said, err := saidSoFar(ctx, tx, streamID)
	if err != nil {
		return false, err
	}
	if _, err = tx.exec(ctx, breakOff, said.Text(), column.JSON(&said.Sources), wire.FinishError, messageID); err != nil {
		return false, err
	}
	end.Events = slices.Clone(end.Events)
	if _, err = endStream(ctx, tx, lease, end); err != nil {
		return false, err
	}
	_, err = tx.exec(ctx, nextEpoch, streamID, s.replica)
	return err == nil, err
}

const optionsOfQuestion = `SELECT options FROM messages WHERE id = $1 AND role = 'user'`

// SendOptions implements chat.Turns.
func (s *Store) SendOptions(ctx context.Context, questionID string) (options wire.JSON, err error) {
	err = s.now().row(ctx, optionsOfQuestion, questionID).Scan((*[]byte)(&options))
	return options, failed("read the options of message", questionID, ended(ctx, orNotFound(err)))
}
