// Package search finds the passages of documents that a question is about. Use
// Find. What is read for that, each Store reads in its own way.
package search

import (
	"context"
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

// Index is where a Store keeps passages, on one snapshot of it. A passage has a number as
// its id, which means nothing outside of one search.
type Index interface {
	// Runs gives where the passages of documents lie, in any order. A document that is
	// named twice counts at its first place.
	Runs(ctx context.Context, keys []string) ([]Run, error)
	// Holding tells found of the passages of a ground that hold a term, in the order of
	// their ids and each once, until found gives false. It may tell of others too.
	Holding(ctx context.Context, term Term, ground Ground, found func(id int64) bool) error
	// Passages gives passages in the order of their ids, without Key and Score.
	Passages(ctx context.Context, ids []int64) ([]Hit, error)
}

// Find gives what knowledge.Documents.Search does, of all passages that there are
// of these documents. It ranks by BM25 over these passages alone, and leaves out what is not
// relevant.
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
