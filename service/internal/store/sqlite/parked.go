package sqlite

import (
	"context"
	"encoding/json"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

const (
	// epochOfOpen is for a stream whose chat exists.
	epochOfOpen = `
		SELECT epoch, parked FROM streams JOIN messages ON messages.id = message_id JOIN chats ON chats.id = chat_id
		WHERE streams.id = ? AND ended_at IS NULL AND deleted_at IS NULL`
	parkStream = `UPDATE streams SET parked = 1, waits_for = ? WHERE id = ?`
	storeRound = `
		INSERT INTO rounds (stream_id, chat_id, text, calls, details) SELECT $1, chat_id, $2, $3, $4
		FROM streams JOIN messages ON messages.id = message_id WHERE streams.id = $1`
)

// ParkTurn implements chat.Calls. Doing it again is not an error: only its writer parks a stream, and
// only a parked stream gets another epoch.
func (s *Store) ParkTurn(ctx context.Context, lease stream.Lease, parking chat.Parking) error {
	calls, details, rows, err := textsOf(parking) // encoded before the transaction, because they may be long
	if err != nil {
		return failed("park", "a stream", err)
	}
	err = s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if parked, err := isParkedBy(ctx, tx, lease); parked || err != nil {
			return err
		}
		_, err := tx.Exec(ctx, storeRound, lease.StreamID, parking.Round.Text, calls, details)
		waitsFor := 0
		for i, call := range parking.Calls {
			if err == nil {
				_, err = tx.Exec(ctx, insertCall, rows[i]...)
			}
			if !call.IsSettled() {
				waitsFor++
			}
		}
		if err == nil {
			_, err = tx.Exec(ctx, parkStream, waitsFor, lease.StreamID)
		}
		if err == nil {
			err = s.append(ctx, tx, lease.StreamID, parking.Events)
		}
		s.open.park(s, lease.StreamID, true)
		return err
	})
	return failed("park", "a stream", err)
}

// textsOf returns the JSON of the calls that a round wanted and of its details, and the columns of its calls.
func textsOf(parking chat.Parking) (calls, details string, rows [][]any, err error) {
	text, err := json.Marshal(parking.Round.Calls)
	more := []byte(nil)
	if err == nil {
		more, err = json.Marshal(parking.Round.Details)
	}
	for _, call := range parking.Calls {
		if err == nil {
			var row []any
			row, err = store.RowOf(call)
			rows = append(rows, row)
		}
	}
	return string(text), string(more), rows, err
}

// isParkedBy reports whether the holder of a lease has already parked the stream. If it neither has
// nor may, it returns why.
func isParkedBy(ctx context.Context, tx store.Session, lease stream.Lease) (bool, error) {
	var epoch int64
	var parked bool
	if err := store.OrNotFound(tx.Row(ctx, epochOfOpen, lease.StreamID).Scan(&epoch, &parked)); err != nil {
		return false, err
	}
	if epoch < lease.Epoch {
		return false, stream.ErrTaken
	}
	return parked || epoch > lease.Epoch, nil
}

const (
	parkedStream = `
		SELECT chats.id, message_id, question_id, streams.project_id, streams.user_id, asked, epoch
		FROM streams JOIN messages ON messages.id = message_id JOIN chats ON chats.id = chat_id
		WHERE streams.id = ? AND parked = 1 AND ended_at IS NULL AND deleted_at IS NULL`
	// takeParked changes nothing if the stream has already been taken with this epoch.
	takeParked = `
		UPDATE streams SET parked = 0, epoch = $2 WHERE id = $1 AND ended_at IS NULL AND (
			parked = 0 AND epoch = $2 OR parked = 1 AND waits_for = 0 AND epoch = $2 - 1)`
)

// Parked implements chat.Calls.
func (s *Store) Parked(ctx context.Context, streamID string) (parked chat.Parked, err error) {
	err = s.read(ctx, func(ctx context.Context, tx store.Session) error {
		start := &parked.Start
		start.StreamID, parked.Lease.StreamID = streamID, streamID
		err := tx.Row(ctx, parkedStream, streamID).Scan(&start.ChatID, &start.MessageID, &start.UserMessageID,
			&parked.Scope.ProjectID, &parked.Scope.UserID, store.JSON(&parked.Asked), &parked.Lease.Epoch)
		if err := store.OrNotFound(err); err != nil {
			return err
		}
		parked.LastID, err = s.lastOfOpen(ctx, tx, streamID)
		return err
	})
	return parked, failed("read", "a parked stream", err)
}

// TakeTurn implements chat.Calls. Doing it again is not an error.
func (s *Store) TakeTurn(ctx context.Context, lease stream.Lease) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		count, err := tx.Exec(ctx, takeParked, lease.StreamID, lease.Epoch)
		if err == nil && count == 0 {
			err = chat.ErrNotReady
		}
		if err == nil {
			s.open.park(s, lease.StreamID, false)
		}
		return err
	})
	return failed("take", "a parked stream", err)
}

// park records whether an open stream waits for calls. If it does, it is not being written.
func (o *openStreams) park(s *Store, streamID string, parked bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if one := o.byID[streamID]; one != nil {
		before := one.parked
		one.parked = parked
		s.orElse(func() {
			o.mu.Lock()
			defer o.mu.Unlock()
			one.parked = before
		})
	}
}
