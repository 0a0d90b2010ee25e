package sqlite

import (
	"context"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

var queries = store.QueriesOf(store.Dialect{
	Name: `sqlite`,
	Plus: `+`,
	OneOf: func(column string, values []string) (string, []any) { // a condition on a list would find no index
		args := make([]any, len(values))
		for i, value := range values {
			args[i] = value
		}
		return column + ` IN (` + strings.Join(slices.Repeat([]string{`?`}, len(values)), `, `) + `)`, args
	},
	In: func(column, parameter string) string {
		return column + ` IN (SELECT value FROM json_each(` + parameter + `))`
	},
	ChatIsSeen:      ` AND chats.deleted_at IS NULL`,
	HistoryDialect:  historyDialect,
	CallDialect:     callDialect,
	DocumentDialect: documentDialect,
	MemoryDialect:   memoryDialect,
})

// tables are what the Store shares with package postgres.
func (s *Store) tables() *store.Tables {
	return store.New(store.Database{
		Now: s.now, Read: s.read, Write: s.write, Failed: failed, Erases: s.erases,
		SaidSoFar: s.saidSoFar, Sizes: s.sizes, HeadOf: s.headOf,
		LockOwner: func(context.Context, store.Session, memory.Owner) error { return nil }, // there is one writer
		Passages:  func(tx store.Session) search.Index { return passages{tx} },
		TakeJob: func(ctx context.Context, tx store.Session, job memory.Job) error {
			return store.Touched(tx.Exec(ctx, finishJob, job.MessageID))
		},
	}, queries)
}
