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
	ChatIsSeen: ` AND chats.deleted_at IS NULL`,
	HistoryDialect: store.HistoryDialect{
		OnPath:          onPath,
		PathArgs:        func(chatID string, from int64) []any { return []any{chatID, from} },
		ThatPath:        ` WHERE position IN (SELECT place FROM path)`,
		SelectSizes:     selectSizes,
		NewestBelow:     newestBelow,
		SiblingsOf:      siblingsOf,
		RecentExchanges: recentExchanges,
		RecentMessages:  -1, // no end
	},
	CallDialect: store.CallDialect{
		SelectCalls:     seenCalls,
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
		DocumentIsSeen: ` AND deleted_at IS NULL`,
		Position:       `instr`,
		Searchable:     searchable,
	},
	MemoryDialect: store.MemoryDialect{
		SeenMemories:         `seen_memories`,
		MemoryColumns:        memoryColumns,
		ContradictsApproved:  contradicts + `other.status = 'approved') END`,
		ContradictsPending:   contradicts + `other.status = 'pending' AND other.expires_at > $1) END`,
		ContradictsNothing:   `, NULL`,
		ScanMemory:           scanMemory,
		InsertMemory:         insertMemory,
		DeleteSpent:          deleteSpent,
		MarksOfOwner:         marksOfOwner,
		InsertErasuresOfChat: insertErasuresOfChat,
		AnswersOf:            answersOfMemory,
		CountJobs:            countJobs,
	},
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
