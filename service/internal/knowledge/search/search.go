// Package search finds the passages of documents that a question is about. Use Find. Each Store
// has its own implementation of Index.
package search

import (
	"context"
	"fmt"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

// Hit is a passage that was found. Score is above 0. It orders the hits of one search, and cannot
// be compared between searches.
type Hit struct {
	Key   string // of the document
	Title string // of the document
	Index int    // of the passage in the document
	split.Passage
	Score float64
}

// PassageID is the id of the passage in the API.
func (h Hit) PassageID() string { return PassageID(h.Key, h.Index) }

// PassageID returns the id of a passage of a document, by its index.
func PassageID(key string, index int) string { return fmt.Sprintf("%s_%d", key, index) }

// Index is a Store's index of passages, on one snapshot. A passage has a number as its id, which
// is valid only within one search.
type Index interface {
	// Runs returns where the passages of documents are, in any order. If a document is named
	// twice, its first key counts.
	Runs(ctx context.Context, keys []string) ([]Run, error)
	// Holding calls found with the passages of a ground that contain a term, each once and in the
	// order of their ids, until found returns false. It may also call it with other passages.
	Holding(ctx context.Context, term Term, ground Ground, found func(id int64) bool) error
	// Passages returns passages in the order of their ids, without Key and Score.
	Passages(ctx context.Context, ids []int64) ([]Hit, error)
}

// Find does what knowledge.Documents.Search promises, for all stored passages of these documents.
// It ranks by BM25 over only these passages, and leaves out those that are not relevant.
func Find(ctx context.Context, index Index, question string, keys []string, limit int) ([]Hit, error) {
	terms, phrase := termsOf(question)
	if len(terms) == 0 || len(keys) == 0 || limit <= 0 {
		return nil, nil
	}
	runs, err := index.Runs(ctx, keys)
	if err != nil {
		return nil, err
	}
	r := &ranking{index: index, ground: groundOf(runs), terms: terms, phrase: phrase, counter: counterOf(terms), keys: keys, limit: limit}
	return r.run(ctx)
}
