package sqlite

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/room"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	insertText  = `INSERT INTO document_texts (document_key, number, start_at, end_at, text) VALUES (?, ?, ?, ?, ?)`
	isQueued    = `SELECT 1 FROM document_jobs WHERE document_key = ?`
	insertOne   = `INSERT INTO passages (document_key, number, title, headings, start_at, end_at, text) VALUES (?, ?, ?, ?, ?, ?, ?)`
	titleInView = `
		SELECT title, coalesce((SELECT max(end_at) FROM document_texts WHERE document_key = key AND status = 'synced'), 0)
		FROM documents WHERE key = $4 AND ` + inReach
	textsOfDocument = `
		SELECT number, start_at, end_at, text FROM document_texts
		WHERE document_key = $1 AND end_at > $2 AND start_at < $3 ORDER BY number`
	// sizeOfContent returns how many bytes the texts have, and about how many the passages take.
	sizeOfContent = `
		SELECT (SELECT coalesce(sum(octet_length(text)), 0) FROM document_texts WHERE document_key = $1 AND end_at > $2 AND start_at < $3),
			(SELECT coalesce(sum(octet_length(headings) + 256), 0) FROM passages WHERE document_key = $1 AND end_at > $2 AND start_at < $3)`
	passagesOfDocument = `
		SELECT number, headings, start_at, end_at FROM passages
		WHERE document_key = $1 AND end_at > $2 AND start_at < $3 ORDER BY number`
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

// Content implements knowledge.Documents.
func (s *Store) Content(ctx context.Context, r knowledge.Reach, key string, span *wire.Span) (wire.Document, error) {
	d := wire.Document{DocumentKey: key}
	err := s.read(ctx, func(ctx context.Context, tx store.Session) error {
		row := tx.Row(ctx, titleInView, reach(r, key)...)
		if err := store.OrNotFound(row.Scan(&d.Title, &d.Length)); err != nil {
			return err
		}
		d.End = d.Length
		if span != nil {
			d.Start, d.End = min(span.Start, d.Length), min(span.End, d.Length)
		}
		return fillContent(ctx, tx, &d)
	})
	if err != nil {
		return wire.Document{}, failed("read document", key, err)
	}
	return d, nil
}

// fillContent reads the text of a document from Start to End, and the passages that overlap it.
func fillContent(ctx context.Context, tx store.Session, d *wire.Document) error {
	var text, passages int64
	if err := tx.Row(ctx, sizeOfContent, d.DocumentKey, d.Start, d.End).Scan(&text, &passages); err != nil {
		return err
	}
	if err := room.Take(ctx, text+passages); err != nil {
		return err
	}
	cut := knowledge.Cut{Start: d.Start, End: d.End}
	cut.Grow(text)
	err := tx.Each(ctx, func(row store.Row) (bool, error) {
		var part knowledge.TextPart
		err := row.Scan(&part.Number, &part.Start, &part.End, &part.Text)
		cut.Add(part)
		return true, err
	}, textsOfDocument, d.DocumentKey, d.Start, d.End)
	if err != nil {
		return err
	}
	d.Text, d.Start, d.End = cut.Text()
	d.Passages, err = store.Collect(ctx, tx, func(row store.Row) (wire.Passage, error) { return scanPassage(row, d.DocumentKey) }, passagesOfDocument, d.DocumentKey, d.Start, d.End)
	return err
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
