package main

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/answer"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

// depth is how many passages are asked for.
const depth = 10

// Score asks all questions. The figures are those of the half that was in view
// and of the other.
func Score(ctx context.Context, set Set) (ours, plain [2]Figures, err error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return ours, plain, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection has a memory of its own
	index, err := fill(ctx, db, set)
	if err != nil {
		return ours, plain, err
	}
	keys := slices.Collect(maps.Keys(set.Articles))
	for _, q := range set.Questions {
		half := 1
		if Seen(q.ID) {
			half = 0
		}
		hits, err := index.Search(ctx, q.Question, keys, depth)
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

func fill(ctx context.Context, db *sql.DB, set Set) (search.Index, error) {
	if _, err := db.ExecContext(ctx, search.Schema+plainSchema); err != nil {
		return nil, err
	}
	index := search.FTS{Writer: db, Reader: db}
	for _, key := range slices.Sorted(maps.Keys(set.Articles)) {
		article := set.Articles[key]
		document := search.Document{Key: key, Title: article.Title, Passages: split.Passages(article.Document)}
		if err := index.Add(ctx, document); err != nil {
			return nil, err
		}
		if err := addPlain(ctx, db, key, article.Paragraphs); err != nil {
			return nil, err
		}
	}
	return index, nil
}

func quotes(a answer.Answer) []Quote {
	var all []Quote
	for _, q := range a.Quotes {
		all = append(all, Quote{q.Key, q.Text})
	}
	return all
}
