package main_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	eval "github.com/chatsdk/chatsdk/service/internal/knowledge/eval"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/postgres/pgtest"
)

// The floors are the aims, for the whole, and what the half that was not in view
// reached.
func TestFiguresStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	set, err := eval.Read("../testdata")
	require.NoError(t, err)
	require.Len(t, set.Questions, 280)
	ours, err := eval.ScoreSQLite(context.Background(), set)
	require.NoError(t, err)
	plain, err := eval.ScorePlain(context.Background(), set)
	require.NoError(t, err)
	show(t, ours, plain)

	require.Equal(t, 80, ours.All().Unanswerable)
	for half, f := range ours.Halves {
		require.GreaterOrEqual(t, f.Recall(), 0.93)
		require.GreaterOrEqual(t, f.MRR(), 0.80)
		require.GreaterOrEqual(t, f.Right(), 0.75)
		require.LessOrEqual(t, f.WronglyAnswered(), []float64{0.22, 0.42}[half])
		require.GreaterOrEqual(t, f.Recall(), plain.Halves[half].Recall())
	}
}

func show(t *testing.T, rows ...eval.Row) {
	t.Helper()
	var table strings.Builder
	require.NoError(t, eval.Table(&table, rows...))
	t.Log("\n" + table.String())
}

// PostgreSQL's index is ours, and finds what SQLite's finds.
func TestBothStoresFindTheSame(t *testing.T) {
	t.Parallel()
	set, err := eval.Read("../testdata")
	require.NoError(t, err)
	onPostgres, err := eval.ScorePostgres(context.Background(), set)
	pgtest.Need(t, err)
	onSQLite, err := eval.ScoreSQLite(context.Background(), set)
	require.NoError(t, err)
	show(t, onSQLite, onPostgres)
	one, other := onSQLite.All(), onPostgres.All()
	require.InDelta(t, one.Recall(), other.Recall(), 0.01)
	require.InDelta(t, one.MRR(), other.MRR(), 0.01)
	require.InDelta(t, one.Right(), other.Right(), 0.01)
	require.LessOrEqual(t, other.Wrong, one.Wrong)
}

func TestFiguresCount(t *testing.T) {
	t.Parallel()
	q := eval.Question{Answerable: true, Document: "a", Answers: []string{"the Orrin  hills"}}
	p := eval.Paragraph{Start: 10, End: 50}
	hit := func(key string, start, end int, text string) search.Hit {
		return search.Hit{Key: key, Passage: split.Passage{Start: start, End: end, Text: text}}
	}
	var f eval.Figures
	f.Add(q, p, []search.Hit{
		hit("b", 10, 50, "the Orrin hills"), hit("a", 50, 90, "the Orrin hills"), hit("a", 10, 50, "hills"), hit("a", 40, 90, "in the Orrin\nhills."),
	}, []eval.Quote{{Key: "b", Text: "the Orrin hills"}, {Key: "a", Text: "the Orrin"}})
	require.Equal(t, eval.Figures{Answerable: 1, At5: 1, Reciprocal: 0.25}, f)
	f.Add(q, p, nil, []eval.Quote{{Key: "a", Text: "x"}, {Key: "a", Text: "the Orrin hills"}})
	f.Add(eval.Question{}, p, nil, nil)
	f.Add(eval.Question{}, p, nil, []eval.Quote{{Key: "a"}})
	require.Equal(t, 0.5, f.Recall())
	require.Equal(t, 0.125, f.MRR())
	require.Equal(t, 0.5, f.Right())
	require.Equal(t, 0.5, f.WronglyAnswered())
}

func TestAFolderOfAnotherForm(t *testing.T) {
	t.Parallel()
	_, err := eval.Read(t.TempDir())
	require.ErrorContains(t, err, "documents: no files")
}
