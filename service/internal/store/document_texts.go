package store

import (
	"context"
	"encoding/json"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/room"
)

const (
	TextsOfDocument = `
		SELECT number, start_at, end_at, text FROM document_texts
		WHERE document_key = $1 AND end_at > $2 AND start_at < $3 ORDER BY number`
	// sizeOfContent returns how many bytes the texts have, and about how many the passages take.
	sizeOfContent = `
		SELECT (SELECT coalesce(sum(octet_length(text)), 0) FROM document_texts WHERE document_key = $1 AND end_at > $2 AND start_at < $3),
			(SELECT coalesce(sum(octet_length(headings) + 256), 0) FROM passages WHERE document_key = $1 AND end_at > $2 AND start_at < $3)`
	PassagesOfDocument = `
		SELECT number, headings, start_at, end_at FROM passages
		WHERE document_key = $1 AND end_at > $2 AND start_at < $3 ORDER BY number`
)

// Content implements knowledge.Documents.
func (t *Tables) Content(ctx context.Context, r knowledge.Reach, key string, span *wire.Span) (wire.Document, error) {
	d := wire.Document{DocumentKey: key}
	err := t.db.Read(ctx, func(ctx context.Context, tx Session) error {
		row := tx.Row(ctx, t.q.TitleInView, reach(r, key)...)
		if err := OrNotFound(row.Scan(&d.Title, &d.Length)); err != nil {
			return err
		}
		d.End = d.Length
		if span != nil {
			d.Start, d.End = min(span.Start, d.Length), min(span.End, d.Length)
		}
		return fillContent(ctx, tx, &d)
	})
	if err != nil {
		return wire.Document{}, t.db.Failed("read document", key, err)
	}
	return d, nil
}

// fillContent reads the text of a document from Start to End, and the passages that overlap it.
func fillContent(ctx context.Context, tx Session, d *wire.Document) error {
	var text, passages int64
	if err := tx.Row(ctx, sizeOfContent, d.DocumentKey, d.Start, d.End).Scan(&text, &passages); err != nil {
		return err
	}
	if err := room.Take(ctx, text+passages); err != nil {
		return err
	}
	cut := knowledge.Cut{Start: d.Start, End: d.End}
	cut.Grow(text)
	err := tx.Each(ctx, func(row Row) (bool, error) {
		var part knowledge.TextPart
		err := row.Scan(&part.Number, &part.Start, &part.End, &part.Text)
		cut.Add(part)
		return true, err
	}, TextsOfDocument, d.DocumentKey, d.Start, d.End)
	if err != nil {
		return err
	}
	d.Text, d.Start, d.End = cut.Text()
	d.Passages, err = Collect(ctx, tx, func(row Row) (wire.Passage, error) { return scanPassage(row, d.DocumentKey) },
		PassagesOfDocument, d.DocumentKey, d.Start, d.End)
	return err
}

func scanPassage(row Row, key string) (p wire.Passage, err error) {
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
