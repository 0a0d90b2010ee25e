package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// isParked is the condition for a stream that waits for tool calls. No replica has the id
// parked, because ids of replicas have a slash.
const isParked = `owner = 'parked' AND ended_at IS NULL`

const (
	// parkStream parks a stream for the writer who has its epoch.
	parkStream = `
		UPDATE streams SET owner = 'parked', waits_for = $3, last_id = last_id + $4
		WHERE id = $1 AND epoch = $2 AND ended_at IS NULL AND owner <> 'parked' RETURNING last_id`
	storeRound = `INSERT INTO rounds (stream_id, epoch, text, calls, details) VALUES ($1, $2, $3, $4, $5)`
	hasRound   = `SELECT EXISTS (SELECT 1 FROM rounds WHERE stream_id = $1 AND epoch = $2)`
	idOfEvent  = `SELECT coalesce(min(id), 0) FROM events WHERE stream_id = $1 AND type = $2 AND data = $3`
)

// ParkTurn implements chat.Calls. Doing it again is not an error, whatever has happened to the
// answer since, because the reply of the first try may have been lost.
func (s *Store) ParkTurn(ctx context.Context, lease stream.Lease, parking chat.Parking) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		waitsFor := 0
		for _, call := range parking.Calls {
			if !call.IsSettled() {
				waitsFor++
			}
		}
		var last int64
		err := tx.Row(ctx, parkStream, lease.StreamID, lease.Epoch, waitsFor, len(parking.Events)).Scan(&last)
		if errors.Is(err, sql.ErrNoRows) {
			return wasParked(ctx, tx, lease, parking.Events)
		}
		if err != nil {
			return err
		}
		return storeParking(ctx, tx, lease, parking, last-int64(len(parking.Events)))
	})
	return failed("park", "a stream", err)
}

// storeParking stores a round, its calls, and its events after the one with the id last.
func storeParking(ctx context.Context, tx store.Session, lease stream.Lease, parking chat.Parking, last int64) error {
	calls, err := json.Marshal(parking.Round.Calls)
	if err == nil {
		_, err = tx.Exec(ctx, storeRound, lease.StreamID, lease.Epoch, parking.Round.Text, string(calls), store.JSON(&parking.Round.Details))
	}
	for _, call := range parking.Calls {
		if err == nil {
			var row []any
			if row, err = store.RowOf(call); err == nil {
				_, err = tx.Exec(ctx, insertCall, row...)
			}
		}
	}
	if err != nil {
		return err
	}
	return insertEvents(ctx, tx, lease.StreamID, last, stream.Number(last, parking.Events))
}

// wasParked sets the ids of the events if their round is already stored. If not, it returns why
// nothing was parked.
func wasParked(ctx context.Context, tx store.Session, lease stream.Lease, events []chat.Event) error {
	var stored bool
	if err := tx.Row(ctx, hasRound, lease.StreamID, lease.Epoch).Scan(&stored); err != nil {
		return err
	}
	if !stored {
		return whyNot(ctx, tx, lease.StreamID)
	}
	if len(events) == 0 {
		return nil
	}
	var first int64
	err := tx.Row(ctx, idOfEvent, lease.StreamID, events[0].Type, events[0].Data).Scan(&first)
	if err == nil {
		stream.Number(first-1, events)
	}
	return err
}

const (
	parkedStream = `
		SELECT chat_id, message_id, question_id, project_id, user_id, coalesce(asked, '{}'), epoch, last_id, stop_asked
		FROM streams JOIN messages ON messages.id = message_id WHERE streams.id = $1 AND ` + isParked
	// takeParked changes nothing if this replica has already taken the stream with this epoch,
	// because the reply of that try may have been lost.
	takeParked = `
		UPDATE streams SET owner = $3, epoch = $2 WHERE id = $1 AND ended_at IS NULL AND (
			owner = $3 AND epoch = $2 OR owner = 'parked' AND epoch = $2 - 1 AND waits_for = 0 AND NOT stop_asked)`
)

// Parked implements chat.Calls.
func (s *Store) Parked(ctx context.Context, streamID string) (parked chat.Parked, err error) {
	start, asked := &parked.Start, ""
	start.StreamID, parked.Lease.StreamID = streamID, streamID
	row := s.now().Row(ctx, parkedStream, streamID)
	err = store.OrNotFound(row.Scan(&start.ChatID, &start.MessageID, &start.UserMessageID,
		&parked.Scope.ProjectID, &parked.Scope.UserID, &asked, &parked.Lease.Epoch, &parked.LastID, &parked.StopAsked))
	if err == nil {
		err = json.Unmarshal([]byte(asked), &parked.Asked)
	}
	if err != nil {
		return chat.Parked{}, failed("read", "a parked stream", err)
	}
	return parked, nil
}

// TakeTurn implements chat.Calls. Doing it again by this replica is not an error.
func (s *Store) TakeTurn(ctx context.Context, lease stream.Lease) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		return store.OrElse(store.SomeRow(tx.Exec(ctx, takeParked, lease.StreamID, lease.Epoch, s.replica)), chat.ErrNotReady)
	})
	return failed("take", "a parked stream", err)
}
