package postgres

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	// insertDocumentJob gives a job its round. The user's lock is held, so that two files of one
	// owner get two rounds.
	insertDocumentJob = `
		INSERT INTO document_jobs (document_key, failures, due, owner, round)
		SELECT $1, 0, 0, $2, greatest(
			coalesce((SELECT min(round) FROM document_jobs WHERE failures = 0), 0),
			coalesce((SELECT max(round) + 1 FROM document_jobs WHERE owner = $2), 0))`
)

var documentDialect = store.DocumentDialect{
	Position: `strpos`,
	Searchable: `
		SELECT documents.key FROM unnest($1::text[]) WITH ORDINALITY AS named (key, place) JOIN documents ON documents.key = named.key
		WHERE status = 'synced' ORDER BY place`,
}

// AddDocument implements knowledge.Documents.
func (s *Store) AddDocument(ctx context.Context, d knowledge.Document, file []byte, used *once.UsedKey) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := storeFile(ctx, tx, d.Key, file); err != nil { // this comes first: it takes long, and blocks nobody
			return err
		}
		if err := store.Take(ctx, tx, used); err != nil {
			return err
		}
		if err := s.Limits.roomForDocument(ctx, tx, d); err != nil {
			return err
		}
		if err := store.InsertDocument(ctx, tx, d); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, insertDocumentJob, d.Key, ownerOfFiles(d))
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
