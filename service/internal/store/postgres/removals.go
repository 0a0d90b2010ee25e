package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"github.com/chatsdk/chatsdk/service/internal/store"
)

// A removal is what is left of a deleted chat, stream or document. It is removed in steps, each of which is a
// transaction with a bounded number of rows.
type removal struct {
	position      int64
	kind, subject string
	place         int64
	// after is the position of the last message that was removed, so that no step looks through
	// what the steps before it have left behind.
	after int64
}

const (
	// nextRemoval finds the oldest removal after a position that no other replica works on.
	nextRemoval = `
		SELECT position, kind, subject, place FROM removals WHERE position > $1 ORDER BY position LIMIT 1 FOR UPDATE SKIP LOCKED`
	holdRemoval = `SELECT position FROM removals WHERE position = $1 FOR UPDATE SKIP LOCKED`
	endRemoval  = `DELETE FROM removals WHERE position = $1`

	someMessages = `SELECT position, id FROM messages WHERE chat_id = $1 AND position > $2 ORDER BY position LIMIT $3`
	someEvents   = `
		DELETE FROM events WHERE ctid = ANY(ARRAY(
			SELECT events.ctid FROM streams JOIN events ON stream_id = streams.id WHERE message_id = ANY($1) LIMIT $2))`
	eventsOfStream = `DELETE FROM events WHERE ctid = ANY(ARRAY(SELECT ctid FROM events WHERE stream_id = $1 LIMIT $2))`
	someImages     = `
		DELETE FROM file_parts WHERE ctid = ANY(ARRAY(
			SELECT file_parts.ctid FROM images JOIN file_parts ON file_id = images.id WHERE message_id = ANY($1) LIMIT $2))`
	// removeMessages also removes what refers to them: streams, rounds, calls, images, jobs.
	removeMessages = `DELETE FROM messages WHERE id = ANY($1)`

	someParts    = `DELETE FROM file_parts WHERE ctid = ANY(ARRAY(SELECT ctid FROM file_parts WHERE file_id = $1 LIMIT $2))`
	someTexts    = `DELETE FROM document_texts WHERE ctid = ANY(ARRAY(SELECT ctid FROM document_texts WHERE document_key = $1 LIMIT $2))`
	somePassages = `DELETE FROM passages WHERE ctid = ANY(ARRAY(SELECT ctid FROM passages WHERE document_key = $1 LIMIT $2))`
	someTerms    = `DELETE FROM passage_terms WHERE ctid = ANY(ARRAY(SELECT ctid FROM passage_terms WHERE document = $1 LIMIT $2))`
)

const (
	removedRows     = 2048 // of events, passages and texts in one step
	removedMessages = 256
	removedParts    = 32 // of files, each of up to partBytes
)

// remove removes what is left of deleted chats and documents. Several replicas may do so at once. A removal that
// fails stops no other, and is tried again when remove is called again.
func (s *Store) remove(ctx context.Context) (failed error) {
	for one := new(removal); ; {
		err := s.nextRemoval(ctx, one)
		if errors.Is(err, sql.ErrNoRows) {
			return failed
		}
		if err != nil {
			return cmp.Or(failed, err)
		}
		for done := false; !done && err == nil; {
			done, err = s.removeSome(ctx, one)
		}
		failed = cmp.Or(failed, err)
	}
}

// nextRemoval makes one the next removal after it, or returns sql.ErrNoRows.
func (s *Store) nextRemoval(ctx context.Context, one *removal) error {
	one.after = 0
	return s.now().Row(ctx, nextRemoval, one.position).Scan(&one.position, &one.kind, &one.subject, &one.place)
}

// removeSome does a step of a removal, and reports whether it was the last one here.
func (s *Store) removeSome(ctx context.Context, one *removal) (done bool, err error) {
	var next removal
	err = s.write(ctx, func(ctx context.Context, tx store.Session) (err error) {
		next = *one // again, if the transaction is repeated
		done, err = next.step(ctx, tx)
		return err
	})
	if err == nil {
		*one = next
	}
	return done, err
}

// step reports whether nothing is left, or another replica does the rest.
func (r *removal) step(ctx context.Context, tx store.Session) (done bool, err error) {
	err = tx.Row(ctx, holdRemoval, r.position).Scan(&r.position)
	if errors.Is(err, sql.ErrNoRows) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	switch r.kind {
	case "chat":
		done, err = r.messages(ctx, tx)
	case "stream":
		done, err = r.rows(ctx, tx, []rows{{eventsOfStream, r.subject, removedRows}})
	default:
		done, err = r.rows(ctx, tx, []rows{
			{someParts, r.subject, removedParts}, {someTexts, r.subject, removedParts},
			{somePassages, r.subject, removedRows}, {someTerms, r.place, removedRows},
		})
	}
	if err == nil && done {
		_, err = tx.Exec(ctx, endRemoval, r.position)
	}
	return done, err
}

// messages removes some messages of a chat, or some of what they have, and reports whether there are none.
func (r *removal) messages(ctx context.Context, tx store.Session) (none bool, err error) {
	last := r.after
	ids, err := store.Collect(ctx, tx, func(row store.Row) (id string, err error) {
		err = row.Scan(&last, &id)
		return id, err
	}, someMessages, r.subject, r.after, removedMessages)
	if err != nil || len(ids) == 0 {
		return err == nil, err
	}
	if none, err := r.rows(ctx, tx, []rows{{someEvents, ids, removedRows}, {someImages, ids, removedParts}}); err != nil || !none {
		return false, err
	}
	_, err = tx.Exec(ctx, removeMessages, ids)
	if err == nil {
		r.after = last
	}
	return false, err
}

// rows are some rows of one table, at most limit.
type rows struct {
	statement string
	of        any
	limit     int64
}

// rows removes rows of each kind, and reports whether none are left.
func (r *removal) rows(ctx context.Context, tx store.Session, kinds []rows) (none bool, err error) {
	for _, some := range kinds {
		count, err := tx.Exec(ctx, some.statement, some.of, some.limit)
		if err != nil || count == some.limit {
			return false, err
		}
	}
	return true, nil
}
