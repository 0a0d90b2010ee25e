package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/column"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/room"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// inReach is the condition for what a knowledge.Reach sees: $1 is the project, $2 the user or
// empty, $3 whether documents of all users are seen.
const inReach = `project_id = $1 AND ($3 OR user_id IS NULL OR user_id = $2) AND deleted_at IS NULL`

func reach(r knowledge.Reach, more ...any) []any {
	return append([]any{r.ProjectID, r.UserID, r.Everybody}, more...)
}

// AddDocument implements knowledge.Documents.
func (s *Store) AddDocument(ctx context.Context, d knowledge.Document, file []byte, claim *once.Claim) error {
	err := s.storeFile(ctx, d.Key, file)
	if err == nil {
		err = s.addDocument(ctx, d, claim)
	}
	if err != nil {
		err = errors.Join(err, s.removeFiles(ctx, d.Key))
	}
	return failed("add document", d.Key, err)
}

// addDocument stores the row of a document whose file is stored.
func (s *Store) addDocument(ctx context.Context, d knowledge.Document, claim *once.Claim) error {
	return s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := store.Take(ctx, tx, claim); err != nil {
			return err
		}
		if err := s.Limits.roomForDocument(ctx, tx, d); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			INSERT INTO documents (key, project_id, user_id, name, title, folded, kind, status, error, size, metadata, created_at)
			VALUES (?, ?, nullif(?, ''), ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			d.Key, d.ProjectID, d.UserID, d.Name, d.Title, folded(d.Title, d.Name), d.Kind, d.Status, d.Error, d.Size, column.Text(d.Metadata), d.CreatedAt)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO document_jobs (document_key, failures, due) VALUES (?, 0, 0)`, d.Key); err != nil {
			return err
		}
		return store.Touched(tx.Exec(ctx, nameFile, d.Key))
	})
}

// folded is the text that name_search searches.
func folded(title, name string) string { return strings.ToLower(title + "\n" + name) }

const (
	selectDocuments = `
		SELECT key, project_id, coalesce(user_id, ''), name, title, kind, status, error, size, metadata, created_at FROM documents`
	oneDocument = selectDocuments + ` WHERE key = $4 AND ` + inReach
	// Two queries, so that one of them need not read titles.
	pageOfDocuments = selectDocuments + ` WHERE ` + inReach + newestDocuments
	searchedPage    = selectDocuments + ` WHERE ` + inReach + ` AND instr(folded, $7)` + newestDocuments
	placeOfDocument = `SELECT position FROM documents WHERE key = ?`
	newestDocuments = ` AND position < $4 ORDER BY position DESC LIMIT $5 OFFSET $6`
	countDocuments  = `SELECT count(*) FROM documents WHERE ` + inReach
	countSearched   = countDocuments + ` AND instr(folded, $4)`
)

func scanDocument(row store.Row) (d knowledge.Document, err error) {
	err = row.Scan(&d.Key, &d.ProjectID, &d.UserID, &d.Name, &d.Title, &d.Kind, &d.Status, &d.Error, &d.Size, (*[]byte)(&d.Metadata), &d.CreatedAt)
	return d, err
}

// Document implements knowledge.Documents.
func (s *Store) Document(ctx context.Context, r knowledge.Reach, key string) (knowledge.Document, error) {
	d, err := scanDocument(s.now().Row(ctx, oneDocument, reach(r, key)...))
	return d, failed("read document", key, store.OrNotFound(err))
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

func scanPassage(row store.Row, key string) (p wire.Passage, err error) {
	var number int
	var headings []byte
	if err := row.Scan(&number, &headings, &p.Start, &p.End); err != nil {
		return p, err
	}
	p.ID = search.PassageID(key, number)
	err = json.Unmarshal(headings, &p.HeadingPath)
	if p.HeadingPath == nil {
		p.HeadingPath = []string{} // JSON must have a list, not null
	}
	return p, err
}

const hideDocument = `UPDATE documents SET deleted_at = $3 WHERE key = $1 AND project_id = $2 AND deleted_at IS NULL`

// DeleteDocuments implements knowledge.Documents. The documents are invisible when it returns;
// Sweep removes what is left of them.
func (s *Store) DeleteDocuments(ctx context.Context, projectID string, keys []string, at float64) error {
	err := s.writeFreeing(ctx, func(ctx context.Context, raw *sql.Tx) error {
		tx := session{raw}
		s.erases()
		for _, key := range knowledge.Unique(keys) {
			if err := store.Touched(tx.Exec(ctx, hideDocument, key, projectID, at)); err != nil {
				return err
			}
			for _, statement := range []string{deleteDocumentJob, dropFile} {
				if _, err := tx.Exec(ctx, statement, key); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return failed("delete documents of", projectID, err)
}

const (
	allKeys  = `SELECT key FROM documents WHERE ` + inReach + ` ORDER BY position DESC`
	someKeys = `SELECT key FROM documents WHERE key IN (SELECT value FROM json_each($4)) AND ` + inReach
)

// Usable implements knowledge.Documents.
func (s *Store) Usable(ctx context.Context, r knowledge.Reach, keys []string) (usable []string, err error) {
	if keys == nil {
		usable, err = s.documentKeys(ctx, allKeys, reach(r)...)
		return usable, failed("list the documents of", r.ProjectID, err)
	}
	set, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	found, err := s.documentKeys(ctx, someKeys, reach(r, string(set))...)
	if err != nil {
		return nil, failed("look up documents of", r.ProjectID, err)
	}
	return knowledge.Found(keys, found), nil
}

func (s *Store) documentKeys(ctx context.Context, query string, args ...any) ([]string, error) {
	return store.Collect(ctx, s.now(), store.ScanText, query, args...)
}

const searchable = `
	SELECT documents.key FROM json_each(?) AS named CROSS JOIN documents ON documents.key = named.value
	WHERE status = 'synced' AND deleted_at IS NULL`

// Search implements knowledge.Documents. The passages of a document are stored and removed in
// steps: they are searched only when all are there.
func (s *Store) Search(ctx context.Context, question string, keys []string, limit int) (hits []search.Hit, err error) {
	set, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	err = s.read(ctx, func(ctx context.Context, tx store.Session) error {
		synced, err := store.Collect(ctx, tx, store.ScanText, searchable, string(set))
		if err != nil {
			return err
		}
		hits, err = search.Find(ctx, passages{tx}, question, synced, limit)
		return err
	})
	return hits, failed("search", "documents", err)
}
