package sqlite

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// passages implements search.Index with SQLite's FTS5.
type passages struct{ tx store.Session }

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
	return store.Collect(ctx, p.tx, func(row store.Row) (r search.Run, err error) {
		err = row.Scan(&r.Document, &r.First, &r.Last, &r.Length)
		return r, err
	}, runsOfDocuments, keys)
}

// Holding implements search.Index.
func (p passages) Holding(ctx context.Context, term search.Term, ground search.Ground, found func(id int64) bool) error {
	// Words of people are quoted, so that nothing in them is an operator.
	match := `"` + strings.ReplaceAll(term.Plain, `"`, `""`) + `"`
	return p.tx.Each(ctx, func(row store.Row) (bool, error) {
		id, err := store.ScanNumber(row)
		return err == nil && found(id), err
	}, passagesWith, ground.Spans(), match)
}

// Passages implements search.Index.
func (p passages) Passages(ctx context.Context, ids []int64) ([]search.Hit, error) {
	return store.Collect(ctx, p.tx, func(row store.Row) (h search.Hit, err error) {
		var headings []byte
		if err := row.Scan(&h.Index, &h.Title, &headings, &h.Start, &h.End, &h.Text); err != nil {
			return h, err
		}
		return h, json.Unmarshal(headings, &h.Headings)
	}, passagesByID, ids)
}
