package knowledge

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// Store keeps documents, their passages, and the files that are to be read.
// Each method happens whole or not at all, as if it were one transaction. What does not
// exist and what lies out of reach are the same fault.ErrNotFound. Every method is
// safe for concurrent use. Package storetest says in tests what a Store must do.
type Store interface {
	Documents
	Queue
	once.Store
}

// Documents is the part of a Store that keeps documents and finds passages.
type Documents interface {
	// AddDocument stores a document that is to be read, with its file. A claim
	// may be nil; one on a key that is taken is once.ErrTaken.
	AddDocument(ctx context.Context, d Document, file []byte, claim *once.Claim) error
	// Document gives a document.
	Document(ctx context.Context, reach Reach, key string) (Document, error)
	// ListDocuments gives a page, newest first.
	ListDocuments(ctx context.Context, reach Reach, page Page) (List, error)
	// Content gives a document's title, text and passages; the latter two are
	// empty until it is synced. A span, in UTF-16 units, gives that part of the
	// text and the passages that overlap it; nil gives all.
	Content(ctx context.Context, reach Reach, key string, span *wire.Span) (wire.Document, error)
	// DeleteDocuments removes documents with all that there is of them. Where
	// one is gone already nothing is removed, and it is fault.ErrNotFound.
	DeleteDocuments(ctx context.Context, projectID string, keys []string, at float64) error
	// Usable gives those of keys that are in reach, once each and in their
	// order; of nil, all that are, newest first.
	Usable(ctx context.Context, reach Reach, keys []string) ([]string, error)
	// Search gives the passages of the documents with these keys, as far as they
	// are synced, that fit the question best: the best first, and at most limit.
	// Order and scores depend on nothing but these documents. The question is
	// anybody's words: no character of it is an operator.
	Search(ctx context.Context, question string, keys []string, limit int) ([]search.Hit, error)
}

// Document is a document without its text.
type Document struct {
	Key       string
	ProjectID string
	UserID    string // empty: it is the project's
	Name      string // of the file
	Title     string
	Kind      read.Kind
	Status    string // one of the Document constants of package wire
	Error     string // why it could not be read, for people; empty unless it failed
	Size      int64  // of the file, in bytes
	Metadata  wire.JSON
	CreatedAt float64
}

// Page is a part of a list.
type Page struct {
	Number int // from 1
	Size   int
	// Before is the place in the order at which the first page begins; 0 means the
	// newest. With it, a document that stays is on exactly one page, whatever
	// comes and goes meanwhile.
	Before int64
	// Search narrows the list to titles and names that hold it, whatever the
	// case; empty doesn't.
	Search string
}

// List is a page of documents.
type List struct {
	Documents []Document
	// Total is how many there are on all pages.
	Total int
	// Next is the Before of the next page, 0 on the last one.
	Next int64
}

// Queue is the part of a Store that keeps the files that are to be read.
type Queue interface {
	// DocumentJobs gives, of up to limit owners, the first document that is to
	// be read. The owners take turns: each has one document read before another
	// has a second one, whoever came first.
	DocumentJobs(ctx context.Context, now float64, limit int) ([]Job, error)
	// DocumentFile gives the file of a job.
	DocumentFile(ctx context.Context, key string) ([]byte, error)
	// FinishDocument ends a job: the document is synced, its passages are
	// searched, and its file goes. One that was deleted meanwhile is fault.ErrNotFound.
	FinishDocument(ctx context.Context, key string, d read.Document, passages []split.Passage) error
	// FailDocument ends a job: the document has failed, for this reason, and
	// its file goes.
	FailDocument(ctx context.Context, key, reason string) error
	// PutOffDocument lets a job wait, after one more failure.
	PutOffDocument(ctx context.Context, key string, due float64) error
	// CountDocumentJobs tells how many there are.
	CountDocumentJobs(ctx context.Context) (int, error)
}

// Job is a document that is to be read.
type Job struct {
	Key  string
	Name string // of the file
	// Owner tells owners apart: a user of a project, or a project.
	Owner string
	// Failures is how often the reading failed through no fault of the file.
	Failures int
}
