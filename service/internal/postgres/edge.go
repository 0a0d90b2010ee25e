package postgres

import (
	"context"
	"errors"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// Lease is the right to write a stream.
type Lease struct {
	StreamID string
	Epoch    int64
}

// ErrTaken is a stream that another replica has taken over.
var ErrTaken = errors.New("another replica writes the stream")

const (
	anyEpoch = 0
	anyID    = -1
)

// AppendEvents implements stream.Store.
func (s *Store) AppendEvents(ctx context.Context, streamID string, events []chat.Event) error {
	after := int64(anyID)
	if len(events) > 0 {
		if after = events[0].ID - 1; after < 0 {
			after = -2 // no stream is there
		}
	}
	err := inOrder(after, events)
	if err == nil {
		_, err = s.append(ctx, Lease{streamID, anyEpoch}, after, events)
	}
	return failed("append events to", "a stream", err)
}

// EndTurn implements chat.Turns.
func (s *Store) EndTurn(ctx context.Context, streamID string, answer wire.Message, end chat.End) error {
	err := s.write(ctx, func(ctx context.Context, tx session) error {
		if _, err := holdChatOf(ctx, tx, streamID); err != nil {
			return err
		}
		events, err := endTurn(ctx, tx, Lease{streamID, anyEpoch}, answer, end)
		if err == nil && len(events) > 0 {
			err = inOrder(events[0].ID-1, end.Events)
		}
		return err
	})
	return failed("end message", answer.ID, err)
}

// EndBrokenTurns implements chat.Turns.
func (s *Store) EndBrokenTurns(ctx context.Context, end chat.End) (int, error) {
	all, err := s.endBrokenTurns(ctx, end)
	return len(all), failed("end", "broken turns", ended(ctx, err))
}

// NameChat implements chat.Turns.
func (s *Store) NameChat(ctx context.Context, chatID, name string, at float64) (did bool, err error) {
	err = s.write(ctx, func(ctx context.Context, tx session) error {
		var projectID string
		var named bool
		row := tx.row(ctx, `SELECT project_id, named FROM chats WHERE id = $1 FOR NO KEY UPDATE`, chatID)
		did = false
		if err := found(row.Scan(&projectID, &named)); err != nil || named {
			return err
		}
		did = true
		return setName(ctx, tx, projectID, chatID, name, at)
	})
	return did && err == nil, failed("name chat", chatID, err)
}
