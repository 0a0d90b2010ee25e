package sqlite

import (
	"context"
	"errors"

	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// AddDocument implements knowledge.Documents.
func (s *Store) AddDocument(ctx context.Context, d knowledge.Document, file []byte, used *once.UsedKey) error {
	err := s.storeFile(ctx, d.Key, file)
	if err == nil {
		err = s.addDocument(ctx, d, used)
	}
	if err != nil {
		err = errors.Join(err, s.removeFiles(ctx, d.Key))
	}
	return failed("add document", d.Key, err)
}

// addDocument stores the row of a document whose file is stored.
func (s *Store) addDocument(ctx context.Context, d knowledge.Document, used *once.UsedKey) error {
	return s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := store.Take(ctx, tx, used); err != nil {
			return err
		}
		if err := queries.RoomForDocument(ctx, tx, s.Limits, d); err != nil {
			return err
		}
		if err := store.InsertDocument(ctx, tx, d); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO document_jobs (document_key, failures, due) VALUES (?, 0, 0)`, d.Key); err != nil {
			return err
		}
		return store.Touched(tx.Exec(ctx, nameFile, d.Key))
	})
}

const hideDocument = `UPDATE documents SET deleted_at = $3 WHERE key = $1 AND project_id = $2 AND deleted_at IS NULL`

var documentDialect = store.DocumentDialect{
	DocumentIsSeen: ` AND deleted_at IS NULL`,
	Position:       `instr`,
	Searchable: `
		SELECT documents.key FROM json_each(?) AS named CROSS JOIN documents ON documents.key = named.value
		WHERE status = 'synced' AND deleted_at IS NULL`,
}

// DeleteDocuments implements knowledge.Documents. The documents are invisible when it returns;
// Sweep removes what is left of them.
func (s *Store) DeleteDocuments(ctx context.Context, projectID string, keys []string, at float64) error {
	err := s.writeFreeing(ctx, func(ctx context.Context, tx store.Session) error {
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
