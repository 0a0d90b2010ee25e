package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// BeginTurn implements chat.Turns.
func (s *Store) BeginTurn(ctx context.Context, scope access.Scope, turn chat.Turn) error {
	chatID := store.ChatOf(turn)
	err := s.storeImages(ctx, turn.Images)
	if err == nil {
		err = s.beginTurn(ctx, scope, chatID, turn)
	}
	if err != nil {
		err = errors.Join(err, s.removeFiles(ctx, images.IDs(turn.Images)...))
	}
	return failed("begin a turn in chat", chatID, err)
}

func (s *Store) beginTurn(ctx context.Context, scope access.Scope, chatID string, turn chat.Turn) error {
	return s.writeWithin(ctx, beginPatience, func(ctx context.Context, tx store.Session) error {
		if err := store.Take(ctx, tx, turn.Key); err != nil {
			return err
		}
		if err := s.findOrMakeChat(ctx, tx, scope, chatID, turn); err != nil {
			return err
		}
		before, err := s.storeMessages(ctx, tx, chatID, turn)
		if err != nil {
			return err
		}
		start := wire.Start{StreamID: turn.StreamID, ChatID: chatID, MessageID: turn.Answer.ID, UserMessageID: turn.Question.ID}
		if err := s.begin(ctx, tx, start, before); err != nil {
			return err
		}
		if turn.Asked != nil {
			if _, err := tx.Exec(ctx, askedOf, store.JSON(&turn.Asked), scope.ProjectID, scope.UserID, turn.StreamID); err != nil {
				return err
			}
		}
		if err := store.Enqueue(ctx, tx, scope.ProjectID, chatID, turn); err != nil {
			return err
		}
		return s.append(ctx, tx, turn.StreamID, turn.Events)
	})
}

// storeMessages stores what a turn adds to its chat: see Queries.StoreMessages.
func (s *Store) storeMessages(ctx context.Context, tx store.Session, chatID string, turn chat.Turn) (before *int64, err error) {
	parent, err := turn.Follows(ctx, queries.Tree(tx, chatID))
	if err == nil && turn.Edits != "" {
		s.erases() // the pending memories of the question that is edited
		err = store.ForgetQuestion(ctx, tx, chatID, turn.Edits)
	}
	if err == nil {
		before, err = queries.StoreMessages(ctx, tx, chatID, turn, parent, nil)
	}
	if err == nil {
		err = nameFiles(ctx, tx, turn.Images)
	}
	return before, err
}

func (s *Store) findOrMakeChat(ctx context.Context, tx store.Session, scope access.Scope, chatID string, turn chat.Turn) error {
	if turn.NewChat != nil {
		return s.insertChat(ctx, tx, scope, *turn.NewChat, turn.Question.CreatedAt)
	}
	return moveChat(ctx, tx, scope, chatID, store.BegunAt(turn))
}

const askedOf = `UPDATE streams SET asked = ?, project_id = ?, user_id = ? WHERE id = ?`

const (
	unnamed  = `SELECT project_id FROM chats WHERE id = ? AND NOT named`
	nameChat = `UPDATE chats SET name = ?, named = 1, place = ?, updated_at = ? WHERE id = ?`
)

// name names a chat that nobody has named, and reports whether it did.
func name(ctx context.Context, tx store.Session, chatID string, end *chat.End) (bool, error) {
	var projectID string
	err := tx.Row(ctx, unnamed, chatID).Scan(&projectID)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	place := int64(0)
	if err == nil {
		place, err = nextPlace(ctx, tx, projectID)
	}
	if err == nil {
		_, err = tx.Exec(ctx, nameChat, end.Name, place, end.At, chatID)
	}
	return err == nil, err
}

const (
	// For a stream that is being written.
	openTurn = `
		SELECT messages.id, chat_id, epoch FROM streams JOIN messages ON messages.id = message_id
		WHERE streams.id = ? AND ended_at IS NULL`
)

// EndTurn implements chat.Turns.
func (s *Store) EndTurn(ctx context.Context, lease stream.Lease, answer wire.Message, end *chat.End) error {
	var stored chat.End
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		var messageID, chatID string
		var epoch int64
		row := tx.Row(ctx, openTurn, lease.StreamID)
		if err := store.OrNotFound(row.Scan(&messageID, &chatID, &epoch)); err != nil {
			return err
		}
		if epoch != lease.Epoch {
			return stream.ErrTaken
		}
		for _, call := range end.Calls {
			if _, err := queries.SetCall(ctx, tx, call); err != nil {
				return err
			}
		}
		if messageID != answer.ID {
			return errors.New("the stream carries another message")
		}
		if err := store.SetAnswer(ctx, tx, answer, end.Marks); err != nil {
			return err
		}
		stored = *end
		if end.Name != "" {
			named, err := name(ctx, tx, chatID, end)
			if err != nil {
				return err
			}
			if !named {
				stored.Events = end.Unnamed()
			}
		}
		if err := s.end(ctx, tx, lease.StreamID, stored); err != nil {
			return err
		}
		if !chat.SaidNothing(answer) {
			return nil
		}
		_, err := tx.Exec(ctx, store.ReturnPath, lease.StreamID)
		return err
	})
	if err == nil {
		*end = stored
	}
	return failed("end message", answer.ID, err)
}

type openAnswer struct{ streamID, messageID string }

const openAnswers = `SELECT id, message_id FROM streams WHERE ended_at IS NULL AND swept = 0 AND parked = 0`

// EndBrokenTurns implements chat.Turns. It ends each answer in its own transaction.
func (s *Store) EndBrokenTurns(ctx context.Context, end chat.End, _ ...string) (streamIDs []string, err error) {
	open, err := store.Collect(ctx, s.now(), scanOpenAnswer, openAnswers)
	ctx = context.WithoutCancel(ctx) // all of them, or none
	for _, one := range open {
		if err != nil {
			break
		}
		err = s.write(ctx, func(ctx context.Context, tx store.Session) error { return s.endBroken(ctx, tx, one, end) })
		if err != nil {
			err = fmt.Errorf("message %s: %w", one.messageID, err)
		}
		streamIDs = append(streamIDs, one.streamID)
	}
	if err != nil {
		return nil, failed("end", "broken turns", err)
	}
	return streamIDs, nil
}

func scanOpenAnswer(row store.Row) (one openAnswer, err error) {
	err = row.Scan(&one.streamID, &one.messageID)
	return one, err
}

func (s *Store) endBroken(ctx context.Context, tx store.Session, one openAnswer, end chat.End) error {
	said, err := s.saidSoFar(ctx, tx, one.streamID)
	if err != nil {
		return err
	}
	if err := queries.BreakOff(ctx, tx, one.streamID, one.messageID, said); err != nil {
		return err
	}
	end.Events = slices.Clone(end.Events)
	return s.end(ctx, tx, one.streamID, end)
}
