// Command eval prints how well passages are found and questions answered on the
// data of a folder, on SQLite and on a private PostgreSQL, where one is installed, beside
// plain FTS5 over whole paragraphs. Run it in the root of the repository; an argument names another
// folder of the same form: documents/, and questions in files *.jsonl.
//
// A passage counts as found where it overlaps the paragraph that readers marked
// and holds one of their wordings. An answer counts as right where one of its
// quotes, from the right document, holds one.
//
// The halves differ by more than 0.05 in the share of unanswerable questions
// that are answered all the same: the weights of the judge (package answer) and
// its lists were made with the first half in view, and each half has but some
// forty such questions, of which one is 0.03.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/chatsdk/chatsdk/service/internal/postgres/pgtest"
)

// Data is the folder of the development data, from the root of the repository.
const Data = "service/internal/knowledge/testdata"

func main() {
	folder := Data
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	if err := run(context.Background(), folder, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

// run writes the table for a folder.
func run(ctx context.Context, folder string, to io.Writer) error {
	data, err := Read(folder)
	if err != nil {
		return err
	}
	onSQLite, err := ScoreSQLite(ctx, data)
	if err != nil {
		return err
	}
	plain, err := ScorePlain(ctx, data)
	if err != nil {
		return err
	}
	rows := []Row{onSQLite, plain}
	onPostgres, err := ScorePostgres(ctx, data)
	switch {
	case errors.Is(err, pgtest.ErrMissing):
		if _, err := fmt.Fprintln(to, "without PostgreSQL:", err); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		rows = []Row{onSQLite, onPostgres, plain}
	}
	if err := Table(to, rows...); err != nil {
		return err
	}
	return LeftOut(to, Outcomes(data, onSQLite.hits))
}

// Table writes the figures of the halves and of the whole.
func Table(to io.Writer, rows ...Row) error {
	if _, err := fmt.Fprintf(to, "%-20s %-20s %10s %11s %7s %15s %18s\n", "", "", "answerable", "recall at 5", "MRR", "answers right", "wrongly answered"); err != nil {
		return err
	}
	for i, part := range []string{"half in view", "half not in view", "all"} {
		for _, row := range rows {
			figures := row.All()
			if i < len(row.Halves) {
				figures = row.Halves[i]
			}
			if err := line(to, part, row.Name, figures); err != nil {
				return err
			}
			part = ""
		}
	}
	_, err := fmt.Fprintln(to, "\nanswers right: of answerable questions; wrongly answered: of unanswerable ones. Plain FTS5 answers with its best paragraph, always.")
	return err
}

func line(to io.Writer, name, of string, f Figures) error {
	_, err := fmt.Fprintf(to, "%-20s %-20s %10d %11.3f %7.3f %9.3f %17.3f %3d/%d\n",
		name, of, f.Answerable, f.Recall(), f.MRR(), f.Right(), f.WronglyAnswered(), f.Wrong, f.Unanswerable)
	return err
}
