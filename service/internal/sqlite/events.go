package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

const (
	lastEvent   = `SELECT coalesce((SELECT max(id) FROM events WHERE stream_id = streams.id), 0) FROM streams WHERE id = ? AND ended_at IS NULL`
	insertEvent = `INSERT INTO events (stream_id, id, type, data) VALUES (?, ?, ?, ?)`
	saidEvents  = `SELECT type, data FROM events WHERE stream_id = ? AND type IN ('chunk', 'message_object') ORDER BY id`
)

// AppendEvents implements stream.Store.
func (s *Store) AppendEvents(ctx context.Context, lease stream.Lease, events []chat.Event) error {
	err := s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var last int64
		if err := orNotFound(tx.QueryRowContext(ctx, lastEvent, lease.StreamID).Scan(&last)); err != nil {
			return err
		}
		return insertEvents(ctx, tx, lease.StreamID, stream.Number(last, events))
	})
	return failed("append events to", "a stream", err)
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
