// Package search finds the passages of documents that a question is about. Use
// Find.
//
// It works with SQLite's FTS5, on tables that package sqlite makes (in
// 0004_documents.sql and 0010_passage_runs.sql of its migrations) and fills.
package search

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

// Hit is a passage that was found. Score is above 0; it orders the hits of one
// search and says nothing across searches.
type Hit struct {
	Key   string // of the document
	Title string // of the document
	Index int    // of the passage in the document
	split.Passage
	Score float64
}

// PassageID is the id of the passage wherever it is shown.
func (h Hit) PassageID() string { return PassageID(h.Key, h.Index) }

// PassageID is the id of a passage of a document, by its index.
func PassageID(key string, index int) string { return fmt.Sprintf("%s_%d", key, index) }

// Find gives what knowledge.Documents.Search does, of all passages that there are
// of these documents. It ranks by BM25 over these passages alone.
func Find(ctx context.Context, tx *sql.Tx, question string, keys []string, limit int) ([]Hit, error) {
	terms := termsOf(question)
	if len(terms) == 0 || len(keys) == 0 || limit <= 0 {
		return nil, nil
	}
	ground, err := groundOf(ctx, tx, keys)
	if err != nil {
		return nil, err
	}
	r := &ranking{tx: tx, ground: ground, terms: terms, counter: counterOf(terms), keys: keys, limit: limit}
	return r.run(ctx)
}
