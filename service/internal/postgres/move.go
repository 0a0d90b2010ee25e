package postgres

import (
	"context"
	"encoding/json"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

const (
	// setCounters has each counter go on behind the highest number that is there.
	setCounters = `
		SELECT setval('message_positions', greatest((SELECT max(position) FROM messages), 1)),
			setval(pg_get_serial_sequence('memories', 'position'), greatest((SELECT max(position) FROM memories), 1)),
			setval(pg_get_serial_sequence('memory_jobs', 'position'), greatest((SELECT max(position) FROM memory_jobs), 1)),
			setval(pg_get_serial_sequence('documents', 'position'), greatest((SELECT max(position) FROM documents), 1)),
			setval(pg_get_serial_sequence('document_jobs', 'position'), greatest((SELECT max(position) FROM document_jobs), 1))`
	withoutIndex = `
		SELECT key FROM documents WHERE term_pages = 0 AND EXISTS (SELECT 1 FROM passages WHERE document_key = key) ORDER BY key`
	passagesOf = `SELECT title, headings, start_at, end_at, text FROM passages WHERE document_key = $1 ORDER BY number`
)

// Settle completes a database whose rows were copied from another one: counters go on behind
// the highest number, and documents whose passages have no index get one. Nobody else writes
// meanwhile. What a run that was broken off has left the next one does.
func (s *Store) Settle(ctx context.Context) error {
	err := s.exec(ctx, setCounters)
	if err != nil {
		return failed("settle", "counters", err)
	}
	keys, err := collect(ctx, s.now(), scanText, withoutIndex)
	for _, key := range keys {
		if err == nil {
			err = s.indexDocument(ctx, key)
		}
	}
	return failed("index", "documents that were copied", ended(ctx, err))
}

func (s *Store) indexDocument(ctx context.Context, key string) error {
	var title string
	all, err := collect(ctx, s.now(), func(row scanner) (p split.Passage, err error) {
		var headings string
		if err := row.Scan(&title, &headings, &p.Start, &p.End, &p.Text); err != nil {
			return p, err
		}
		return p, json.Unmarshal([]byte(headings), &p.Headings)
	}, passagesOf, key)
	if err != nil {
		return err
	}
	pages := pagesOf(title, all)
	return s.write(ctx, func(ctx context.Context, tx session) error {
		var position int64
		var name string
		if err := orNotFound(tx.row(ctx, holdDocument, key).Scan(&position, &name)); err != nil {
			return err
		}
		if err := storeIndex(ctx, tx, position, pages); err != nil {
			return err
		}
		_, err := tx.exec(ctx, setIndex, key, len(all), lengthOf(all), len(pages))
		return err
	})
}
