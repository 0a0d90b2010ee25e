package postgres

import (
	"context"
	"errors"
)

// sweepRows is how many rows one transaction sweeps at most, so that nobody waits long for
// the locks of it.
const sweepRows = 512

const (
	sweepStreams = `
		UPDATE streams SET swept = true
		WHERE id IN (SELECT id FROM streams WHERE NOT swept AND ended_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING id`
	// A user whose minute is over has as many sends as one who never sent.
	sweepSends = `DELETE FROM user_sends WHERE at < now() - interval '2 minutes'`
	// A replica that nothing names any more. What it owned was taken over long ago.
	sweepReplicas = `
		DELETE FROM replicas WHERE lease_until < clock_timestamp() - interval '1 day'
			AND NOT EXISTS (SELECT 1 FROM streams WHERE owner = replicas.id AND ended_at IS NULL)
			AND NOT EXISTS (SELECT 1 FROM memory_jobs WHERE replica = replicas.id)
			AND NOT EXISTS (SELECT 1 FROM document_jobs WHERE replica = replicas.id)`
)

// Sweep implements chat.Streams. Several replicas may do it at once.
func (s *Store) Sweep(ctx context.Context, ended, claimed float64) error {
	err := errors.Join(s.inSteps(ctx, sweepKeys, claimed), s.sweepStreams(ctx, ended), s.exec(ctx, sweepSends), s.exec(ctx, sweepReplicas))
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return failed("sweep", "streams and idempotency keys", err)
}

func (s *Store) sweepStreams(ctx context.Context, ended float64) error {
	for count := sweepRows; count == sweepRows; {
		err := s.write(ctx, func(ctx context.Context, tx session) error {
			streams, err := collect(ctx, tx, scanText, sweepStreams, ended, sweepRows)
			if count = len(streams); err != nil || count == 0 {
				return err
			}
			_, err = tx.exec(ctx, deleteEvents, streams)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// inSteps runs a statement that changes up to sweepRows rows until it has no more to
// change, each time in a transaction of its own.
func (s *Store) inSteps(ctx context.Context, statement string, until float64) error {
	for count := int64(sweepRows); count == sweepRows; {
		err := s.write(ctx, func(ctx context.Context, tx session) (err error) {
			count, err = tx.exec(ctx, statement, until, sweepRows)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
