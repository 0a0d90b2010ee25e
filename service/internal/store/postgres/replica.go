package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/chatsdk/chatsdk/service/internal/replica"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	// renewLease changes one row, which stands for everything that this replica owns.
	renewLease = `
		INSERT INTO replicas (id, lease_until) VALUES ($1, clock_timestamp() + interval '10 seconds')
		ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until`
	ownedStreams = `SELECT id, stop_asked FROM streams WHERE owner = $1 AND ended_at IS NULL ORDER BY id`
	askToStop    = `UPDATE streams SET stop_asked = true WHERE id = $1 AND ended_at IS NULL`
	lastIDs      = `SELECT id, last_id FROM streams WHERE id = ANY($1)`
	handJobs     = `UPDATE memory_jobs SET replica = NULL WHERE replica = $1`
	handFiles    = `UPDATE document_jobs SET replica = NULL WHERE replica = $1`
	endLease     = `UPDATE replicas SET lease_until = '-infinity' WHERE id = $1`
)

// Replica is the id of this process in the table of replicas: Config.Replica and a unique part,
// so that a later process with the same name has another id.
func (s *Store) Replica() string { return s.replica }

// RenewLease implements replica.Store. It also renews a lease that has expired: this replica
// still owns what nobody has taken meanwhile.
func (s *Store) RenewLease(ctx context.Context) error {
	_, err := s.first().Exec(ctx, renewLease, s.replica)
	switch {
	case err == nil:
		s.renewed.Store(nil)
	case ctx.Err() == nil:
		s.renewed.Store(&err)
	}
	return failed("renew", "the lease", ended(ctx, err))
}

// Owned implements replica.Store. If a stream that this replica writes is missing, it was deleted
// with its chat, or another replica has taken it over.
func (s *Store) Owned(ctx context.Context) ([]replica.Owned, error) {
	all, err := store.Collect(ctx, s.first(), func(row store.Row) (one replica.Owned, err error) {
		err = row.Scan(&one.StreamID, &one.Stop)
		return one, err
	}, ownedStreams, s.replica)
	return all, failed("list", "the streams of this replica", ended(ctx, err))
}

// AskToStop implements stream.Shared.
func (s *Store) AskToStop(ctx context.Context, streamID string) error {
	return failed("stop", "a stream", s.exec(ctx, askToStop, streamID))
}

// LastIDs implements replica.Store.
func (s *Store) LastIDs(ctx context.Context, streamIDs []string) (map[string]int64, error) {
	last := map[string]int64{}
	err := s.now().Each(ctx, func(row store.Row) (bool, error) {
		var id string
		var at int64
		err := row.Scan(&id, &at)
		last[id] = at
		return true, err
	}, lastIDs, streamIDs)
	return last, failed("look for news of", "streams", ended(ctx, err))
}

// ReleaseJobs gives up this replica's jobs, so that others may take them at once. The caller
// takes no more jobs.
func (s *Store) ReleaseJobs(ctx context.Context) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		return store.ExecAll(ctx, tx, []string{handJobs, handFiles}, s.replica)
	})
	return failed("hand over", "the jobs of this replica", err)
}

// Release implements replica.Store: other replicas may take this one's jobs, and they end answers
// that it still writes.
func (s *Store) Release(ctx context.Context) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		return store.ExecAll(ctx, tx, []string{handJobs, handFiles, endLease}, s.replica)
	})
	return failed("hand over", "what this replica has", err)
}

// channel is what replicas listen to.
const channel = "chatsdk"

// Listen implements replica.Store. It uses its own connection, outside of the pool.
func (s *Store) Listen(ctx context.Context, listening func(), hear func(payload string)) error {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return failed("listen to", "the other replicas", err)
	}
	defer func() {
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(within)
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return failed("listen to", "the other replicas", err)
	}
	listening()
	for {
		notification, err := conn.WaitForNotification(ctx)
		if err != nil {
			return failed("listen to", "the other replicas", err)
		}
		hear(notification.Payload)
	}
}

// Alone runs do while no other replica runs anything under this name. It uses its own
// connection, outside of the pool, because it may wait for a long time. A transaction holds the lock:
// one of a session would stay at a pooler's connection.
func (s *Store) Alone(ctx context.Context, name string, do func(context.Context) error) error {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return failed("wait for", name, ended(ctx, err))
	}
	defer func() {
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(within) // which ends the transaction
	}()
	if _, err := conn.Exec(ctx, "BEGIN; "+unbounded); err != nil {
		return failed("wait for", name, ended(ctx, err))
	}
	if _, err := conn.Exec(ctx, lockAlone, name, lockKindNamed); err != nil {
		return failed("wait for", name, ended(ctx, err))
	}
	return do(ctx)
}

// Notify implements replica.Store.
func (s *Store) Notify(ctx context.Context, payload string) error {
	_, err := s.now().Exec(ctx, `SELECT pg_notify($1, $2)`, channel, payload)
	return failed("notify", "the other replicas", ended(ctx, err))
}
