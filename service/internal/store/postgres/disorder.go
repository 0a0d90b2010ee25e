package postgres

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/store"
)

// In its first hour passage_terms had a row for each term. Databases from that hour took the
// third step in that form.
const (
	hasRowsOfTerms = `
		SELECT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('passage_terms') AND attname = 'term' AND NOT attisdropped)`
	makePagesOfTerms = `
		DROP TABLE passage_terms;
		CREATE TABLE passage_terms (
			document bigint NOT NULL,
			page     bigint NOT NULL,
			terms    bytea NOT NULL,
			PRIMARY KEY (document, page)
		);
		ALTER TABLE documents ADD COLUMN term_pages bigint NOT NULL DEFAULT 0`
)

// pageTerms indexes the documents of such a database again.
func pageTerms(ctx context.Context, tx store.Session) error {
	var rows bool
	if err := tx.Row(ctx, hasRowsOfTerms).Scan(&rows); err != nil || !rows {
		return err
	}
	if _, err := tx.Exec(ctx, makePagesOfTerms); err != nil {
		return err
	}
	keys, err := store.Collect(ctx, tx, store.ScanText, withoutIndex)
	for _, key := range keys {
		if err == nil {
			err = indexDocument(ctx, tx, key)
		}
	}
	return err
}
