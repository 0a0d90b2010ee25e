package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

const (
	insertEvents = `INSERT INTO events (position, stream, first_id, events) VALUES (?, ?, ?, ?)`
	eventsAt     = `
		SELECT first_id, events FROM events
		WHERE position IN (SELECT value FROM json_each($1) WHERE key % 2 = 1) AND stream = $2 ORDER BY position`
)

// AppendEvents implements stream.Store.
func (s *Store) AppendEvents(ctx context.Context, lease stream.Lease, events []chat.Event) error {
	err := s.writeWithin(ctx, wordPatience, func(ctx context.Context, tx store.Session) error {
		return s.append(ctx, tx, lease.StreamID, events)
	})
	return failed("append events to", "a stream", err)
}

// append stores the next events of an open stream, and sets their ids.
func (s *Store) append(ctx context.Context, tx store.Session, streamID string, events []chat.Event) error {
	number, at, found := s.reserve(streamID, len(events))
	switch {
	case !found:
		return fault.ErrNotFound
	case len(events) == 0:
		return nil
	}
	stream.Number(at.first-1, events)
	lines := linesOf(events)
	if count := countLines(lines); count != int64(len(events)) {
		return fmt.Errorf("%d events have %d lines: the data of one is not in one line", len(events), count)
	}
	_, err := tx.Exec(ctx, insertEvents, at.position, number, at.first, lines)
	return err
}

// linesOf encodes events as they are stored, one line for each.
func linesOf(events []chat.Event) (lines []byte) {
	for _, event := range events {
		lines = append(lines, event.Type...)
		lines = append(lines, ' ')
		lines = append(lines, event.Data...)
		lines = append(lines, '\n')
	}
	return lines
}

func countLines(lines []byte) int64 { return int64(bytes.Count(lines, []byte("\n"))) }

// eventsOf decodes what linesOf has encoded; the first event has the id first.
func eventsOf(first int64, lines []byte) (events []chat.Event) {
	for line := range bytes.Lines(lines) {
		name, data, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
		events = append(events, chat.Event{ID: first + int64(len(events)), Type: string(name), Data: data})
	}
	return events
}

// readEvents returns up to limit events of a stream after the one with the id after.
func readEvents(ctx context.Context, tx store.Session, number int64, places []place, after int64, limit int) (events []chat.Event, err error) {
	isBehind := func(at place, id int64) int { return cmp.Compare(at.first, id) }
	from, exact := slices.BinarySearchFunc(places, after+1, isBehind)
	if !exact {
		from = max(0, from-1) // the row before may hold later events too
	}
	to := len(places)
	if rest := math.MaxInt64 - after; int64(limit) < rest {
		to, _ = slices.BinarySearchFunc(places, after+1+int64(limit), isBehind)
	}
	events = []chat.Event{}
	if from >= to {
		return events, nil
	}
	parts, err := store.Collect(ctx, tx, func(row store.Row) (part []chat.Event, err error) {
		var first int64
		var lines []byte
		err = row.Scan(&first, &lines)
		return eventsOf(first, lines), err
	}, eventsAt, textOfPlaces(places[from:to]), number)
	for _, part := range parts {
		for _, event := range part {
			if event.ID > after && len(events) < limit {
				events = append(events, event)
			}
		}
	}
	return events, err
}

// openEvents returns all events of an open stream, within a transaction.
func (s *Store) openEvents(ctx context.Context, tx store.Session, streamID string) ([]chat.Event, error) {
	number, places, found := s.open.places(streamID)
	if !found {
		return nil, errEndedMeanwhile
	}
	return readEvents(ctx, tx, number, places, 0, math.MaxInt)
}

const bytesOfEvents = `
	SELECT coalesce(sum(octet_length(events)), 0) FROM events
	WHERE position IN (SELECT value FROM json_each($1) WHERE key % 2 = 1) AND stream = $2`

// sizeOfOpen returns how many bytes the events of an open stream have, within a transaction.
func (s *Store) sizeOfOpen(ctx context.Context, tx store.Session, streamID string) (bytes int64, err error) {
	number, places, found := s.open.places(streamID)
	if !found {
		return 0, errEndedMeanwhile
	}
	err = tx.Row(ctx, bytesOfEvents, textOfPlaces(places), number).Scan(&bytes)
	return bytes, err
}

// saidSoFar returns the part of an answer that readers of its stream have got.
func (s *Store) saidSoFar(ctx context.Context, tx store.Session, streamID string) (*chat.Said, error) {
	events, err := s.openEvents(ctx, tx, streamID)
	all := &chat.Said{}
	for _, event := range events {
		if err == nil {
			err = all.Add(event.Type, event.Data)
		}
	}
	return all, err
}
