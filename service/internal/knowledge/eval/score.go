package main

import (
	"context"
	"database/sql"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/answer"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/sqlite"
)

// depth is how many passages are asked for.
const depth = 10

// Score asks all questions. The figures are those of the half that was in view
// and of the other.
func Score(ctx context.Context, set Set) (ours, plain [2]Figures, err error) {
	folder, err := os.MkdirTemp("", "chatsdk-eval-*")
	if err != nil {
		return ours, plain, err
	}
	defer os.RemoveAll(folder)
	store, err := sqlite.Open(ctx, filepath.Join(folder, "eval.db"))
	if err != nil {
		return ours, plain, err
	}
	defer store.Close()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return ours, plain, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection has a memory of its own
	if err := fill(ctx, store, db, set); err != nil {
		return ours, plain, err
	}
	keys := slices.Collect(maps.Keys(set.Articles))
	for _, q := range set.Questions {
		half := 1
		if Seen(q.ID) {
			half = 0
		}
		hits, err := store.Search(ctx, q.Question, keys, depth)
		if err != nil {
			return ours, plain, err
		}
		paragraph := set.Articles[q.Document].Paragraphs[q.Paragraph]
		ours[half].Add(q, paragraph, hits, quotes(answer.Find(q.Question, hits)))
		if hits, err = searchPlain(ctx, db, q.Question); err != nil {
			return ours, plain, err
		}
		plain[half].Add(q, paragraph, hits, wholeParagraph(hits))
	}
	return ours, plain, nil
}

func fill(ctx context.Context, store *sqlite.Store, db *sql.DB, set Set) error {
	if _, err := db.ExecContext(ctx, plainSchema); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(set.Articles)) {
		article := set.Articles[key]
		if err := store.AddDocument(ctx, knowledge.Document{Key: key, Status: wire.DocumentQueued}, nil, nil); err != nil {
			return err
		}
		if err := store.FinishDocument(ctx, key, article.Document, split.Passages(article.Document)); err != nil {
			return err
		}
		if err := addPlain(ctx, db, key, article.Paragraphs); err != nil {
			return err
		}
	}
	return nil
}

func quotes(a answer.Answer) []Quote {
	var all []Quote
	for _, q := range a.Quotes {
		all = append(all, Quote{q.Key, q.Text})
	}
	return all
}
