package sqlite

import (
	"context"
	"database/sql"
	"errors"
)

const (
	// SQLite's FTS5 keeps by itself what was deleted from an index, until
	// segments are merged (https://www.sqlite.org/fts5.html, section 6.11). That
	// this is set tells, too, that the file was cleaned.
	secureIndex   = `INSERT INTO passages_index (passages_index, rank) VALUES ('secure-delete', 1)`
	isSecure      = `SELECT count(*) FROM passages_index_config WHERE k = 'secure-delete' AND v = 1`
	optimizeIndex = `INSERT INTO passages_index (passages_index) VALUES ('optimize')`
	// The index is made of segments, which FTS5 merges on its own within the
	// transaction that adds one, many at once. mergeIndex does it in steps.
	mergeByHand = `INSERT INTO passages_index (passages_index, rank) VALUES ('automerge', 0)`
	mergeSome   = `INSERT INTO passages_index (passages_index, rank) VALUES ('merge', ?)`
	// Where there is one segment alone FTS5 has nothing to merge, and leaves the
	// pages that deletions emptied, which every further deletion looks through. A
	// row of no passage makes a second segment.
	addNothing    = `INSERT INTO passages_index (rowid, title, headings, text) VALUES (0, 'x', '', '')`
	removeNothing = `INSERT INTO passages_index (passages_index, rowid, title, headings, text) VALUES ('delete', 0, 'x', '', '')`
)

// clean overwrites what was deleted before deletions were secure, once: it makes
// one segment of the index, without what was deleted, and the file again.
func (s *Store) clean(ctx context.Context) error {
	var secure bool
	if err := s.readers.QueryRowContext(ctx, isSecure).Scan(&secure); err != nil || secure {
		return err
	}
	for _, statement := range []string{optimizeIndex, `VACUUM`, mergeByHand, secureIndex} {
		if _, err := s.writer.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return s.emptyLog(ctx)
}

// mergePages is how many pages of the index one transaction writes again.
const mergePages = 32

// mergeAll writes the whole index again, as one segment. A page that has to be
// found in fewer segments is found, and deleted from, in less time.
func (s *Store) mergeAll(ctx context.Context) error {
	if err := s.exec(ctx, addNothing); err != nil {
		return err
	}
	// The negative number begins to merge all; the following steps go on with that.
	return errors.Join(s.exec(ctx, mergeSome, -mergePages), s.mergeIndex(ctx), s.exec(ctx, removeNothing))
}

// mergeIndex merges segments of the index where there are many of a size.
func (s *Store) mergeIndex(ctx context.Context) error {
	return s.inSteps(ctx, func(ctx context.Context, tx *sql.Tx) (int64, error) {
		var before, after int64
		if err := tx.QueryRowContext(ctx, totalChanges).Scan(&before); err != nil {
			return 0, err
		}
		if _, err := tx.ExecContext(ctx, mergeSome, mergePages); err != nil {
			return 0, err
		}
		err := tx.QueryRowContext(ctx, totalChanges).Scan(&after)
		return max(0, after-before-1), err // a merge that finds nothing to do counts one change
	})
}

const totalChanges = `SELECT total_changes()`

// emptyLog moves what is in the write-ahead log into the file and cuts the log,
// since it may hold what was deleted. Where a reader needs the log it is left to
// the next time. The first checkpoint holds nobody up; the second finds little.
func (s *Store) emptyLog(ctx context.Context) error {
	for _, mode := range []string{"PASSIVE", "TRUNCATE"} {
		if _, err := s.emptier.ExecContext(ctx, `PRAGMA wal_checkpoint(`+mode+`)`); err != nil {
			return err
		}
	}
	return nil
}
