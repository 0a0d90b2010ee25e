package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

const (
	lastEvent   = `SELECT coalesce((SELECT max(id) FROM events WHERE stream_id = streams.id), 0) FROM streams WHERE id = ? AND ended_at IS NULL`
	insertEvent = `INSERT INTO events (stream_id, id, type, data) VALUES (?, ?, ?, ?)`
	textEvents  = `SELECT data FROM events WHERE stream_id = ? AND type = ? ORDER BY id`
)

// AppendEvents implements chat.Turns.
func (s *Store) AppendEvents(ctx context.Context, streamID string, events []chat.Event) error {
	err := s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var last int64
		if err := found(tx.QueryRowContext(ctx, lastEvent, streamID).Scan(&last)); err != nil {
			return err
		}
		return insertEvents(ctx, tx, streamID, last, events)
	})
	return failed("append events to", "a stream", err)
}

func insertEvents(ctx context.Context, tx *sql.Tx, streamID string, last int64, events []chat.Event) error {
	for _, event := range events {
		if last++; event.ID != last {
			return fmt.Errorf("event has id %d, want %d", event.ID, last)
		}
		if _, err := tx.ExecContext(ctx, insertEvent, streamID, event.ID, event.Type, event.Data); err != nil {
			return err
		}
	}
	return nil
}

// textSoFar joins the chunks of a stream.
func textSoFar(ctx context.Context, tx *sql.Tx, streamID string) (string, error) {
	rows, err := tx.QueryContext(ctx, textEvents, streamID, wire.EventChunk)
	chunks, err := collect(rows, err, scanChunk)
	return strings.Join(chunks, ""), err
}

func scanChunk(rows *sql.Rows) (string, error) {
	var data sql.RawBytes
	if err := rows.Scan(&data); err != nil {
		return "", err
	}
	var chunk wire.Text
	if err := json.Unmarshal(data, &chunk); err != nil {
		return "", fmt.Errorf("a chunk is no JSON object with a text: %w", err)
	}
	return chunk.Text, nil
}
