package sqlite

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	// FTS5 keeps deleted text in an index until segments are merged
	// (https://www.sqlite.org/fts5.html, section 6.11), unless this is set. If it is set, the
	// file was also cleaned.
	secureIndex   = `INSERT INTO passages_index (passages_index, rank) VALUES ('secure-delete', 1)`
	insecureIndex = `INSERT INTO passages_index (passages_index, rank) VALUES ('secure-delete', 0)`
	isSecure      = `SELECT count(*) FROM passages_index_config WHERE k = 'secure-delete' AND v = 1`
	optimizeIndex = `INSERT INTO passages_index (passages_index) VALUES ('optimize')`
	// The index consists of segments, which FTS5 would merge within the transaction that adds
	// one, many at once. mergeIndex merges them in steps instead.
	mergeByHand = `INSERT INTO passages_index (passages_index, rank) VALUES ('automerge', 0)`
	mergeSome   = `INSERT INTO passages_index (passages_index, rank) VALUES ('merge', ?)`
)

// clean overwrites, once, what was deleted before deletions were secure: it rewrites the index as
// one segment without deleted text, and then the file.
func (s *Store) clean(ctx context.Context) error {
	var secure bool
	if err := s.now().Row(ctx, isSecure).Scan(&secure); err != nil || secure {
		return err
	}
	for _, statement := range []string{optimizeIndex, `VACUUM`, mergeByHand, secureIndex} {
		if _, err := s.writer.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	_, err := s.emptyLog(ctx)
	return err
}

// mergePages is how many pages of the index one transaction rewrites.
const mergePages = 32

// mergeAll rewrites the whole index as one segment, without what was deleted. It calls between after
// each step.
func (s *Store) mergeAll(ctx context.Context, between func(context.Context) error) error {
	// The negative number begins to merge everything; the following steps continue with that.
	if err := s.exec(ctx, mergeSome, -mergePages); err != nil {
		return err
	}
	return s.mergeIndex(ctx, between)
}

// mergeIndex merges segments of the index if there are many of one size. It calls between after each step.
func (s *Store) mergeIndex(ctx context.Context, between func(context.Context) error) error {
	return s.inStepsWith(ctx, between, func(ctx context.Context, tx store.Session) (int64, error) {
		var before, after int64
		if err := tx.Row(ctx, totalChanges).Scan(&before); err != nil {
			return 0, err
		}
		if _, err := tx.Exec(ctx, mergeSome, mergePages); err != nil {
			return 0, err
		}
		err := tx.Row(ctx, totalChanges).Scan(&after)
		return max(0, after-before-1), err // a merge with nothing to do counts as one change
	})
}

const totalChanges = `SELECT total_changes()`
