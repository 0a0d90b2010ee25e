package postgres

import (
	"context"
	"encoding/json"

	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/store"
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
