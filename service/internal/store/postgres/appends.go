package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// appendAll appends to many streams in one statement. It takes the ids from the rows of streams
// that are open and have this epoch, and returns the last id of each. It leaves out streams that
// somebody else has locked: the others must not wait for them.
const appendAll = `
	WITH wanted AS (
		SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS a (stream_id, epoch, count)
	), locked AS (
		SELECT id FROM streams WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
	), taken AS (
		UPDATE streams SET last_id = last_id + wanted.count FROM wanted, locked
		WHERE streams.id = wanted.stream_id AND streams.id = locked.id AND ended_at IS NULL
			AND streams.epoch = wanted.epoch
		RETURNING streams.id, streams.last_id - wanted.count AS before, streams.last_id
	), stored AS (
		INSERT INTO events (stream_id, id, type, data)
		SELECT taken.id, taken.before + new.number, new.type, new.data
		FROM unnest($4::text[], $5::bigint[], $6::text[], $7::bytea[]) AS new (stream_id, number, type, data)
		JOIN taken ON taken.id = new.stream_id
	)
	SELECT id, last_id FROM taken`

// appending are events that wait to be appended to a stream.
type appending struct {
	stream.Lease
	events []chat.Event
	err    error         // set before ended is closed, as are the ids of events
	ended  chan struct{} // closed when they are stored, or have failed
}

// AppendEvents implements stream.Store. Events that arrive while others are being stored share
// the next transaction: otherwise each of 1,000 answers that are written at the same time would
// wait for its own commit. Events don't fail because of others. The end of ctx counts only
// before they wait. If the stream is locked, it tries again.
func (s *Store) AppendEvents(ctx context.Context, lease stream.Lease, events []chat.Event) error {
	err := ctx.Err()
	over := time.Now().Add(lockTime)
	for wait := lockPause; err == nil; wait = min(2*wait, lockPauseMost) {
		if err = s.appendOnce(ctx, lease, events); !errors.Is(err, errLocked) || !time.Now().Before(over) {
			break
		}
		err = nil
		time.Sleep(wait)
	}
	return failed("append events to", "a stream", err)
}

// How long AppendEvents waits before it tries again with a locked stream, at first and at most.
const (
	lockPause     = 5 * time.Millisecond
	lockPauseMost = 200 * time.Millisecond
)

func (s *Store) appendOnce(ctx context.Context, lease stream.Lease, events []chat.Event) error {
	one := &appending{Lease: lease, events: events, err: errNotAppended, ended: make(chan struct{})}
	if s.appends.join(one) {
		s.appendWaiting(context.WithoutCancel(ctx))
	}
	<-one.ended
	return one.err
}

// appends are the events that wait for their turn. The caller of the first one stores all of
// them.
type appends struct {
	turn    chan struct{} // holds one token while events are being stored
	mu      sync.Mutex
	waiting []*appending
}

// join adds one, and reports whether it is the first.
func (a *appends) join(one *appending) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = append(a.waiting, one)
	return len(a.waiting) == 1
}

// take returns all that wait. The next one to join is the first again.
func (a *appends) take() []*appending {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := a.waiting
	a.waiting = nil
	return all
}

// appendWaiting waits for its turn, and stores all that wait by then.
func (s *Store) appendWaiting(ctx context.Context) {
	s.appends.turn <- struct{}{}
	all := s.appends.take()
	defer func() {
		<-s.appends.turn
		for _, one := range all { // also after a panic
			close(one.ended)
		}
	}()
	for rest := all; len(rest) > 0; {
		var now []*appending
		now, rest = oneOfEach(rest)
		s.appendNow(ctx, now)
	}
}

// oneOfEach returns the first of each stream, and the rest.
func oneOfEach(all []*appending) (first, rest []*appending) {
	seen := map[string]bool{}
	for _, one := range all {
		if seen[one.StreamID] {
			rest = append(rest, one)
			continue
		}
		seen[one.StreamID] = true
		first = append(first, one)
	}
	return first, rest
}

// appendNow stores events of different streams, and sets the outcome of each.
func (s *Store) appendNow(ctx context.Context, wanted []*appending) {
	last := map[string]int64{}
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		clear(last)
		return tx.Each(ctx, func(row store.Row) (bool, error) {
			var id string
			var at int64
			err := row.Scan(&id, &at)
			last[id] = at
			return true, err
		}, appendAll, appendArgs(wanted)...)
	})
	for _, one := range wanted {
		at, stored := last[one.StreamID]
		one.err = err
		switch {
		case err == nil && stored:
			stream.Number(at-int64(len(one.events)), one.events)
		case err == nil:
			one.err = whyNotAppended(ctx, s.now(), one.Lease)
		}
	}
}

func appendArgs(wanted []*appending) []any {
	var streams, ofEvents, types []string
	var epochs, counts, numbers []int64
	var data [][]byte
	for _, one := range wanted {
		streams, epochs, counts = append(streams, one.StreamID), append(epochs, one.Epoch), append(counts, int64(len(one.events)))
		moreTypes, moreData := columns(one.events)
		types, data = append(types, moreTypes...), append(data, moreData...)
		for number := range one.events {
			ofEvents, numbers = append(ofEvents, one.StreamID), append(numbers, int64(number)+1)
		}
	}
	return []any{streams, epochs, counts, ofEvents, numbers, types, data}
}

// awaitStream waits for transactions that have changed a stream. One whose commit was sent has its row
// locked.
const awaitStream = `SELECT id FROM streams WHERE id = $1 FOR NO KEY UPDATE`

// AwaitCommits implements stream.Awaiter.
func (s *Store) AwaitCommits(ctx context.Context, streamID string) error {
	_, err := s.now().Exec(ctx, awaitStream, streamID)
	return failed("wait for changes of", "a stream", ended(ctx, err))
}

// whyNotAppended says why a stream accepted nothing. If its row is as the append wanted it, somebody
// else had it locked.
func whyNotAppended(ctx context.Context, tx store.Session, lease stream.Lease) error {
	var epoch int64
	err := store.OrNotFound(tx.Row(ctx, epochOf, lease.StreamID).Scan(&epoch))
	switch {
	case err != nil:
		return err
	case epoch == lease.Epoch:
		return errLocked
	}
	return stream.ErrTaken
}
