package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

const (
	// streamInScope is like inScope for the chat of a stream.
	streamInScope = `
		SELECT streams.id, chats.id, message_id, question_id, coalesce(ended_at, 0), last_id, error, parked
		FROM streams JOIN messages ON messages.id = message_id JOIN chats ON chats.id = chat_id
		WHERE streams.id = $1 AND chats.project_id = $2 AND ($3 = '' OR chats.user_id = $3) AND deleted_at IS NULL`
	ofSeenChat    = ` streams JOIN messages ON messages.id = message_id JOIN chats ON chats.id = chat_id WHERE streams.id = $1 AND deleted_at IS NULL`
	partsOfStream = `SELECT ended_at IS NOT NULL, swept, number, coalesce(places, '') FROM` + ofSeenChat
	insertStream  = `
		INSERT INTO streams (id, message_id, question_id, ended_at, last_id, error, swept, number, path_before)
		VALUES (?, ?, ?, NULL, 0, NULL, 0, ?, ?)`
	endStream = `UPDATE streams SET ended_at = ?, last_id = ?, error = ?, places = ?, parked = 0 WHERE id = ?`
)

// StreamHead implements chat.Streams.
func (s *Store) StreamHead(ctx context.Context, scope access.Scope, streamID string) (head chat.StoredStream, err error) {
	err = s.read(ctx, func(ctx context.Context, tx store.Session) (err error) {
		head, err = s.headOf(ctx, tx, scope, streamID)
		return err
	})
	return head, failed("read", "a stream", err)
}

func (s *Store) headOf(ctx context.Context, tx store.Session, scope access.Scope, streamID string) (head chat.StoredStream, err error) {
	head, err = store.First(ctx, tx, store.ScanHead, streamInScope, streamID, scope.ProjectID, scope.UserID)
	if err == nil && head.EndedAt == 0 {
		head.LastID, err = s.lastOfOpen(ctx, tx, streamID)
	}
	return head, err
}

// lastOfOpen returns the id of the last event of an open stream, within a transaction.
func (s *Store) lastOfOpen(ctx context.Context, tx store.Session, streamID string) (int64, error) {
	number, places, found := s.open.places(streamID)
	if !found {
		return 0, errEndedMeanwhile
	}
	for _, at := range slices.Backward(places) { // the newest may not be committed
		events, err := readEvents(ctx, tx, number, []place{at}, at.first-1, math.MaxInt)
		if n := len(events); n > 0 || err != nil {
			return at.first + int64(n) - 1, err
		}
	}
	return 0, nil
}

// Events implements stream.Store.
func (s *Store) Events(ctx context.Context, streamID string, after int64, limit int) (events []chat.Event, err error) {
	err = s.read(ctx, func(ctx context.Context, tx store.Session) error {
		number, places, ended, err := s.whereEventsAre(ctx, tx, streamID)
		if err != nil {
			return err
		}
		events, err = readEvents(ctx, tx, number, places, after, limit)
		if err == nil && len(events) == 0 && ended {
			err = io.EOF
		}
		return err
	})
	if err == io.EOF {
		return nil, err
	}
	return events, failed("read events of", "a stream", err)
}

// whereEventsAre returns the places of a stream whose chat exists.
func (s *Store) whereEventsAre(ctx context.Context, tx store.Session, streamID string) (number int64, places []place, ended bool, err error) {
	var swept bool
	var text string
	err = tx.Row(ctx, partsOfStream, streamID).Scan(&ended, &swept, &number, &text)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		err = stream.ErrDeleted
	case err != nil:
	case swept:
		err = stream.ErrSwept
	case ended:
		places, err = placesOf(text)
	default:
		var found bool
		if number, places, found = s.open.places(streamID); !found {
			err = errEndedMeanwhile
		}
	}
	return number, places, ended, err
}

// begin stores a stream for an answer to a question.
func (s *Store) begin(ctx context.Context, tx store.Session, start wire.Start, before *int64) error {
	number := s.open.take()
	if _, err := tx.Exec(ctx, insertStream, start.StreamID, start.MessageID, start.UserMessageID, number, before); err != nil {
		return err
	}
	s.openStream(start.StreamID, start.ChatID, number)
	return nil
}

// end ends a stream, with its last events, which get the next ids.
func (s *Store) end(ctx context.Context, tx store.Session, streamID string, end chat.End) error {
	if err := s.append(ctx, tx, streamID, end.Events); err != nil {
		return err
	}
	last, places := s.closeStream(streamID)
	_, err := tx.Exec(ctx, endStream, end.At, last, store.JSON(&end.Error), textOfPlaces(places), streamID)
	return err
}

