package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

const (
	lastEvent   = `SELECT coalesce((SELECT max(id) FROM events WHERE stream_id = streams.id), 0) FROM streams WHERE id = ? AND ended_at IS NULL`
	insertEvent = `INSERT INTO events (stream_id, id, type, data) VALUES (?, ?, ?, ?)`
	saidEvents  = `SELECT type, data FROM events WHERE stream_id = ? AND type IN ('chunk', 'message_object') ORDER BY id`
)

// appending are events on their way into a stream.
type appending struct {
	streamID string
	events   []chat.Event
	err      error         // set before ended is closed
	ended    chan struct{} // closed when they are stored, or have failed
}

var errNotAppended = errors.New("the transaction broke off")

// AppendEvents implements chat.Turns. What comes while the writer is busy is
// stored in one transaction: of 1,000 answers that are written at once each
// would else wait for 999 commits. Nobody's events fail because of others'. The
// end of ctx counts before they wait, not after.
func (s *Store) AppendEvents(ctx context.Context, lease stream.Lease, events []chat.Event) error {
	err := ctx.Err()
	if err == nil {
		one := &appending{streamID: lease.StreamID, events: events, err: errNotAppended, ended: make(chan struct{})}
		if s.appends.join(one) {
			s.appendWaiting(context.WithoutCancel(ctx))
		}
		<-one.ended
		err = one.err
	}
	return failed("append events to", "a stream", err)
}

// appends are those that wait for the writer. The caller of the first stores all.
type appends struct {
	mu      sync.Mutex
	waiting []*appending
}

// join tells whether one is the first.
func (a *appends) join(one *appending) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = append(a.waiting, one)
	return len(a.waiting) == 1
}

// take gives all that wait. The next one to join is the first again.
func (a *appends) take() []*appending {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := a.waiting
	a.waiting = nil
	return all
}

// appendWaiting stores what waits by the time that the writer is free.
func (s *Store) appendWaiting(ctx context.Context) {
	var all []*appending
	defer func() {
		if all == nil {
			all = s.appends.take()
		}
		for _, one := range all { // after a panic too
			close(one.ended)
		}
	}()
	err := s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		all = s.appends.take()
		return appendAll(ctx, tx, all)
	})
	if all == nil {
		all = s.appends.take()
	}
	for i, one := range all {
		one.err = err
		if err != nil {
			one.err = s.write(ctx, func(ctx context.Context, tx *sql.Tx) error { return appendAll(ctx, tx, all[i:i+1]) })
		}
	}
}

func appendAll(ctx context.Context, tx *sql.Tx, all []*appending) error {
	for _, one := range all {
		var last int64
		if err := orNotFound(tx.QueryRowContext(ctx, lastEvent, one.streamID).Scan(&last)); err != nil {
			return err
		}
		if err := insertEvents(ctx, tx, one.streamID, stream.Number(last, one.events)); err != nil {
			return err
		}
	}
	return nil
}

func insertEvents(ctx context.Context, tx *sql.Tx, streamID string, events []chat.Event) error {
	for _, event := range events {
		if _, err := tx.ExecContext(ctx, insertEvent, streamID, event.ID, event.Type, event.Data); err != nil {
			return err
		}
	}
	return nil
}

// said is what readers of a stream got of its answer.
type said struct {
	text    string
	sources []wire.Source
}

// saidSoFar joins the chunks of a stream, and the sources of its objects, each
// once.
func saidSoFar(ctx context.Context, tx *sql.Tx, streamID string) (all said, err error) {
	rows, err := tx.QueryContext(ctx, saidEvents, streamID)
	parts, err := collect(rows, err, scanSaid)
	var text strings.Builder
	for _, part := range parts {
		text.WriteString(part.text)
		for _, source := range part.sources {
			if !slices.Contains(all.sources, source) {
				all.sources = append(all.sources, source)
			}
		}
	}
	all.text = text.String()
	return all, err
}

func scanSaid(rows *sql.Rows) (part said, err error) {
	var name string
	var data sql.RawBytes
	if err := rows.Scan(&name, &data); err != nil {
		return said{}, err
	}
	if name == wire.EventMessageObject {
		var object struct{ Sources []wire.Source }
		if json.Unmarshal(data, &object) != nil {
			return said{}, nil // a provider's own object
		}
		return said{sources: object.Sources}, nil
	}
	var chunk wire.Text
	if err := json.Unmarshal(data, &chunk); err != nil {
		return said{}, fmt.Errorf("a chunk is no JSON object with a text: %w", err)
	}
	return said{text: chunk.Text}, nil
}
