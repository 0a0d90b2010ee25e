// Command eval prints how well passages are found and questions answered on the
// data of a folder, on SQLite and on a private PostgreSQL, where one is installed, beside
// plain FTS5 over whole paragraphs. Run it in the root of the repository; an argument names another
// folder of the same form: documents/, and questions in files *.jsonl.
//
// A passage counts as found where it overlaps the paragraph that readers marked
// and holds one of their wordings. An answer counts as right where one of its
// quotes, from the right document, holds one.
//
// Weights and thresholds for quotes are chosen on five articles and judged on the sixth:
// folds.json has the weights that were made without each. The flag -fit makes the weights
// again.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// Data is the folder of the development data, from the root of the repository.
const Data = "service/internal/knowledge/testdata"

func main() {
	fit := flag.Bool("fit", false, "make the weights again, which takes a minute")
	flag.Parse()
	do, folder := run, Data
	if *fit {
		do = writeWeights
	} else if flag.NArg() > 0 {
		folder = flag.Arg(0)
	}
	if err := do(context.Background(), folder, os.Stdout); err != nil {
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
	return LeftOut(to, Outcomes(Cases(data, onSQLite.Hits)))
}

// Table writes the figures of each search.
func Table(to io.Writer, rows ...Row) error {
	if _, err := fmt.Fprintf(to, "%-20s %10s %11s %7s %15s %18s\n", "", "answerable", "recall at 5", "MRR", "answers right", "wrongly answered"); err != nil {
		return err
	}
	for _, row := range rows {
		if _, err := fmt.Fprintf(to, "%-20s %10d %11.3f %7.3f %9.3f %17.3f %3d/%d\n",
			row.Name, row.Answerable, row.Recall(), row.MRR(), row.Right(), row.WronglyAnswered(), row.Wrong, row.Unanswerable); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(to, "\nanswers right: of answerable questions; wrongly answered: of unanswerable ones.\n"+
		"Plain FTS5 always answers with its best paragraph.")
	return err
}
