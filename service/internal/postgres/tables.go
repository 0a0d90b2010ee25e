package postgres

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/answering"
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
	In: func(column, parameter string) string { return column + ` = ANY(` + parameter + `)` },
	HistoryDialect: store.HistoryDialect{
		OnPath:          onPath,
		PathArgs:        func(_ string, from int64) []any { return []any{from} },
		ThatPath:        ` JOIN path ON place = position`,
		SelectSizes:     selectSizes,
		NewestBelow:     newestBelow,
		SiblingsOf:      siblingsOf,
		RecentExchanges: recentExchanges,
		RecentMessages:  2 * answering.MaxExchanges,
	},
	CallDialect: store.CallDialect{
		SelectCalls:     selectCalls,
		CallsOfStream:   callsOfStream,
		CallsOfMessages: callsOfMessages,
		ReadyCalls:      readyCalls,
		ReadyArgs:       readyArgs,
		NamesOfCalls:    namesOfCalls,
		OnPaths:         onPaths,
		StatusOfCall:    statusOfCall,
		UpdateCall:      updateCall,
		RoundsOfStream:  roundsOfStream,
		ReadyTurns:      readyTurns,
		CountParked:     countParked,
		CountAllParked:  countAllParked,
	},
	DocumentDialect: store.DocumentDialect{
		Position:   `strpos`,
		Searchable: searchable,
	},
	MemoryDialect: store.MemoryDialect{
		SeenMemories:         `memories`,
		MemoryColumns:        memoryColumns,
		ContradictsApproved:  contradictsApproved,
		ContradictsPending:   contradictsPending,
		ContradictsNothing:   `, NULL::text[]`,
		ScanMemory:           scanMemory,
		ChatOfMessage:        `source_chat_id = (SELECT chat_id FROM messages WHERE id = ?)`, // which has an index
		InsertMemory:         insertMemory,
		DeleteSpent:          deleteSpent,
		MarksOfOwner:         marksOfOwner,
		InsertErasuresOfChat: insertErasuresOfChat,
		AnswersOf:            answersOfMemory,
		CountJobs:            countJobs,
	},
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
