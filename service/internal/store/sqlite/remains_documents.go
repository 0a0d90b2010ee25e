package sqlite

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	deletedDocuments = `SELECT key FROM documents WHERE deleted_at IS NOT NULL`
	removeSomeText   = `DELETE FROM document_texts WHERE position IN (SELECT position FROM document_texts WHERE document_key = ? LIMIT 4)`
	removeDocument   = `DELETE FROM documents WHERE key = ?`

	// isMuch says whether to merge the index: a merge takes about as long for each passage as it saves for
	// mergedForOne passages that are removed. The largest id is about the number of passages.
	isMuch = `
		SELECT EXISTS (` + unmergedDocuments + `) OR
			(SELECT count(*) FROM passages WHERE document_key IN (` + deletedDocuments + `)) * ? >= (SELECT coalesce(max(id), 0) FROM passages) + ?`
	mergedForOne = 150
	fewPassages  = 64 * mergedForOne // are removed one by one

	// A document is unmerged from the removal of its first passage until a merge has removed its words.
	unmerged          = `unmerged`
	unmergedDocuments = `SELECT key FROM documents WHERE deleted_at IS NOT NULL AND status = '` + unmerged + `'`
	leaveUnmerged     = `UPDATE documents SET status = '` + unmerged + `' WHERE key = ?`
)

// removeDocuments removes what is left of deleted documents: the words of few passages where they are
// in the index, those of many by writing the whole index once more without them.
func (s *Store) removeDocuments(ctx context.Context) error {
	var much bool
	err := s.now().Row(ctx, isMuch, mergedForOne, fewPassages).Scan(&much)
	if err != nil {
		return err
	}
	if !much {
		return s.removeEach(ctx, s.removeDocument, deletedDocuments)
	}
	if err = s.removeEach(ctx, s.removeUnmerged, deletedDocuments); err == nil {
		err = s.mergeAll(ctx, s.eraseBetween)
	}
	if err != nil {
		return err
	}
	return s.removeEach(ctx, func(ctx context.Context, key string) error { return s.exec(ctx, removeDocument, key) }, unmergedDocuments)
}

func (s *Store) removeDocument(ctx context.Context, key string) error {
	if err := s.removeContent(ctx, key, s.eraseBetween); err != nil {
		return err
	}
	return s.exec(ctx, removeDocument, key)
}

// removedBytes is how many bytes of passages one transaction removes with their words. Finding these in the
// index takes most of the time.
const removedBytes = 4 << 10

// removeContent removes the text of a document, and then its passages with their words, which takes
// longer. It calls between after each step of these.
func (s *Store) removeContent(ctx context.Context, key string, between func(context.Context) error) error {
	if err := s.removeText(ctx, key); err != nil {
		return err
	}
	return s.inStepsWith(ctx, between, func(ctx context.Context, tx store.Session) (int64, error) {
		return removePassages(ctx, tx, key, removedBytes)
	})
}

func (s *Store) removeText(ctx context.Context, key string) error {
	return s.inSteps(ctx, func(ctx context.Context, tx store.Session) (int64, error) {
		return tx.Exec(ctx, removeSomeText, key)
	})
}

// removeUnmerged removes the text of a document and its passages. Their words stay in the index until it
// is merged.
func (s *Store) removeUnmerged(ctx context.Context, key string) error {
	if err := s.removeText(ctx, key); err != nil {
		return err
	}
	steps := 0
	between := func(ctx context.Context) error {
		if steps++; steps%mergedSteps == 0 {
			if err := s.mergeIndex(ctx, nothing); err != nil {
				return err
			}
		}
		return s.eraseBetween(ctx)
	}
	return s.inStepsWith(ctx, between, func(ctx context.Context, tx store.Session) (removed int64, err error) {
		if _, err = tx.Exec(ctx, leaveUnmerged, key); err == nil {
			_, err = tx.Exec(ctx, insecureIndex)
		}
		if err != nil {
			return 0, err
		}
		if removed, err = removePassages(ctx, tx, key, unmergedBytes); err != nil {
			return 0, err
		}
		_, err = tx.Exec(ctx, secureIndex)
		return removed, err
	})
}

// mergedSteps is after how many transactions the index is merged, before it would have 16 segments of one
// size, which FTS5 merges within a transaction.
const mergedSteps = 12

// unmergedBytes is how many bytes of passages one transaction removes without their words.
const unmergedBytes = 256 << 10

const (
	somePassages  = `SELECT id, length(title) + length(headings) + length(text) FROM passages WHERE document_key = ? LIMIT 512`
	removePassage = `DELETE FROM passages WHERE id = ?`
)

// removePassages removes passages of a document with about a number of bytes, and returns how many.
func removePassages(ctx context.Context, tx store.Session, key string, most int64) (removed int64, err error) {
	passages, err := store.Collect(ctx, tx, scanSized, somePassages, key)
	bytes := int64(0)
	for _, one := range passages {
		if err != nil || bytes >= most {
			break
		}
		_, err = tx.Exec(ctx, removePassage, one.id)
		bytes += one.size
		removed++
	}
	return removed, err
}
