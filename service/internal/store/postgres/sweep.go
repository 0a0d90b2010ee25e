package postgres

import (
	"context"
	"errors"

	"github.com/chatsdk/chatsdk/service/internal/store"
)

// sweepRows is how many rows one transaction sweeps at most, so that nobody waits long for its
// locks, and sweptStreams of how many streams it removes the events.
const (
	sweepRows    = 512
	sweptStreams = 32
)

const (
	sweepStreams = `
		UPDATE streams SET swept = true
		WHERE id IN (SELECT id FROM streams WHERE NOT swept AND ended_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING id`
	deleteEvents = `DELETE FROM events WHERE stream_id = ANY($1)`
	// After a minute, a user has as many sends as one who never sent.
	sweepSends = `DELETE FROM user_sends WHERE at < now() - interval '2 minutes'`
	// Replicas to which nothing refers any more. What they owned was taken over long ago.
	sweepReplicas = `
		DELETE FROM replicas WHERE lease_until < clock_timestamp() - interval '1 day'
			AND NOT EXISTS (SELECT 1 FROM streams WHERE owner = replicas.id AND ended_at IS NULL)
			AND NOT EXISTS (SELECT 1 FROM memory_jobs WHERE replica = replicas.id)
			AND NOT EXISTS (SELECT 1 FROM document_jobs WHERE replica = replicas.id)`
)

// Sweep implements chat.Streams. Several replicas may run it at the same time.
func (s *Store) Sweep(ctx context.Context, ended, claimed float64) error {
	err := errors.Join(s.inSteps(ctx, queries.SweepKeys, claimed), s.sweepStreams(ctx, ended), s.exec(ctx, sweepSends), s.exec(ctx, sweepReplicas), s.remove(ctx))
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return failed("sweep", "streams and idempotency keys", err)
}

func (s *Store) sweepStreams(ctx context.Context, ended float64) error {
	for count := sweptStreams; count == sweptStreams; {
		err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
			streams, err := store.Collect(ctx, tx, store.ScanText, sweepStreams, ended, sweptStreams)
			if count = len(streams); err != nil || count == 0 {
				return err
			}
			_, err = tx.Exec(ctx, deleteEvents, streams)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// inSteps repeats a statement that changes up to sweepRows rows until it changes none, each time
// in its own transaction.
func (s *Store) inSteps(ctx context.Context, statement string, until float64) error {
	for count := int64(sweepRows); count == sweepRows; {
		err := s.write(ctx, func(ctx context.Context, tx store.Session) (err error) {
			count, err = tx.Exec(ctx, statement, until, sweepRows)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
