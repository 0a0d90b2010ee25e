package postgres

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

var queries = store.QueriesOf(store.Dialect{
	Name:       `postgres`,
	SkipLocked: ` FOR UPDATE SKIP LOCKED`,
	Hold:       ` FOR NO KEY UPDATE`,
	OneOf: func(column string, values []string) (string, []any) {
		return column + ` = ANY(?)`, []any{values}
	},
	In:              func(column, parameter string) string { return column + ` = ANY(` + parameter + `)` },
	HistoryDialect:  historyDialect,
	CallDialect:     callDialect,
	DocumentDialect: documentDialect,
	MemoryDialect:   memoryDialect,
})

// tables are what the Store shares with package sqlite.
func (s *Store) tables() *store.Tables {
	return store.New(store.Database{
		Now: s.now, Read: s.read, Write: s.write, Failed: failed, Erases: func() {}, // see the package's comment
		SaidSoFar: saidSoFar, HeadOf: headOf, Sizes: func(ctx context.Context, tx store.Session, query string, args ...any) ([]int64, error) {
			return store.Collect(ctx, tx, store.ScanNumber, query, args...)
		},
		LockOwner: lockOwner, TakeJob: s.takeJob,
		Passages: func(tx store.Session) search.Index { return &passages{tx: tx} },
	}, queries)
}
