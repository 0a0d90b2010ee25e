package sqlite

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	// The first due file of each owner, in the order of rounds.
	dueDocuments = `
		SELECT job.document_key, documents.name, job.owner, job.failures
		FROM document_jobs AS job INDEXED BY document_jobs_of_round CROSS JOIN documents ON documents.key = job.document_key
		WHERE job.due <= $1 AND NOT EXISTS (
			SELECT 1 FROM document_jobs AS other WHERE other.owner = job.owner AND other.round < job.round AND other.due <= $1)
		ORDER BY job.round, job.position LIMIT $2`
	deleteDocumentJob = `DELETE FROM document_jobs WHERE document_key = ?`
	nameOfDocument    = `SELECT name FROM documents WHERE key = ?`
	putOffDocument    = `UPDATE document_jobs SET failures = failures + 1, due = ? WHERE document_key = ?`
)

// DocumentJobs implements knowledge.Queue.
func (s *Store) DocumentJobs(ctx context.Context, now float64, limit int) ([]knowledge.Job, error) {
	all, err := store.Collect(ctx, s.now(), func(row store.Row) (job knowledge.Job, err error) {
		err = row.Scan(&job.Key, &job.Name, &job.Owner, &job.Failures)
		return job, err
	}, dueDocuments, now, limit)
	return all, failed("read", "the queue of documents", err)
}

// DocumentFile implements knowledge.Queue.
func (s *Store) DocumentFile(ctx context.Context, key string) (file []byte, err error) {
	var size int64
	if err = s.now().Row(ctx, store.FileOfDocument, key).Scan(&size); err == nil {
		file, err = s.file(ctx, key, size)
	}
	return file, failed("read the file of document", key, store.OrNotFound(err))
}

// FinishDocument implements knowledge.Queue. It stores text and passages in steps, which are
// invisible until the last one. It begins by removing what an interrupted call has left.
func (s *Store) FinishDocument(ctx context.Context, key string, d read.Document, passages []split.Passage) error {
	err := s.removeContent(ctx, key, nothing)
	if err == nil {
		err = s.storeText(ctx, key, d.Text)
	}
	if err == nil {
		err = s.storePassages(ctx, key, d.Title, passages)
	}
	if err == nil {
		err = s.endDocumentJob(ctx, key, func(ctx context.Context, tx store.Session) error {
			var name string
			if err := tx.Row(ctx, nameOfDocument, key).Scan(&name); err != nil {
				return err
			}
			return store.SyncDocument(ctx, tx, key, name, d)
		})
	}
	if err != nil {
		s.wakeErasing() // the document was deleted, or its steps begin again
	}
	return failed("index document", key, err)
}

// FailDocument implements knowledge.Queue.
func (s *Store) FailDocument(ctx context.Context, key, reason string) error {
	err := s.endDocumentJob(ctx, key, func(ctx context.Context, tx store.Session) error {
		return store.FailDocument(ctx, tx, key, reason)
	})
	return failed("mark as failed document", key, err)
}

// endDocumentJob removes a job from the queue, with its file, and calls more in the same
// transaction. If the document was deleted, it has no job.
func (s *Store) endDocumentJob(ctx context.Context, key string, more func(context.Context, store.Session) error) error {
	return s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := store.Touched(tx.Exec(ctx, deleteDocumentJob, key)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, dropFile, key); err != nil {
			return err
		}
		return more(ctx, tx)
	})
}

// PutOffDocument implements knowledge.Queue.
func (s *Store) PutOffDocument(ctx context.Context, key string, due float64) error {
	return failed("put off document", key, s.exec(ctx, putOffDocument, due, key))
}
