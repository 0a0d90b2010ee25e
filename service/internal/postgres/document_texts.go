package postgres

import (
	"context"
	"encoding/json"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/room"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
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

func storeText(ctx context.Context, tx store.Session, key, text string) error {
	parts := knowledge.TextParts(text)
	return copyTo(ctx, tx, "document_texts", []string{"document_key", "number", "start_at", "end_at", "text"}, len(parts), func(i int) ([]any, error) {
		part := parts[i]
		return []any{key, part.Number, part.Start, part.End, part.Text}, nil
	})
}

func storePassages(ctx context.Context, tx store.Session, key, title string, all []split.Passage) error {
	columns := []string{"document_key", "number", "title", "headings", "start_at", "end_at", "text"}
	return copyTo(ctx, tx, "passages", columns, len(all), func(i int) ([]any, error) {
		headings, err := json.Marshal(all[i].Headings)
		return []any{key, i, title, string(headings), all[i].Start, all[i].End, all[i].Text}, err
	})
}

// storeIndex stores the pages of the document at a position.
func storeIndex(ctx context.Context, tx store.Session, position int64, pages [][]byte) error {
	return copyTo(ctx, tx, "passage_terms", []string{"document", "page", "terms"}, len(pages), func(i int) ([]any, error) {
		return []any{position, i, pages[i]}, nil
	})
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
	d.Passages, err = store.Collect(ctx, tx, func(row store.Row) (wire.Passage, error) { return scanPassage(row, d.DocumentKey) },
		passagesOfDocument, d.DocumentKey, d.Start, d.End)
	return err
}

func scanPassage(row store.Row, key string) (p wire.Passage, err error) {
	var number int
	var headings string
	if err := row.Scan(&number, &headings, &p.Start, &p.End); err != nil {
		return p, err
	}
	p.ID = search.PassageID(key, number)
	err = json.Unmarshal([]byte(headings), &p.HeadingPath)
	if p.HeadingPath == nil {
		p.HeadingPath = []string{} // JSON must have a list, not null
	}
	return p, err
}
