package store

import (
	"cmp"
	"context"
	"math"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/room"
)

// DocumentDialect is what one of the databases says differently of documents.
type DocumentDialect struct {
	// DocumentIsSeen ends a condition on documents: SQLite's Sweep has yet to remove some.
	DocumentIsSeen string
	// Position is the function that finds a text in another.
	Position string
	// Searchable are the keys of those documents of a list, $1, that have been read.
	Searchable string
}

const (
	insertDocument = `
		INSERT INTO documents (key, project_id, user_id, name, title, folded, kind, status, error, size, metadata, created_at)
		VALUES ($1, $2, nullif($3, ''), $4, $5, $6, $7, $8, $9, $10, $11, $12)`
	syncDocument      = `UPDATE documents SET status = $2, kind = $3, title = $4, folded = $5, encoding = nullif($6, '') WHERE key = $1`
	failDocument      = `UPDATE documents SET status = $2, error = $3 WHERE key = $1`
	PlaceOfDocument   = `SELECT position FROM documents WHERE key = $1`
	FileOfDocument    = `SELECT size FROM documents JOIN document_jobs ON document_key = key WHERE key = $1`
	countDocumentJobs = `SELECT count(*) FROM document_jobs`
)

type documentQueries struct {
	OneDocument, PageOfDocuments, SearchedPage, CountDocuments, CountSearched string
	AllKeys, SomeKeys, TitleInView                                            string
}

func documentQueriesOf(d Dialect) documentQueries {
	// inReach is the condition for what a knowledge.Reach sees: $1 is the project, $2 the user or empty, $3
	// whether documents of all users are seen.
	inReach := `project_id = $1 AND ($3 OR user_id IS NULL OR user_id = $2)` + d.DocumentIsSeen
	selectDocuments := `
		SELECT key, project_id, coalesce(user_id, ''), name, title, kind, coalesce(encoding, ''), status, error, size, metadata, created_at FROM documents`
	newest := ` AND position < $4 ORDER BY position DESC LIMIT $5 OFFSET $6`
	count := `SELECT count(*) FROM documents WHERE ` + inReach
	return documentQueries{
		OneDocument: selectDocuments + ` WHERE key = $4 AND ` + inReach,
		// Two queries, so that one of them need not read titles.
		PageOfDocuments: selectDocuments + ` WHERE ` + inReach + newest,
		SearchedPage:    selectDocuments + ` WHERE ` + inReach + ` AND ` + d.Position + `(folded, $7) > 0` + newest,
		CountDocuments:  count,
		CountSearched:   count + ` AND ` + d.Position + `(folded, $4) > 0`,
		AllKeys:         `SELECT key FROM documents WHERE ` + inReach + ` ORDER BY position DESC`,
		SomeKeys:        `SELECT key FROM documents WHERE ` + d.In(`key`, `$4`) + ` AND ` + inReach,
		TitleInView: `
			SELECT title, coalesce((SELECT max(end_at) FROM document_texts WHERE document_key = key AND status = 'synced'), 0)
			FROM documents WHERE key = $4 AND ` + inReach,
	}
}

func reach(r knowledge.Reach, more ...any) []any {
	return append([]any{r.ProjectID, r.UserID, r.Everybody}, more...)
}

// folded is the text that is searched for a name.
func folded(title, name string) string { return strings.ToLower(title + "\n" + name) }

// InsertDocument stores the row of a document.
func InsertDocument(ctx context.Context, tx Session, d knowledge.Document) error {
	_, err := tx.Exec(ctx, insertDocument, d.Key, d.ProjectID, d.UserID, d.Name, d.Title, folded(d.Title, d.Name),
		string(d.Kind), d.Status, d.Error, d.Size, Text(d.Metadata), d.CreatedAt)
	return err
}

// SyncDocument stores in its row that a document was read.
func SyncDocument(ctx context.Context, tx Session, key, name string, d read.Document) error {
	_, err := tx.Exec(ctx, syncDocument, key, wire.DocumentSynced, string(d.Kind), d.Title, folded(d.Title, name), d.Encoding)
	return err
}

