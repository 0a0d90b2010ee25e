package postgres

import (
	"context"
	"errors"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	addEvents = `
		INSERT INTO events (stream_id, id, type, data)
		SELECT $1, $2::bigint + ord, type, data FROM unnest($3::text[], $4::bytea[]) WITH ORDINALITY AS new (type, data, ord)`
	saidEvents = `SELECT type, data FROM events WHERE stream_id = $1 AND type IN ('chunk', 'reasoning', 'message_object') ORDER BY id`
)

// insertEvents stores events after the one with the id last.
func insertEvents(ctx context.Context, tx store.Session, streamID string, last int64, events []chat.Event) error {
	if len(events) == 0 {
		return nil
	}
	types, data := columns(events)
	_, err := tx.Exec(ctx, addEvents, streamID, last, types, data)
	return err
}

func columns(events []chat.Event) (types []string, data [][]byte) {
	for _, event := range events {
		types = append(types, event.Type)
		data = append(data, event.Data)
	}
	return types, data
}

// saidSoFar returns the part of an answer that readers of its stream have got.
func saidSoFar(ctx context.Context, tx store.Session, streamID string) (*chat.Said, error) {
	all := &chat.Said{}
	err := tx.Each(ctx, func(row store.Row) (bool, error) {
		var name string
		var data []byte
		err := row.Scan(&name, &data)
		if err == nil {
			err = all.Add(name, data)
		}
		return true, err
	}, saidEvents, streamID)
	return all, err
}

var errNotAppended = errors.New("the transaction was rolled back")
