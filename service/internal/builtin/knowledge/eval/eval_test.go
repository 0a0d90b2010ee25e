package main_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	eval "github.com/chatsdk/chatsdk/service/internal/builtin/knowledge/eval"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// The floors are the figures reached so far, which are also documented.
func TestFiguresStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	set, err := eval.Read("../../../knowledge/testdata")
	require.NoError(t, err)
	require.Len(t, set.Questions, 280)
	ours, err := eval.ScoreSQLite(context.Background(), set)
	require.NoError(t, err)
	plain, err := eval.ScorePlain(context.Background(), set)
	require.NoError(t, err)
	show(t, ours, plain)

	require.Equal(t, 80, ours.Unanswerable)
	require.GreaterOrEqual(t, ours.Recall(), 0.97)
	require.GreaterOrEqual(t, ours.MRR(), 0.93)
	require.GreaterOrEqual(t, ours.Right(), 0.755)
	require.LessOrEqual(t, ours.WronglyAnswered(), 0.33)
	require.GreaterOrEqual(t, ours.Recall(), plain.Recall())

	outcomes := eval.Outcomes(eval.Cases(set, ours.Hits))
	var table strings.Builder
	require.NoError(t, eval.LeftOut(&table, outcomes))
	t.Log(table.String())
	unseen := eval.TallyAll(outcomes)
	readme, err := os.ReadFile("../../../knowledge/testdata/README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), fmt.Sprintf("right %d of 200, wrong answers to %d of 80", unseen.Right, unseen.Wrong))
	require.GreaterOrEqual(t, float64(unseen.Right)/200, 0.70)
	require.LessOrEqual(t, float64(unseen.Wrong)/80, 0.35)
	require.LessOrEqual(t, float64(unseen.Quotes)/float64(unseen.Answered), 2.28, "the gain does not come from quoting more than the rules did")
	require.LessOrEqual(t, float64(unseen.Characters)/float64(unseen.Answered), 390.0)
}

// The weights that "make knowledge-fit" wrote, and for which the figures hold.
func TestWeightsAreTheFittedOnes(t *testing.T) {
	t.Parallel()
	for file, sum := range map[string]string{
		"../answer/model.json": "54abd4edd9262210db49f8636bbb60d4a1540d94fa625ff303cc72b9beb8ff49",
		"folds.json":           "7956d72d63fa007ed5d3f8c02274306de85f1a0051dba9c167a09f7edea2b3aa",
	} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, sum, fmt.Sprintf("%x", sha256.Sum256(text)), "%s: make knowledge-fit writes it", file)
	}
}

// Three articles. Each sentence answers a question and lacks a word of another.
func TestFitTellsAnswersFromSentencesThatLackAWord(t *testing.T) {
	t.Parallel()
	set := eval.Set{Articles: map[string]eval.Article{}}
	var hits [][]search.Hit
	for _, key := range []string{"a", "b", "c"} {
		set.Articles[key] = eval.Article{Paragraphs: []eval.Paragraph{{End: 1000}}}
		text := "The old bridge was built by Clara Fenwick. The river floods the meadows in April. Salmon is fried in butter."
		for _, q := range []eval.Question{
			{Question: "Who built the old bridge?", Answerable: true, Answers: []string{"Clara Fenwick"}},
			{Question: "When does the river flood the meadows?", Answerable: true, Answers: []string{"April"}},
			{Question: "What is salmon fried in?", Answerable: true, Answers: []string{"butter"}},
			{Question: "Who painted the castle bridge?"},
			{Question: "When does the lake flood the harbour?"},
			{Question: "What is pike boiled in?"},
		} {
			q.Document = key
			set.Questions = append(set.Questions, q)
			hits = append(hits, []search.Hit{{Key: key, Score: 1, Passage: split.Passage{End: len(text), Text: text}}})
		}
	}
	cases := eval.Cases(set, hits)
	m := eval.Fit(cases)
	require.Equal(t, m, eval.Fit(cases))
	wrong := 0
	for i, q := range set.Questions {
		a := m.Find(q.Question, hits[i])
		if q.Answerable {
			require.NotEmpty(t, a.Quotes, q.Question)
			require.Contains(t, a.Quotes[0].Text, q.Answers[0])
		} else if len(a.Quotes) > 0 {
			wrong++
		}
	}
	require.LessOrEqual(t, wrong, 3, "of nine, as many as the threshold lets through")
}

func show(t *testing.T, rows ...eval.Row) {
	t.Helper()
	var table strings.Builder
	require.NoError(t, eval.Table(&table, rows...))
	t.Log("\n" + table.String())
}

// PostgreSQL uses our own index, which finds what SQLite's finds.
func TestBothStoresFindTheSame(t *testing.T) {
	t.Parallel()
	set, err := eval.Read("../../../knowledge/testdata")
	require.NoError(t, err)
	onPostgres, err := eval.ScorePostgres(context.Background(), set)
	pgtest.Need(t, err)
	onSQLite, err := eval.ScoreSQLite(context.Background(), set)
	require.NoError(t, err)
	show(t, onSQLite, onPostgres)
	one, other := onSQLite.Figures, onPostgres.Figures
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

func TestAFolderWithoutDocuments(t *testing.T) {
	t.Parallel()
	_, err := eval.Read(t.TempDir())
	require.ErrorContains(t, err, "documents: no files")
}