// FailDocument stores in its row that a document could not be read.
func FailDocument(ctx context.Context, tx Session, key, reason string) error {
	_, err := tx.Exec(ctx, failDocument, key, wire.DocumentFailed, reason)
	return err
}

func scanDocument(row Row) (d knowledge.Document, err error) {
	var kind string
	err = row.Scan(&d.Key, &d.ProjectID, &d.UserID, &d.Name, &d.Title, &kind, &d.Encoding, &d.Status, &d.Error, &d.Size, (*[]byte)(&d.Metadata), &d.CreatedAt)
	d.Kind = read.Kind(kind)
	return d, err
}

// Document implements knowledge.Documents.
func (t *Tables) Document(ctx context.Context, r knowledge.Reach, key string) (knowledge.Document, error) {
	d, err := First(ctx, t.db.Now(), scanDocument, t.q.OneDocument, reach(r, key)...)
	return d, t.db.Failed("read document", key, err)
}

// ListDocuments implements knowledge.Documents.
func (t *Tables) ListDocuments(ctx context.Context, r knowledge.Reach, page knowledge.Page) (all knowledge.List, err error) {
	pageQuery, countQuery := t.q.PageOfDocuments, t.q.CountDocuments
	var needle []any
	if page.Search != "" {
		pageQuery, countQuery, needle = t.q.SearchedPage, t.q.CountSearched, []any{strings.ToLower(page.Search)}
	}
	err = t.db.Read(ctx, func(ctx context.Context, tx Session) error {
		if err := tx.Row(ctx, countQuery, reach(r, needle...)...).Scan(&all.Total); err != nil {
			return err
		}
		before := cmp.Or(page.Before, math.MaxInt64)
		args := append([]any{before, page.Size + 1, int64(page.Number-1) * int64(page.Size)}, needle...)
		all.Documents, err = Collect(ctx, tx, room.Each(ctx, scanDocument, knowledge.Document.Bytes), pageQuery, reach(r, args...)...)
		if err != nil || len(all.Documents) <= page.Size {
			return err
		}
		all.Documents = all.Documents[:page.Size]
		return tx.Row(ctx, PlaceOfDocument, all.Documents[page.Size-1].Key).Scan(&all.Next)
	})
	return all, t.db.Failed("list documents of", r.ProjectID, err)
}

// Usable implements knowledge.Documents.
func (t *Tables) Usable(ctx context.Context, r knowledge.Reach, keys []string) (usable []string, err error) {
	if keys == nil {
		usable, err = Collect(ctx, t.db.Now(), ScanText, t.q.AllKeys, reach(r)...)
		return usable, t.db.Failed("list the documents of", r.ProjectID, err)
	}
	found, err := Collect(ctx, t.db.Now(), ScanText, t.q.SomeKeys, reach(r, keys)...)
	if err != nil {
		return nil, t.db.Failed("look up documents of", r.ProjectID, err)
	}
	return knowledge.Found(keys, found), nil
}

// Search implements knowledge.Documents. It searches a document when all its passages are there.
func (t *Tables) Search(ctx context.Context, question string, keys []string, limit int) (hits []search.Hit, err error) {
	err = t.db.Read(ctx, func(ctx context.Context, tx Session) error {
		synced, err := Collect(ctx, tx, ScanText, t.q.Searchable, keys)
		if err != nil {
			return err
		}
		hits, err = search.Find(ctx, t.db.Passages(tx), question, synced, limit)
		return err
	})
	return hits, t.db.Failed("search", "documents", err)
}

// CountDocumentJobs implements knowledge.Queue.
func (t *Tables) CountDocumentJobs(ctx context.Context) (count int, err error) {
	err = t.db.Now().Row(ctx, countDocumentJobs).Scan(&count)
	return count, t.db.Failed("count", "the queue of documents", err)
}
