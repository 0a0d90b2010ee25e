package sqlite

import (
	"context"
	"fmt"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/store"
)

// In the first days, migrations were developed side by side, and some databases took them in
// another order. So for the first steps the count doesn't say which were taken, but what they
// created does.

// traces has a query for each of the first steps, in order, that reports whether it was taken.
var traces = []string{
	made("chats"), made("memories"), made("streams_to_sweep"), made("documents"), made("images"), made("files"),
	made("document_texts") + " AND NOT EXISTS (SELECT 1 FROM pragma_table_info('documents') WHERE name = 'text')",
	made("chats_counted"), made("document_jobs_of_round"), made("passages_runs"),
}

func made(name string) string {
	return fmt.Sprintf("EXISTS (SELECT 1 FROM sqlite_schema WHERE name = '%s')", name)
}

// clears removes what another version of a step has left in its way.
var clears = map[string]string{"0008_limits.sql": "DROP INDEX IF EXISTS documents_sizes; DROP INDEX IF EXISTS memories_to_sweep;\n"}

// untraced returns the step to take next, counted from 0, if the database has counted this many steps.
func untraced(ctx context.Context, tx store.Session, counted int) (next int, err error) {
	if counted == 0 || counted > len(traces) {
		return counted, nil
	}
	found := make([]bool, len(traces))
	into := make([]any, len(traces))
	for i := range found {
		into[i] = &found[i]
	}
	if err := tx.Row(ctx, "SELECT "+strings.Join(traces, ", ")).Scan(into...); err != nil {
		return 0, err
	}
	for next < len(traces) && found[next] {
		next++
	}
	return next, nil
}
