package search

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

// Schema makes the tables of FTS. The text lies in passages alone; triggers
// keep the index, which has no copy, in step.
const Schema = `
CREATE TABLE passages (
	id INTEGER PRIMARY KEY,
	document_key TEXT NOT NULL,
	title TEXT NOT NULL,
	headings TEXT NOT NULL,
	start_at INTEGER NOT NULL,
	end_at INTEGER NOT NULL,
	text TEXT NOT NULL
);
CREATE INDEX passages_document ON passages (document_key);
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
	return f.change(ctx, d.Key, func(tx *sql.Tx) error {
		insert, err := tx.PrepareContext(ctx, `INSERT INTO passages (document_key, title, headings, start_at, end_at, text) VALUES (?, ?, ?, ?, ?, ?)`)
		if err != nil {
			return err
		}
		defer insert.Close()
		for _, p := range d.Passages {
			headings, err := json.Marshal(p.Headings)
			if err != nil {
				return err
			}
			if _, err := insert.ExecContext(ctx, d.Key, d.Title, headings, p.Start, p.End, p.Text); err != nil {
				return err
			}
		}
		return nil
	})
}

// Remove takes a document out, in one transaction.
func (f FTS) Remove(ctx context.Context, key string) error {
	return f.change(ctx, key, func(*sql.Tx) error { return nil })
}

// change takes a document out and does more in the same transaction.
func (f FTS) change(ctx context.Context, key string, more func(*sql.Tx) error) error {
	tx, err := f.Writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("index document %q: %w", key, err)
	}
	defer tx.Rollback()
	_, err = tx.ExecContext(ctx, `DELETE FROM passages WHERE document_key = ?`, key)
	if err == nil {
		err = more(tx)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return fmt.Errorf("index document %q: %w", key, err)
	}
	return nil
}

// candidates is how many passages FTS5 gives to be ranked anew.
const candidates = 80

// Search lets FTS5 choose by BM25, and ranks what it chose anew.
func (f FTS) Search(ctx context.Context, question string, keys []string, limit int) ([]Hit, error) {
	q := parse(question)
	if len(q.terms) == 0 || len(keys) == 0 || limit <= 0 {
		return nil, nil
	}
	if err := f.weigh(ctx, &q); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	hits, err := f.match(ctx, q.expression(), keys)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	hits = q.rank(hits)
	return hits[:min(len(hits), limit)], nil
}

// match gives what FTS5 finds, best first.
func (f FTS) match(ctx context.Context, expression string, keys []string) ([]Hit, error) {
	set, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	rows, err := f.Reader.QueryContext(ctx, `
		SELECT p.document_key, p.title, p.headings, p.start_at, p.end_at, p.text, -bm25(passages_index, 0.5, 1.0, 1.0) AS score
		FROM passages_index JOIN passages p ON p.id = passages_index.rowid
		WHERE passages_index MATCH ? AND p.document_key IN (SELECT value FROM json_each(?))
		ORDER BY score DESC, p.id LIMIT ?`, expression, string(set), candidates)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var hits []Hit
	for rows.Next() {
		var h Hit
		var headings []byte
		if err := rows.Scan(&h.Key, &h.Title, &headings, &h.Start, &h.End, &h.Text, &h.Score); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(headings, &h.Headings); err != nil {
			return nil, err
		}
		hits = append(hits, h)
	}
	return hits, rows.Err()
}

// weigh counts in how many passages each term stands.
func (f FTS) weigh(ctx context.Context, q *query) error {
	var all int
	if err := f.Reader.QueryRowContext(ctx, `SELECT count(*) FROM passages`).Scan(&all); err != nil {
		return err
	}
	count, err := f.Reader.PrepareContext(ctx, `SELECT count(*) FROM passages_index WHERE passages_index MATCH ?`)
	if err != nil {
		return err
	}
	defer count.Close()
	for i := range q.terms {
		n := 0
		if err := count.QueryRowContext(ctx, "{headings text} : "+quoted(q.terms[i].word)).Scan(&n); err != nil {
			return err
		}
		q.terms[i].weight = rarity(n, all)
	}
	return nil
}

var _ = split.Passage{}
