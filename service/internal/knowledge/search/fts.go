package search

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// Schema makes the tables of FTS. The text lies in passages alone; triggers
// keep the index, which has no copy, in step. A migration of package sqlite has
// the same, and a test there holds the two together.
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

// Search ranks by BM25, in which a word of the title counts half of one in the
// text.
func (f FTS) Search(ctx context.Context, question string, keys []string, limit int) ([]Hit, error) {
	words := expression(question)
	if words == "" || len(keys) == 0 || limit <= 0 {
		return nil, nil
	}
	hits, err := f.match(ctx, words, keys, limit)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return hits, nil
}

// best reads passages in the order of their rank, which FTS5 gives by itself, and
// ends with the last one that is wanted: the passages of most that match, and
// whose they are, are never looked at.
const best = `
	SELECT p.document_key, p.number, p.title, p.headings, p.start_at, p.end_at, p.text, -rank
	FROM passages_index CROSS JOIN passages p ON p.id = passages_index.rowid
	WHERE passages_index MATCH ? AND rank MATCH 'bm25(0.5, 1.0, 1.0)' AND p.document_key IN (SELECT value FROM json_each(?))
	ORDER BY rank LIMIT ?`

// match gives what FTS5 finds, best first.
func (f FTS) match(ctx context.Context, words string, keys []string, limit int) ([]Hit, error) {
	set, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	rows, err := f.Reader.QueryContext(ctx, best, words, string(set), limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var hits []Hit
	for rows.Next() {
		var h Hit
		var headings []byte
		if err := rows.Scan(&h.Key, &h.Index, &h.Title, &headings, &h.Start, &h.End, &h.Text, &h.Score); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(headings, &h.Headings); err != nil {
			return nil, err
		}
		hits = append(hits, h)
	}
	return hits, rows.Err()
}
