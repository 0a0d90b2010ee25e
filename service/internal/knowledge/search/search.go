// Package search finds the passages of documents that a question is about.
//
// Index is what a search needs to be; PostgreSQL's full text search or
// embeddings can serve it too. FTS is the one of SQLite's FTS5, in a database
// of the caller's that has the tables of Schema.
package search

import (
	"context"
	"fmt"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

// Document is a document to be searched.
type Document struct {
	Key      string // unique in the index
	Title    string
	Passages []split.Passage
}

// Hit is a passage that was found. Score is above 0; it orders the hits of one
// search and says nothing across searches.
type Hit struct {
	Key   string // of the document
	Title string // of the document
	Index int    // of the passage in Document.Passages
	split.Passage
	Score float64
}

// PassageID is the id of the passage wherever it is shown.
func (h Hit) PassageID() string { return PassageID(h.Key, h.Index) }

// PassageID is the id of a passage of a document, by its index.
func PassageID(key string, index int) string { return fmt.Sprintf("%s_%d", key, index) }

// Index keeps passages and finds them. It is safe for use at once from several
// goroutines. Errors are ctx's or those of what keeps the passages.
type Index interface {
	// Add puts a document in, in the place of one that had its key.
	Add(ctx context.Context, d Document) error
	// Remove takes a document out; one that is not there is no error.
	Remove(ctx context.Context, key string) error
	// Search gives the passages of the documents with these keys, and no
	// others, that fit the question best, the best first and at most limit.
	// Order and scores depend on nothing but these documents. The question is
	// anybody's words: no character of it is an operator.
	Search(ctx context.Context, question string, keys []string, limit int) ([]Hit, error)
}
