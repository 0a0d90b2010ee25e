package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
)

// passages implements search.Index with SQLite's FTS5.
type passages struct{ tx *sql.Tx }

const (
	runsOfDocuments = `
		SELECT k.key, r.first_id, r.last_id, r.length
		FROM (SELECT value, min(key) AS key FROM json_each(?) GROUP BY value) AS k CROSS JOIN passages_runs AS r ON r.document_key = k.value`
	passagesWith = `
		SELECT f.rowid FROM json_each(?) AS span CROSS JOIN passages_index AS f
		WHERE f.passages_index MATCH ? AND f.rowid BETWEEN span.value ->> 0 AND span.value ->> 1`
	passagesByID = `
		SELECT p.number, p.title, p.headings, p.start_at, p.end_at, p.text
		FROM json_each(?) AS c CROSS JOIN passages AS p ON p.id = c.value`
)

// Runs implements search.Index.
func (p passages) Runs(ctx context.Context, keys []string) ([]search.Run, error) {
	set, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	rows, err := p.tx.QueryContext(ctx, runsOfDocuments, string(set))
	return collect(rows, err, func(rows *sql.Rows) (r search.Run, err error) {
		err = rows.Scan(&r.Document, &r.First, &r.Last, &r.Length)
		return r, err
	})
}

// Holding implements search.Index.
func (p passages) Holding(ctx context.Context, term search.Term, ground search.Ground, found func(id int64) bool) error {
	spans, err := json.Marshal(ground.Spans())
	if err != nil {
		return err
	}
	// Words of people are quoted, so that nothing in them is an operator.
	match := `"` + strings.ReplaceAll(term.Plain, `"`, `""`) + `"`
	rows, err := p.tx.QueryContext(ctx, passagesWith, string(spans), match)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		if !found(id) {
			return nil
		}
	}
	return rows.Err()
}

// Passages implements search.Index.
func (p passages) Passages(ctx context.Context, ids []int64) ([]search.Hit, error) {
	set, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := p.tx.QueryContext(ctx, passagesByID, string(set))
	return collect(rows, err, func(rows *sql.Rows) (h search.Hit, err error) {
		var headings []byte
		if err := rows.Scan(&h.Index, &h.Title, &headings, &h.Start, &h.End, &h.Text); err != nil {
			return h, err
		}
		return h, json.Unmarshal(headings, &h.Headings)
	})
}
