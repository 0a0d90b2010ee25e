package postgres

import (
	"cmp"
	"context"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	// takeDocuments takes the first due file of each owner, in the order of rounds.
	takeDocuments = `
		UPDATE document_jobs SET replica = $3 FROM documents, (
			SELECT position AS taken FROM document_jobs AS job
			WHERE due <= $1 AND ` + isMine + ` AND NOT EXISTS (
				SELECT 1 FROM document_jobs AS other WHERE other.owner = job.owner AND other.round < job.round AND other.due <= $1)
			ORDER BY round, position LIMIT $2 FOR UPDATE OF job SKIP LOCKED
		) AS picked WHERE document_jobs.position = taken AND key = document_key
		RETURNING key, name, owner, failures, round, document_jobs.position`
	// holdDocument locks a document against its deletion.
	holdDocument      = `SELECT position, name FROM documents WHERE key = $1 FOR NO KEY UPDATE`
	deleteDocumentJob = `DELETE FROM document_jobs WHERE document_key = $1 AND ` + mayFinish
	setIndex          = `UPDATE documents SET passages = $2, passages_length = $3, term_pages = $4 WHERE key = $1`
	putOffDocument    = `UPDATE document_jobs SET failures = failures + 1, due = $3, replica = NULL WHERE document_key = $1 AND ` + mayFinish
	isDocumentJob     = `SELECT 1 FROM document_jobs WHERE document_key = $1`
)

type placedFile struct {
	knowledge.Job
	round, place int64
}

// DocumentJobs implements knowledge.Queue. It takes the jobs for this replica: no other replica
// gets them while this one's lease is valid.
func (s *Store) DocumentJobs(ctx context.Context, now float64, limit int) (all []knowledge.Job, err error) {
	var taken []placedFile
	err = s.write(ctx, func(ctx context.Context, tx store.Session) (err error) {
		taken, err = store.Collect(ctx, tx, func(row store.Row) (job placedFile, err error) {
			err = row.Scan(&job.Key, &job.Name, &job.Owner, &job.Failures, &job.round, &job.place)
			return job, err
		}, takeDocuments, now, limit, s.replica)
		return err
	})
	slices.SortFunc(taken, func(a, b placedFile) int { return cmp.Or(cmp.Compare(a.round, b.round), cmp.Compare(a.place, b.place)) })
	all = make([]knowledge.Job, len(taken))
	for i, job := range taken {
		all[i] = job.Job
	}
	return all, failed("read", "the queue of documents", err)
}

// DocumentFile implements knowledge.Queue.
func (s *Store) DocumentFile(ctx context.Context, key string) (file []byte, err error) {
	err = s.read(ctx, func(ctx context.Context, tx store.Session) error {
		var size int64
		if err := tx.Row(ctx, store.FileOfDocument, key).Scan(&size); err != nil {
			return err
		}
		file = make([]byte, 0, size)
		return tx.Each(ctx, func(row store.Row) (bool, error) {
			var part []byte
			err := row.Scan(&part)
			file = append(file, part...)
			return true, err
		}, store.PartsOf, key)
	})
	return file, failed("read the file of document", key, store.OrNotFound(err))
}

// FinishDocument implements knowledge.Queue. It is one transaction, so its data becomes visible
// at the end. The index is computed before, because that takes much longer.
func (s *Store) FinishDocument(ctx context.Context, key string, d read.Document, all []split.Passage) error {
	pages := pagesOf(d.Title, all)
	err := s.endDocumentJob(ctx, key, func(ctx context.Context, tx store.Session, position int64, name string) error {
		if err := storeText(ctx, tx, key, d.Text); err != nil {
			return err
		}
		if err := storePassages(ctx, tx, key, d.Title, all); err != nil {
			return err
		}
		if err := storeIndex(ctx, tx, position, pages); err != nil {
			return err
		}
		if err := store.SyncDocument(ctx, tx, key, name, d); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, setIndex, key, len(all), lengthOf(all), len(pages))
		return err
	})
	return failed("index document", key, err)
}

func lengthOf(all []split.Passage) (length int) {
	for _, p := range all {
		length += p.End - p.Start
	}
	return length
}

// FailDocument implements knowledge.Queue.
func (s *Store) FailDocument(ctx context.Context, key, reason string) error {
	err := s.endDocumentJob(ctx, key, func(ctx context.Context, tx store.Session, _ int64, _ string) error {
		return store.FailDocument(ctx, tx, key, reason)
	})
	return failed("mark as failed document", key, err)
}

// endDocumentJob removes a job from the queue, with its file, and calls more in the same
// transaction. If the document was deleted, it has no job.
func (s *Store) endDocumentJob(ctx context.Context, key string, more func(context.Context, store.Session, int64, string) error) error {
	return s.write(ctx, func(ctx context.Context, tx store.Session) error {
		var position int64
		var name string
		if err := store.OrNotFound(tx.Row(ctx, holdDocument, key).Scan(&position, &name)); err != nil {
			return err
		}
		if err := store.Touched(tx.Exec(ctx, deleteDocumentJob, key, s.replica)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, dropFiles, []string{key}); err != nil {
			return err
		}
		return more(ctx, tx, position, name)
	})
}

// PutOffDocument implements knowledge.Queue. Afterwards any replica may take the job.
func (s *Store) PutOffDocument(ctx context.Context, key string, due float64) error {
	err := s.changeJob(ctx, isDocumentJob, putOffDocument, fault.ErrNotFound, key, s.replica, due)
	return failed("put off document", key, err)
}
