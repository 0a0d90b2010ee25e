package main

import (
	"context"
	"database/sql"
	"strings"
	"unicode"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

// plainSchema is FTS5 with its defaults: whole paragraphs, no stemming.
const plainSchema = `CREATE VIRTUAL TABLE plain USING fts5 (document_key UNINDEXED, start_at UNINDEXED, end_at UNINDEXED, text);`

func addPlain(ctx context.Context, db *sql.DB, key string, paragraphs []Paragraph) error {
	for _, p := range paragraphs {
		if _, err := db.ExecContext(ctx, `INSERT INTO plain VALUES (?, ?, ?, ?)`, key, p.Start, p.End, p.Text); err != nil {
			return err
		}
	}
	return nil
}

// searchPlain looks for any word of the question.
func searchPlain(ctx context.Context, db *sql.DB, question string) ([]search.Hit, error) {
	words := strings.FieldsFunc(question, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return nil, nil
	}
	rows, err := db.QueryContext(ctx, `SELECT document_key, start_at, end_at, text FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?`,
		`"`+strings.Join(words, `" OR "`)+`"`, depth)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var hits []search.Hit
	for rows.Next() {
		h := search.Hit{Passage: split.Passage{}}
		if err := rows.Scan(&h.Key, &h.Start, &h.End, &h.Text); err != nil {
			return nil, err
		}
		hits = append(hits, h)
	}
	return hits, rows.Err()
}

// wholeParagraph is how plain FTS5 answers.
func wholeParagraph(hits []search.Hit) []Quote {
	if len(hits) == 0 {
		return nil
	}
	return []Quote{{hits[0].Key, hits[0].Text}}
}
