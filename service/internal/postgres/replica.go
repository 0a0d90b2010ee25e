package postgres

import "context"

const (
	// renewLease is one row for all that a replica owns.
	renewLease = `
		INSERT INTO replicas (id, lease_until) VALUES ($1, clock_timestamp() + interval '10 seconds')
		ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until`
	ownedStreams = `SELECT id, epoch, stop_asked FROM streams WHERE owner = $1 AND ended_at IS NULL ORDER BY id`
	askToStop    = `UPDATE streams SET stop_asked = true WHERE id = $1 AND ended_at IS NULL`
	lastIDs      = `SELECT id, last_id FROM streams WHERE id = ANY($1)`
	handJobs     = `UPDATE memory_jobs SET replica = NULL WHERE replica = $1`
	handFiles    = `UPDATE document_jobs SET replica = NULL WHERE replica = $1`
	endLease     = `UPDATE replicas SET lease_until = '-infinity' WHERE id = $1`
)

// Replica is the id of this process in the table of replicas: Config.Replica and something
// that tells it apart, also from a process of the same name before it.
func (s *Store) Replica() string { return s.replica }

// RenewLease makes what this replica owns its own for another ten seconds. A lease that
// ran out is renewed as well: what nobody took meanwhile is still its own.
func (s *Store) RenewLease(ctx context.Context) error {
	_, err := s.now().exec(ctx, renewLease, s.replica)
	return failed("renew", "the lease", ended(ctx, err))
}

// OwnedStream is a stream that this replica writes.
type OwnedStream struct {
	Lease
	// Stop tells that somebody asked for its end.
	Stop bool
}

// Owned gives the streams that are open and this replica's. One that it writes and that
// isn't among them was deleted with its chat, or another replica has taken it over.
func (s *Store) Owned(ctx context.Context) ([]OwnedStream, error) {
	all, err := collect(ctx, s.now(), func(row scanner) (one OwnedStream, err error) {
		err = row.Scan(&one.StreamID, &one.Epoch, &one.Stop)
		return one, err
	}, ownedStreams, s.replica)
	return all, failed("list", "the streams of this replica", ended(ctx, err))
}

// AskToStop has the owner of a stream end it. One that has ended or is gone is no error.
func (s *Store) AskToStop(ctx context.Context, streamID string) error {
	return failed("stop", "a stream", s.exec(ctx, askToStop, streamID))
}

// LastIDs gives the id of the last event of each of these streams that there is.
func (s *Store) LastIDs(ctx context.Context, streamIDs []string) (map[string]int64, error) {
	last := map[string]int64{}
	err := s.now().each(ctx, func(row scanner) (bool, error) {
		var id string
		var at int64
		err := row.Scan(&id, &at)
		last[id] = at
		return true, err
	}, lastIDs, streamIDs)
	return last, failed("look for news of", "streams", ended(ctx, err))
}

// Release hands over what this replica has, at its end: other replicas take its jobs, and
// what it still writes is broken off.
func (s *Store) Release(ctx context.Context) error {
	err := s.write(ctx, func(ctx context.Context, tx session) error {
		return tx.execAll(ctx, []string{handJobs, handFiles, endLease}, s.replica)
	})
	return failed("hand over", "what this replica has", err)
}
