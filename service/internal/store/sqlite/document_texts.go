package sqlite

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	insertText = `INSERT INTO document_texts (document_key, number, start_at, end_at, text) VALUES (?, ?, ?, ?, ?)`
	isQueued   = `SELECT 1 FROM document_jobs WHERE document_key = ?`
	insertOne  = `INSERT INTO passages (document_key, number, title, headings, start_at, end_at, text) VALUES (?, ?, ?, ?, ?, ?, ?)`
)

// storeText stores the text of a document that is being read.
func (s *Store) storeText(ctx context.Context, key, text string) error {
	for step := range slices.Chunk(knowledge.TextParts(text), stepParts) {
		err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
			if err := stillQueued(ctx, tx, key); err != nil {
				return err
			}
			return insertTexts(ctx, tx, key, step)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func insertTexts(ctx context.Context, tx store.Session, key string, parts []knowledge.TextPart) error {
	for _, part := range parts {
		if _, err := tx.Exec(ctx, insertText, key, part.Number, part.Start, part.End, part.Text); err != nil {
			return err
		}
	}
	return nil
}

// passageBytes is how many bytes of passages one transaction stores. Indexing takes much longer
// for a byte than storing it in a table.
const passageBytes = 16 << 10

// storePassages stores the passages of a document that is being read.
func (s *Store) storePassages(ctx context.Context, key, title string, passages []split.Passage) error {
	for number := 0; number < len(passages); {
		err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
			if err := stillQueued(ctx, tx, key); err != nil {
				return err
			}
			for bytes := 0; number < len(passages) && bytes < passageBytes; number++ {
				p := passages[number]
				headings, err := json.Marshal(p.Headings)
				if err != nil {
					return err
				}
				if _, err := tx.Exec(ctx, insertOne, key, number, title, headings, p.Start, p.End, p.Text); err != nil {
					return err
				}
				bytes += len(title) + len(headings) + len(p.Text)
			}
			return nil
		})
		if err == nil {
			err = s.mergeIndex(ctx, nothing)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stillQueued returns fault.ErrNotFound if a document was deleted meanwhile.
func stillQueued(ctx context.Context, tx store.Session, key string) error {
	var queued int
	return store.OrNotFound(tx.Row(ctx, isQueued, key).Scan(&queued))
}

const textsBefore = `SELECT key, text FROM documents WHERE text <> ''`

// fillTexts splits the texts of an older database into parts.
func fillTexts(ctx context.Context, tx store.Session) error {
	return tx.Each(ctx, func(row store.Row) (bool, error) {
		var key, text string
		if err := row.Scan(&key, &text); err != nil {
			return false, err
		}
		return true, insertTexts(ctx, tx, key, knowledge.TextParts(text))
	}, textsBefore)
}
