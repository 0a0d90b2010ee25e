package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/column"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/room"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// inReach is the condition for what a knowledge.Reach sees: $1 is the project, $2 the user or
// empty, $3 whether documents of all users are seen.
const inReach = `project_id = $1 AND ($3 OR user_id IS NULL OR user_id = $2)`

func reach(r knowledge.Reach, more ...any) []any {
	return append([]any{r.ProjectID, r.UserID, r.Everybody}, more...)
}

const (
	insertDocument = `
		INSERT INTO documents (key, project_id, user_id, name, title, folded, kind, status, error, size, metadata, created_at)
		VALUES ($1, $2, nullif($3, ''), $4, $5, $6, $7, $8, $9, $10, $11, $12)`
	// insertDocumentJob gives a job its round. The user's lock is held, so that two files of one
	// owner get two rounds.
	insertDocumentJob = `
		INSERT INTO document_jobs (document_key, failures, due, owner, round)
		SELECT $1, 0, 0, $2, greatest(
			coalesce((SELECT min(round) FROM document_jobs WHERE failures = 0), 0),
			coalesce((SELECT max(round) + 1 FROM document_jobs WHERE owner = $2), 0))`
)

// AddDocument implements knowledge.Documents.
func (s *Store) AddDocument(ctx context.Context, d knowledge.Document, file []byte, claim *once.Claim) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := storeFile(ctx, tx, d.Key, file); err != nil { // this comes first: it takes long, and blocks nobody
			return err
		}
		if err := store.Take(ctx, tx, claim); err != nil {
			return err
		}
		if err := s.Limits.roomForDocument(ctx, tx, d); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, insertDocument, d.Key, d.ProjectID, d.UserID, d.Name, d.Title, folded(d.Title, d.Name),
			string(d.Kind), d.Status, d.Error, d.Size, column.Text(d.Metadata), d.CreatedAt)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, insertDocumentJob, d.Key, ownerOfFiles(d))
		return err
	})
	return failed("add document", d.Key, err)
}

// ownerOfFiles names the owner who takes turns, as a JSON array, so that different names differ.
func ownerOfFiles(d knowledge.Document) string {
	names := []any{d.ProjectID, d.UserID}
	if d.UserID == "" {
		names[1] = nil
	}
	name, err := json.Marshal(names)
	if err != nil {
		panic(err) // two strings can always be encoded
	}
	return string(name)
}

// folded is the text that name_search searches.
func folded(title, name string) string { return strings.ToLower(title + "\n" + name) }

const (
	selectDocuments = `
		SELECT key, project_id, coalesce(user_id, ''), name, title, kind, status, error, size, metadata, created_at FROM documents`
	oneDocument = selectDocuments + ` WHERE key = $4 AND ` + inReach
	// Two queries, so that one of them need not read titles.
	pageOfDocuments = selectDocuments + ` WHERE ` + inReach + newestDocuments
	searchedPage    = selectDocuments + ` WHERE ` + inReach + ` AND strpos(folded, $7) > 0` + newestDocuments
	placeOfDocument = `SELECT position FROM documents WHERE key = $1`
	newestDocuments = ` AND position < $4 ORDER BY position DESC LIMIT $5 OFFSET $6`
	countDocuments  = `SELECT count(*) FROM documents WHERE ` + inReach
	countSearched   = countDocuments + ` AND strpos(folded, $4) > 0`
)

func scanDocument(row store.Row) (d knowledge.Document, err error) {
	var kind string
	err = row.Scan(&d.Key, &d.ProjectID, &d.UserID, &d.Name, &d.Title, &kind, &d.Status, &d.Error, &d.Size, (*[]byte)(&d.Metadata), &d.CreatedAt)
	d.Kind = read.Kind(kind)
	return d, err
}

// Document implements knowledge.Documents.
func (s *Store) Document(ctx context.Context, r knowledge.Reach, key string) (knowledge.Document, error) {
	d, err := scanDocument(s.now().Row(ctx, oneDocument, reach(r, key)...))
	if err != nil {
		return knowledge.Document{}, failed("read document", key, store.OrNotFound(err))
	}
	return d, nil
}

// ListDocuments implements knowledge.Documents.
func (s *Store) ListDocuments(ctx context.Context, r knowledge.Reach, page knowledge.Page) (all knowledge.List, err error) {
	pageQuery, countQuery := pageOfDocuments, countDocuments
	var needle []any
	if page.Search != "" {
		pageQuery, countQuery, needle = searchedPage, countSearched, []any{strings.ToLower(page.Search)}
	}
	err = s.read(ctx, func(ctx context.Context, tx store.Session) error {
		if err := tx.Row(ctx, countQuery, reach(r, needle...)...).Scan(&all.Total); err != nil {
			return err
		}
		before := cmp.Or(page.Before, math.MaxInt64)
		args := append([]any{before, page.Size + 1, int64(page.Number-1) * int64(page.Size)}, needle...)
		all.Documents, err = store.Collect(ctx, tx, room.Each(ctx, scanDocument, knowledge.Document.Bytes), pageQuery, reach(r, args...)...)
		if err != nil || len(all.Documents) <= page.Size {
			return err
		}
		all.Documents = all.Documents[:page.Size]
		return tx.Row(ctx, placeOfDocument, all.Documents[page.Size-1].Key).Scan(&all.Next)
	})
	return all, failed("list documents of", r.ProjectID, err)
}

const deleteDocument = `DELETE FROM documents WHERE key = $1 AND project_id = $2`

// DeleteDocuments implements knowledge.Documents. Without its row nothing of a document is found. Sweep
// removes the rest in steps: see removals.go.
func (s *Store) DeleteDocuments(ctx context.Context, projectID string, keys []string, _ float64) error {
	keys = slices.Sorted(slices.Values(knowledge.Unique(keys))) // in the order of locks
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		for _, key := range keys {
			if err := store.Touched(tx.Exec(ctx, deleteDocument, key, projectID)); err != nil {
				return err
			}
		}
		return nil
	})
	return failed("delete documents of", projectID, s.tellErased(err))
}

const (
	allKeys    = `SELECT key FROM documents WHERE ` + inReach + ` ORDER BY position DESC`
	someKeys   = `SELECT key FROM documents WHERE key = ANY($4) AND ` + inReach
	searchable = `
		SELECT documents.key FROM unnest($1::text[]) WITH ORDINALITY AS named (key, place) JOIN documents ON documents.key = named.key
		WHERE status = 'synced' ORDER BY place`
)

// Usable implements knowledge.Documents.
func (s *Store) Usable(ctx context.Context, r knowledge.Reach, keys []string) (usable []string, err error) {
	if keys == nil {
		usable, err = store.Collect(ctx, s.now(), store.ScanText, allKeys, reach(r)...)
		return usable, failed("list the documents of", r.ProjectID, err)
	}
	found, err := store.Collect(ctx, s.now(), store.ScanText, someKeys, reach(r, keys)...)
	if err != nil {
		return nil, failed("look up documents of", r.ProjectID, err)
	}
	return knowledge.Found(keys, found), nil
}

// Search implements knowledge.Documents.
func (s *Store) Search(ctx context.Context, question string, keys []string, limit int) (hits []search.Hit, err error) {
	err = s.read(ctx, func(ctx context.Context, tx store.Session) error {
		synced, err := store.Collect(ctx, tx, store.ScanText, searchable, keys)
		if err != nil {
			return err
		}
		hits, err = search.Find(ctx, &passages{tx: tx}, question, synced, limit)
		return err
	})
	return hits, failed("search", "documents", err)
}
