package sqlite

import "context"

const (
	// SQLite's FTS5 keeps of its own accord what was deleted from an index, until
	// segments are merged (https://www.sqlite.org/fts5.html, section 6.11). That
	// this is set tells, too, that the file was cleaned.
	secureIndex   = `INSERT INTO passages_index (passages_index, rank) VALUES ('secure-delete', 1)`
	isSecure      = `SELECT count(*) FROM passages_index_config WHERE k = 'secure-delete' AND v = 1`
	optimizeIndex = `INSERT INTO passages_index (passages_index) VALUES ('optimize')`
)

// clean overwrites what was deleted before deletions were secure, once: it makes
// one segment of the index, without what was deleted, and the file anew.
func (s *Store) clean(ctx context.Context) error {
	var secure bool
	if err := s.readers.QueryRowContext(ctx, isSecure).Scan(&secure); err != nil || secure {
		return err
	}
	for _, statement := range []string{optimizeIndex, `VACUUM`, secureIndex} {
		if _, err := s.writer.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	s.dirty.Store(true)
	return s.emptyLog(ctx)
}

// emptyLog moves what is in the write-ahead log into the file and cuts the log,
// where it may hold what was deleted. Where a reader needs the log it is left to
// the next time. The first checkpoint holds nobody up; the second finds little.
func (s *Store) emptyLog(ctx context.Context) error {
	if !s.dirty.Swap(false) {
		return nil
	}
	for _, mode := range []string{"PASSIVE", "TRUNCATE"} {
		var busy bool
		var frames, moved int
		row := s.emptier.QueryRowContext(ctx, `PRAGMA wal_checkpoint(`+mode+`)`)
		if err := row.Scan(&busy, &frames, &moved); err != nil {
			s.dirty.Store(true)
			return err
		}
		if busy {
			s.dirty.Store(true)
		}
	}
	return nil
}
