package store

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// Tables are the tables that both databases have in the same form. A Store embeds them, and implements the
// rest of chat.Store, memory.Store and knowledge.Store.
type Tables struct {
	db Database
	q  *Queries
}

// New returns the tables of a database.
func New(db Database, queries *Queries) *Tables { return &Tables{db, queries} }

// Database is what Tables need of a Store.
type Database struct {
	// Now runs single statements, each on the current state.
	Now func() Session
	// Read runs do on one snapshot, maybe several times.
	Read func(ctx context.Context, do func(context.Context, Session) error) error
	// Write runs do in a transaction, maybe several times.
	Write func(ctx context.Context, do func(context.Context, Session) error) error
	// Failed adds to err, if it is one, which operation failed on what.
	Failed func(operation, what string, err error) error
	// Erases says that the running transaction deletes or overwrites what somebody wrote.
	Erases func()

	// SaidSoFar returns the part of an answer that readers of its open stream have got.
	SaidSoFar func(ctx context.Context, tx Session, streamID string) (*chat.Said, error)
	// Sizes returns how many bytes are stored of the messages that a query of SelectSizes finds.
	Sizes func(ctx context.Context, tx Session, query string, args ...any) ([]int64, error)
	// HeadOf returns a stream without its answer.
	HeadOf func(ctx context.Context, tx Session, scope access.Scope, streamID string) (chat.StoredStream, error)

	// LockOwner makes others who decide about the same memories wait until the transaction ends.
	LockOwner func(ctx context.Context, tx Session, owner memory.Owner) error
	// TakeJob takes a job off the queue of messages to examine. If its chat was deleted, or another process has the
	// job, the error is fault.ErrNotFound.
	TakeJob func(ctx context.Context, tx Session, job memory.Job) error
	// Passages is the index of passages.
	Passages func(tx Session) search.Index
}

// Dialect is what one of the databases says differently.
type Dialect struct {
	// Name is the database's, for errors.
	Name string
	// SkipLocked ends the choice of rows to delete: rows that others have locked are left to them.
	SkipLocked string
	// Hold ends a query whose row is about to be changed.
	Hold string
	// Plus before a column keeps SQLite from using an index of that column.
	Plus string
	// OneOf is the condition that a column has one of some values, in a query that is composed for them.
	OneOf func(column string, values []string) (condition string, args []any)

	// In is the condition that a column has one of the values of a list, which is one parameter.
	In func(column, parameter string) string
	// ChatIsSeen ends a condition on chats: SQLite's Sweep has yet to remove some.
	ChatIsSeen string

	HistoryDialect
	CallDialect
	MemoryDialect
	DocumentDialect
}

// Queries are the statements of a Dialect. Those that are the same in both are constants.
type Queries struct {
	Dialect
	claimQueries
	chatQueries
	historyQueries
	callQueries
	memoryQueries
	documentQueries
	imageQueries
	limitQueries
}

// QueriesOf returns the statements of a dialect.
func QueriesOf(d Dialect) *Queries {
	return &Queries{d, claimQueriesOf(d), chatQueriesOf(d), historyQueriesOf(d), callQueriesOf(d),
		memoryQueriesOf(d), documentQueriesOf(d), imageQueriesOf(d), limitQueriesOf(d)}
}