const messagesOfStream = `SELECT message_id, question_id, chat_id FROM` + ofSeenChat

// Retell implements chat.Streams.
func (s *Store) Retell(ctx context.Context, old, streamID string, end chat.End) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		start := wire.Start{StreamID: streamID}
		if err := store.OrNotFound(tx.Row(ctx, messagesOfStream, old).Scan(&start.MessageID, &start.UserMessageID, &start.ChatID)); err != nil {
			return err
		}
		if err := store.PassOn(ctx, tx, old, streamID); err != nil {
			return err
		}
		if err := s.begin(ctx, tx, start, nil); err != nil {
			return err
		}
		return s.end(ctx, tx, streamID, end)
	})
	return failed("retell", "a stream", err)
}

// sweepRows is how many rows one transaction sweeps at most, so that no writer waits for long.
const sweepRows = 512

const (
	streamsToSweep = `SELECT id, number, coalesce(places, '') FROM streams WHERE swept = 0 AND ended_at <= ? LIMIT ?`
	sweepEvents    = `
		DELETE FROM events WHERE position IN (SELECT value FROM json_each($1) WHERE key % 2 = 1) AND stream = $2`
	streamIsSwept = `UPDATE streams SET swept = 1, places = NULL WHERE id = ?`
)

// Sweep implements chat.Streams. It uses many transactions, and none of them changes what readers
// see. If a part fails, the others still run.
func (s *Store) Sweep(ctx context.Context, ended, claimed float64) error {
	_, erased := s.erase(ctx)
	keys := s.inSteps(ctx, func(ctx context.Context, tx store.Session) (int64, error) {
		return tx.Exec(ctx, queries.SweepKeys, claimed, sweepRows)
	})
	swept := s.sweepStreams(ctx, ended)
	_, emptied := s.emptyLog(ctx)
	err := errors.Join(erased, keys, swept, emptied)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return failed("sweep", "streams, idempotency keys and what was deleted", err)
}

func (s *Store) sweepStreams(ctx context.Context, ended float64) error {
	for {
		all, err := store.Collect(ctx, s.now(), scanSweeping, streamsToSweep, ended, sweepRows)
		if err != nil || len(all) == 0 {
			return err
		}
		if err := s.sweep(ctx, all); err != nil {
			return err
		}
	}
}

// sweeping is a stream whose events are to be removed.
type sweeping struct {
	id     string
	number int64
	places []place
}

func scanSweeping(row store.Row) (one sweeping, err error) {
	var text string
	if err = row.Scan(&one.id, &one.number, &text); err == nil {
		one.places, err = placesOf(text)
	}
	return one, err
}

// sweep removes the events of streams in steps of a limited number of rows.
func (s *Store) sweep(ctx context.Context, all []sweeping) error {
	for len(all) > 0 {
		var rest []sweeping
		err := s.writeFreeing(ctx, func(ctx context.Context, tx store.Session) (err error) {
			rest, err = sweepSome(ctx, tx, slices.Clone(all))
			return err
		})
		if err != nil {
			return err
		}
		all = rest
	}
	return nil
}

// sweepSome returns what is left.
func sweepSome(ctx context.Context, tx store.Session, all []sweeping) ([]sweeping, error) {
	for left := sweepRows; left > 0 && len(all) > 0; {
		one := &all[0]
		some := one.places[:min(left, len(one.places))]
		if _, err := tx.Exec(ctx, sweepEvents, textOfPlaces(some), one.number); err != nil {
			return nil, err
		}
		left -= len(some) + 1
		if one.places = one.places[len(some):]; len(one.places) > 0 {
			break
		}
		if _, err := tx.Exec(ctx, streamIsSwept, one.id); err != nil {
			return nil, err
		}
		all = all[1:]
	}
	return all, nil
}

// inSteps repeats a step, each time in its own transaction, until it changes nothing. If a kill
// interrupts it, the next run continues.
func (s *Store) inSteps(ctx context.Context, step func(context.Context, store.Session) (int64, error)) error {
	return s.inStepsWith(ctx, nothing, step)
}

func nothing(context.Context) error { return nil }

// inStepsWith is inSteps, and calls between after each step.
func (s *Store) inStepsWith(ctx context.Context, between func(context.Context) error, step func(context.Context, store.Session) (int64, error)) error {
	for count := int64(1); count > 0; {
		err := s.writeFreeing(ctx, func(ctx context.Context, tx store.Session) (err error) {
			count, err = step(ctx, tx)
			return err
		})
		if err == nil {
			err = between(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
