package knowledge

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// Store keeps documents, their passages, and the files that wait to be read. Each method happens
// as a whole or not at all, like a transaction. If something does not exist or is out of reach,
// the error is fault.ErrNotFound in both cases. Every method is safe for concurrent use. The
// tests in package storetest define what a Store must do.
type Store interface {
	Documents
	Queue
	once.Store
}

// Documents is the part of a Store that keeps documents and searches passages.
type Documents interface {
	// AddDocument stores a document that is to be read, with its file. The used key may be nil; if
	// its key is taken, the error is once.ErrTaken.
	AddDocument(ctx context.Context, d Document, file []byte, used *once.UsedKey) error
	// Document returns a document.
	Document(ctx context.Context, reach Reach, key string) (Document, error)
	// ListDocuments returns a page, newest first.
	ListDocuments(ctx context.Context, reach Reach, page Page) (List, error)
	// Content returns a document's title, text and passages; text and passages are empty until it
	// is synced. A span, in UTF-16 units, selects a part of the text and the passages that
	// overlap it; nil selects everything.
	Content(ctx context.Context, reach Reach, key string, span *wire.Span) (wire.Document, error)
	// DeleteDocuments removes documents with everything that belongs to them. If one of them does
	// not exist, nothing is removed, and the error is fault.ErrNotFound.
	DeleteDocuments(ctx context.Context, projectID string, keys []string, at float64) error
	// Usable returns which of the keys are in reach, each once and in their order. If keys is
	// nil, it returns all that are in reach, newest first.
	Usable(ctx context.Context, reach Reach, keys []string) ([]string, error)
	// Search returns the passages of the synced documents with these keys that fit the question
	// best: the best first, at most limit. Order and scores depend only on these documents. The
	// question may be any text: no character of it is an operator.
	Search(ctx context.Context, question string, keys []string, limit int) ([]search.Hit, error)
}

// Document is a document without its text.
type Document struct {
	Key       string
	ProjectID string
	UserID    string // empty if it is the project's
	Name      string // of the file
	Title     string
	Kind      read.Kind
	Encoding  string // in which its bytes were read; empty if its kind says how, or nobody noted it
	Status    string // one of the Document constants of package wire
	Error     string // why it could not be read, for people; empty unless it failed
	Size      int64  // of the file, in bytes
	Metadata  wire.JSON
	CreatedAt float64
}

// Bytes returns about how many bytes it takes in memory.
func (d Document) Bytes() int64 {
	return int64(1<<10 + len(d.Name) + len(d.Title) + len(d.Metadata))
}

// Page is a part of a list.
type Page struct {
	Number int // from 1
	Size   int
	// Before is the position in the order at which the first page begins; 0 means the newest.
	// With it, a document that exists all the time is on exactly one page, even if others are
	// added or deleted.
	Before int64
	// Search keeps documents whose title or name contains it, in upper or lower case; empty keeps
	// all.
	Search string
}

// List is a page of documents.
type List struct {
	Documents []Document
	// Total is the number of documents on all pages.
	Total int
	// Next is the Before of the next page, 0 on the last one.
	Next int64
}

// Queue is the part of a Store that keeps the files that wait to be read.
type Queue interface {
	// DocumentJobs returns the first waiting document of each of up to limit owners. The owners
	// take turns: each has one document read before another has a second one read.
	DocumentJobs(ctx context.Context, now float64, limit int) ([]Job, error)
	// DocumentFile returns the file of a job.
	DocumentFile(ctx context.Context, key string) ([]byte, error)
	// FinishDocument ends a job: the document is synced, its passages can be searched, and its
	// file is removed. If it was deleted meanwhile, the error is fault.ErrNotFound.
	FinishDocument(ctx context.Context, key string, d read.Document, passages []split.Passage) error
	// FailDocument ends a job: the document has failed for this reason, and its file is removed.
	FailDocument(ctx context.Context, key, reason string) error
	// PutOffDocument delays a job after one more failure.
	PutOffDocument(ctx context.Context, key string, due float64) error
	// CountDocumentJobs returns the number of jobs.
	CountDocumentJobs(ctx context.Context) (int, error)
}

// Job is a document that waits to be read.
type Job struct {
	Key  string
	Name string // of the file
	// Owner identifies the owner: a user of a project, or a project.
	Owner string
	// Failures is how often reading has failed without the file being at fault.
	Failures int
}
