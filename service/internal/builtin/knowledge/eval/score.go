package main

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/builtin/knowledge/answer"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// depth is how many passages are asked for.
const depth = 10

// Store is the store that is asked.
type Store interface {
	AddDocument(ctx context.Context, d knowledge.Document, file []byte, claim *once.UsedKey) error
	FinishDocument(ctx context.Context, key string, d read.Document, passages []split.Passage) error
	Search(ctx context.Context, question string, keys []string, limit int) ([]search.Hit, error)
}

// Row has the figures of one search.
type Row struct {
	Name string
	Figures
	Hits [][]search.Hit // of each question
}

// Score asks all questions of an empty store, which keeps the documents.
func Score(ctx context.Context, set Set, name string, store Store) (Row, error) {
	row := Row{Name: name}
	for _, key := range slices.Sorted(maps.Keys(set.Articles)) {
		article := set.Articles[key]
		if err := store.AddDocument(ctx, knowledge.Document{Key: key, Status: wire.DocumentQueued}, nil, nil); err != nil {
			return row, err
		}
		if err := store.FinishDocument(ctx, key, article.Document, split.Passages(article.Document)); err != nil {
			return row, err
		}
	}
	keys := slices.Sorted(maps.Keys(set.Articles))
	err := row.ask(set, func(q Question) ([]search.Hit, []Quote, error) {
		hits, err := store.Search(ctx, q.Question, keys, depth)
		return hits, quotes(answer.Find(q.Question, hits)), err
	})
	return row, err
}

// ScorePlain asks all questions of plain FTS5.
func ScorePlain(ctx context.Context, set Set) (Row, error) {
	row := Row{Name: "plain FTS5"}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return row, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection has its own in-memory database
	if _, err := db.ExecContext(ctx, plainSchema); err != nil {
		return row, err
	}
	for _, key := range slices.Sorted(maps.Keys(set.Articles)) {
		if err := addPlain(ctx, db, key, set.Articles[key].Paragraphs); err != nil {
			return row, err
		}
	}
	return row, row.ask(set, func(q Question) ([]search.Hit, []Quote, error) {
		hits, err := searchPlain(ctx, db, q.Question)
		return hits, wholeParagraph(hits), err
	})
}

// ask counts what was found for each question.
func (r *Row) ask(set Set, find func(Question) ([]search.Hit, []Quote, error)) error {
	for _, q := range set.Questions {
		hits, quotes, err := find(q)
		if err != nil {
			return err
		}
		r.Hits = append(r.Hits, hits)
		r.Add(q, set.Articles[q.Document].Paragraphs[q.Paragraph], hits, quotes)
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
