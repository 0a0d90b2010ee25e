package search

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// Schema makes the tables of FTS. The text lies in passages alone; triggers
// keep the index, which has no copy, in step, and passages_runs, which says
// where the passages of a document lie: a run is of ids that follow each other,
// and length is that of its passages together. Migrations of package sqlite
// have the same, and a test there holds the two together.
const Schema = `
CREATE TABLE passages (
	id INTEGER PRIMARY KEY,
	document_key TEXT NOT NULL,
	number INTEGER NOT NULL,
	title TEXT NOT NULL,
	headings TEXT NOT NULL,
	start_at INTEGER NOT NULL,
	end_at INTEGER NOT NULL,
	text TEXT NOT NULL
);
CREATE UNIQUE INDEX passages_document ON passages (document_key, number);
CREATE VIRTUAL TABLE passages_index USING fts5 (
	title, headings, text, content = 'passages', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER passages_insert AFTER INSERT ON passages BEGIN
	INSERT INTO passages_index (rowid, title, headings, text) VALUES (new.id, new.title, new.headings, new.text);
END;
CREATE TRIGGER passages_delete AFTER DELETE ON passages BEGIN
	INSERT INTO passages_index (passages_index, rowid, title, headings, text) VALUES ('delete', old.id, old.title, old.headings, old.text);
END;
CREATE TABLE passages_runs (
	document_key TEXT NOT NULL,
	first_id INTEGER NOT NULL,
	last_id INTEGER NOT NULL,
	length INTEGER NOT NULL,
	PRIMARY KEY (document_key, first_id)
) WITHOUT ROWID;
CREATE TRIGGER passages_insert_run AFTER INSERT ON passages BEGIN
	UPDATE passages_runs SET last_id = new.id, length = length + new.end_at - new.start_at
		WHERE document_key = new.document_key AND last_id = new.id - 1;
	INSERT INTO passages_runs SELECT new.document_key, new.id, new.id, new.end_at - new.start_at
		WHERE NOT EXISTS (SELECT 1 FROM passages_runs WHERE document_key = new.document_key AND last_id = new.id);
END;
CREATE TRIGGER passages_delete_run AFTER DELETE ON passages BEGIN
	DELETE FROM passages_runs WHERE document_key = old.document_key
		AND NOT EXISTS (SELECT 1 FROM passages WHERE document_key = old.document_key);
END;
`

// FTS is an Index in SQLite.
type FTS struct {
	Writer *sql.DB // where changes go
	Reader *sql.DB // where searches go; may be Writer
}

var _ Index = FTS{}

// Add puts a document in, in one transaction.
func (f FTS) Add(ctx context.Context, d Document) error {
	return f.change(ctx, d.Key, func(tx *sql.Tx) error { return Put(ctx, tx, d) })
}

// Remove takes a document out, in one transaction.
func (f FTS) Remove(ctx context.Context, key string) error {
	return f.change(ctx, key, func(tx *sql.Tx) error { return Take(ctx, tx, key) })
}

func (f FTS) change(ctx context.Context, key string, do func(*sql.Tx) error) error {
	tx, err := f.Writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("index document %q: %w", key, err)
	}
	defer tx.Rollback()
	if err = do(tx); err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return fmt.Errorf("index document %q: %w", key, err)
	}
	return nil
}

// Put is FTS.Add within a transaction of the caller's, for one that changes more
// than the index.
func Put(ctx context.Context, tx *sql.Tx, d Document) error {
	if err := Take(ctx, tx, d.Key); err != nil {
		return err
	}
	insert, err := tx.PrepareContext(ctx, `INSERT INTO passages (document_key, number, title, headings, start_at, end_at, text) VALUES (?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer insert.Close()
	for number, p := range d.Passages {
		headings, err := json.Marshal(p.Headings)
		if err != nil {
			return err
		}
		if _, err := insert.ExecContext(ctx, d.Key, number, d.Title, headings, p.Start, p.End, p.Text); err != nil {
			return err
		}
	}
	return nil
}

// Take is FTS.Remove within a transaction of the caller's.
func Take(ctx context.Context, tx *sql.Tx, key string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM passages WHERE document_key = ?`, key)
	return err
}

// Search ranks by BM25 over the passages of these documents alone, on one
// snapshot of the index.
func (f FTS) Search(ctx context.Context, question string, keys []string, limit int) ([]Hit, error) {
	terms := termsOf(question)
	if len(terms) == 0 || len(keys) == 0 || limit <= 0 {
		return nil, nil
	}
	hits, err := f.rank(ctx, &ranking{terms: terms, counter: counterOf(terms), keys: keys, limit: limit})
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return hits, nil
}

func (f FTS) rank(ctx context.Context, r *ranking) (hits []Hit, err error) {
	if r.tx, err = f.Reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}); err != nil {
		return nil, err
	}
	defer r.tx.Rollback() // nothing was changed
	if r.ground, err = groundOf(ctx, r.tx, r.keys); err != nil {
		return nil, err
	}
	return r.run(ctx)
}
