package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

const (
	addEvents = `
		INSERT INTO events (stream_id, id, type, data)
		SELECT $1, $2::bigint + ord, type, data FROM unnest($3::text[], $4::bytea[]) WITH ORDINALITY AS new (type, data, ord)`
	saidEvents = `SELECT type, data FROM events WHERE stream_id = $1 AND type IN ('chunk', 'message_object') ORDER BY id`
)

// insertEvents stores events behind the one with the id last.
func insertEvents(ctx context.Context, tx session, streamID string, last int64, events []chat.Event) error {
	if len(events) == 0 {
		return nil
	}
	types, data := columns(events)
	_, err := tx.exec(ctx, addEvents, streamID, last, types, data)
	return err
}

func columns(events []chat.Event) (types []string, data [][]byte) {
	for _, event := range events {
		types = append(types, event.Type)
		data = append(data, event.Data)
	}
	return types, data
}

// said is what readers of a stream got of its answer.
type said struct {
	text    string
	sources []wire.Source
}

// saidSoFar joins the chunks of a stream, and the sources of its objects, each
// once.
func saidSoFar(ctx context.Context, tx session, streamID string) (all said, err error) {
	var text strings.Builder
	err = tx.each(ctx, func(row scanner) (bool, error) {
		part, err := scanSaid(row)
		text.WriteString(part.text)
		for _, source := range part.sources {
			if !slices.Contains(all.sources, source) {
				all.sources = append(all.sources, source)
			}
		}
		return true, err
	}, saidEvents, streamID)
	all.text = text.String()
	return all, err
}

func scanSaid(row scanner) (part said, err error) {
	var name string
	var data []byte
	if err := row.Scan(&name, &data); err != nil {
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

var errNotAppended = errors.New("the transaction broke off")
