package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/chatsdk/chatsdk/service/internal/store"
)

// openStreams has the streams that are being written, and where their events are. The file only
// has this after they have ended: otherwise each word would write a page of an index. When a file
// is opened, openStreams is rebuilt from its events.
//
// Only transactions of the writer change it, and they undo their changes if they fail. Readers
// may see places that are not committed, and find nothing there.
type openStreams struct {
	mu   sync.Mutex
	byID map[string]*openStream
	// next is a number or position that was never used.
	next int64
}

// openStream is guarded by openStreams.mu.
type openStream struct {
	number int64
	chatID string
	last   int64 // the id of its last event
	places []place
	// parked says that nobody writes the stream until its calls are settled.
	parked bool
	// over says that the running transaction has ended the stream.
	over bool
}

// place is where the events of one append are: in one row.
type place struct{ first, position int64 }

// take returns a number that is unused.
func (o *openStreams) take() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.next++
	return o.next - 1
}

// openStream adds a stream.
func (s *Store) openStream(streamID, chatID string, number int64) {
	o := &s.open
	o.mu.Lock()
	defer o.mu.Unlock()
	o.byID[streamID] = &openStream{number: number, chatID: chatID}
	s.orElse(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.byID, streamID)
	})
}

// reserve reserves ids for this many events of a stream, in their own row. It reports whether the
// stream is open.
func (s *Store) reserve(streamID string, count int) (number int64, at place, found bool) {
	o := &s.open
	position := o.take()
	o.mu.Lock()
	defer o.mu.Unlock()
	one := o.byID[streamID]
	if one == nil || one.over {
		return 0, place{}, false
	}
	if count == 0 {
		return one.number, place{one.last + 1, position}, true
	}
	at = place{one.last + 1, position}
	one.places = append(one.places, at)
	one.last += int64(count)
	s.orElse(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		one.places = slices.Clone(one.places[:len(one.places)-1]) // readers may hold the old places
		one.last -= int64(count)
	})
	return one.number, at, true
}

// closeStream returns the id of the last event and the places of a stream. Readers can see the
// stream until the transaction is committed.
func (s *Store) closeStream(streamID string) (last int64, places []place) {
	o := &s.open
	o.mu.Lock()
	defer o.mu.Unlock()
	one := o.byID[streamID]
	if one == nil {
		return 0, nil
	}
	one.over = true
	s.orElse(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		one.over = false
	})
	s.andThen(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.byID, streamID)
	})
	return one.last, one.places
}

// places returns the number and the places of an open stream.
func (o *openStreams) places(streamID string) (number int64, places []place, found bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	one := o.byID[streamID]
	if one == nil {
		return 0, nil, false
	}
	return one.number, one.places[:len(one.places):len(one.places)], true
}

// count returns how many streams are being written.
func (o *openStreams) count() (count int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, one := range o.byID {
		if !one.parked {
			count++
		}
	}
	return count
}

// ofChat returns the streams of a chat that take further events.
func (o *openStreams) ofChat(chatID string) (streamIDs []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, one := range o.byID {
		if one.chatID == chatID && !one.over {
			streamIDs = append(streamIDs, id)
		}
	}
	return streamIDs
}

// hasBegun reports whether the answer of a stream has more than a start.
func (o *openStreams) hasBegun(streamID string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	one := o.byID[streamID]
	return one == nil || one.last > 1
}

const (
	openNumbers = `
		SELECT number, streams.id, parked, chat_id FROM streams JOIN messages ON messages.id = message_id WHERE ended_at IS NULL AND swept = 0`
	nextFree = `
		SELECT 1 + max(coalesce((SELECT max(position) FROM events), 0), coalesce((SELECT max(number) FROM streams WHERE swept = 0), 0))`
	eventsSince = `SELECT position, stream, first_id, events FROM events WHERE position > ? ORDER BY position`
)

// findOpen fills open from the file.
func (s *Store) findOpen(ctx context.Context) error {
	s.open.byID = map[string]*openStream{}
	return s.read(ctx, func(ctx context.Context, tx store.Session) error {
		if err := tx.Row(ctx, nextFree).Scan(&s.open.next); err != nil {
			return err
		}
		byNumber := map[int64]*openStream{}
		err := tx.Each(ctx, func(row store.Row) (bool, error) {
			one, id := &openStream{}, ""
			err := row.Scan(&one.number, &id, &one.parked, &one.chatID)
			byNumber[one.number], s.open.byID[id] = one, one
			return true, err
		}, openNumbers)
		if err != nil || len(byNumber) == 0 {
			return err
		}
		return placeAll(ctx, tx, byNumber)
	})
}

// placeAll finds the events of streams.
func placeAll(ctx context.Context, tx store.Session, byNumber map[int64]*openStream) error {
	var from int64
	for number := range byNumber {
		if from == 0 || number < from {
			from = number
		}
	}
	return tx.Each(ctx, func(row store.Row) (bool, error) {
		var at place
		var number int64
		var lines sql.RawBytes
		if err := row.Scan(&at.position, &number, &at.first, &lines); err != nil {
			return false, err
		}
		one := byNumber[number]
		if one == nil {
			return true, nil
		}
		if at.first != one.last+1 {
			return false, fmt.Errorf("the events at %d begin with %d, want %d", at.position, at.first, one.last+1)
		}
		one.places = append(one.places, at)
		one.last += countLines(lines)
		return true, nil
	}, eventsSince, from)
}

// textOfPlaces encodes places as they are stored: a JSON array of numbers.
func textOfPlaces(places []place) string {
	text := []byte{'['}
	for i, at := range places {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, at.first, 10)
		text = append(text, ',')
		text = strconv.AppendInt(text, at.position, 10)
	}
	return string(append(text, ']'))
}

// placesOf decodes what textOfPlaces has encoded.
func placesOf(text string) (places []place, err error) {
	numbers := strings.FieldsFunc(text, func(r rune) bool { return r == '[' || r == ',' || r == ']' })
	for i := 0; i+1 < len(numbers); i += 2 {
		first, notFirst := strconv.ParseInt(numbers[i], 10, 64)
		position, notPosition := strconv.ParseInt(numbers[i+1], 10, 64)
		if err := errors.Join(notFirst, notPosition); err != nil {
			return nil, err
		}
		places = append(places, place{first, position})
	}
	return places, nil
}
