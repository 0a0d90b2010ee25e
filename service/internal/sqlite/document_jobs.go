package sqlite

import (
	"context"
	"database/sql"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

const (
	// The first file of each owner that is due, in the order of rounds.
	dueDocuments = `
		SELECT job.document_key, documents.name, job.owner, job.failures
		FROM document_jobs AS job INDEXED BY document_jobs_of_round CROSS JOIN documents ON documents.key = job.document_key
		WHERE job.due <= ?1 AND NOT EXISTS (
			SELECT 1 FROM document_jobs AS other WHERE other.owner = job.owner AND other.round < job.round AND other.due <= ?1)
		ORDER BY job.round, job.position LIMIT ?2`
	fileOfDocument    = `SELECT file FROM document_jobs WHERE document_key = ?`
	deleteDocumentJob = `DELETE FROM document_jobs WHERE document_key = ?`
	nameOfDocument    = `SELECT name FROM documents WHERE key = ?`
	syncDocument      = `UPDATE documents SET status = ?, kind = ?, title = ?, folded = ?, text = ? WHERE key = ?`
	failDocument      = `UPDATE documents SET status = ?, error = ? WHERE key = ?`
	putOffDocument    = `UPDATE document_jobs SET failures = failures + 1, due = ? WHERE document_key = ?`
	countDocumentJobs = `SELECT count(*) FROM document_jobs`
)

// DocumentJobs implements knowledge.Queue.
func (s *Store) DocumentJobs(ctx context.Context, now float64, limit int) ([]knowledge.Job, error) {
	rows, err := s.readers.QueryContext(ctx, dueDocuments, now, limit)
	all, err := collect(rows, err, func(rows *sql.Rows) (job knowledge.Job, err error) {
		err = rows.Scan(&job.Key, &job.Name, &job.Owner, &job.Failures)
		return job, err
	})
	return all, failed("read", "the queue of documents", err)
}

// DocumentFile implements knowledge.Queue.
func (s *Store) DocumentFile(ctx context.Context, key string) (file []byte, err error) {
	err = s.readers.QueryRowContext(ctx, fileOfDocument, key).Scan(&file)
	return file, failed("read the file of document", key, knownDocument(err))
}

// FinishDocument implements knowledge.Queue.
func (s *Store) FinishDocument(ctx context.Context, key string, d read.Document, passages []split.Passage) error {
	err := s.endDocumentJob(ctx, key, func(ctx context.Context, tx *sql.Tx) error {
		var name string
		if err := tx.QueryRowContext(ctx, nameOfDocument, key).Scan(&name); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, syncDocument, wire.DocumentSynced, d.Kind, d.Title, folded(d.Title, name), d.Text, key)
		if err != nil {
			return err
		}
		return search.Put(ctx, tx, search.Document{Key: key, Title: d.Title, Passages: passages})
	})
	return failed("index document", key, err)
}

// FailDocument implements knowledge.Queue.
func (s *Store) FailDocument(ctx context.Context, key, reason string) error {
	err := s.endDocumentJob(ctx, key, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, failDocument, wire.DocumentFailed, reason, key)
		return err
	})
	return failed("mark as failed document", key, err)
}

// endDocumentJob takes a job from the queue and does more in the same
// transaction. The job of a document that was deleted is gone with it.
func (s *Store) endDocumentJob(ctx context.Context, key string, more func(context.Context, *sql.Tx) error) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := touchedDocument(tx.ExecContext(ctx, deleteDocumentJob, key)); err != nil {
			return err
		}
		return more(ctx, tx)
	})
}

// PutOffDocument implements knowledge.Queue.
func (s *Store) PutOffDocument(ctx context.Context, key string, due float64) error {
	return failed("put off document", key, s.exec(ctx, putOffDocument, due, key))
}

// CountDocumentJobs implements knowledge.Queue.
func (s *Store) CountDocumentJobs(ctx context.Context) (count int, err error) {
	err = s.readers.QueryRowContext(ctx, countDocumentJobs).Scan(&count)
	return count, failed("count", "the queue of documents", err)
}
