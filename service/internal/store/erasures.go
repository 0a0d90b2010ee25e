package store

import (
	"cmp"
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

const (
	insertErasure = `
		INSERT INTO erasures (project_id, agent_id, kind, at, by, memories, sources) VALUES ($1, $2, $3, $4, $5, $6, 0)`
	ErasuresOfAgent = `
		SELECT position, kind, at, by, memories, sources FROM erasures
		WHERE project_id = $1 AND agent_id = $2 AND position < $3 ORDER BY position DESC LIMIT $4`
)

// KeepReceipt keeps what was erased of an owner.
func KeepReceipt(ctx context.Context, tx Session, owner memory.Owner, kind string, receipt memory.Receipt, memories int) error {
	_, err := tx.Exec(ctx, insertErasure, owner.ProjectID, owner.AgentID, kind, receipt.At, receipt.By, memories)
	return err
}

// KeepReceiptsOfChat keeps what is erased with a chat. It must run before the chat or its memories are changed.
func (q *Queries) KeepReceiptsOfChat(ctx context.Context, tx Session, scope access.Scope, chatID string, at float64) error {
	_, err := tx.Exec(ctx, q.InsertErasuresOfChat, chatID, at, cmp.Or(scope.UserID, wire.ByAPIKey))
	return err
}

// Erasures implements memory.Records.
func (t *Tables) Erasures(ctx context.Context, projectID, agentID string, page memory.Page) ([]wire.Erasure, int64, error) {
	read, err := Collect(ctx, t.db.Now(), func(row Row) (one memory.Placed[wire.Erasure], err error) {
		e := &one.Entry
		err = row.Scan(&one.Position, &e.Kind, &e.At, &e.By, &e.Counts.Memories, &e.Counts.Sources)
		return one, err
	}, ErasuresOfAgent, projectID, agentID, page.Newest(), page.Limit+1)
	all, next := memory.CutPage(read, page.Limit)
	return all, next, t.db.Failed("list the erasures of", agentID, err)
}

// AnswersOfMemory implements memory.Records.
func (t *Tables) AnswersOfMemory(ctx context.Context, owner memory.Owner, memoryID string, page memory.Page) ([]wire.MemoryAnswer, int64, error) {
	read, err := Collect(ctx, t.db.Now(), func(row Row) (one memory.Placed[wire.MemoryAnswer], err error) {
		err = row.Scan(&one.Position, &one.Entry.ChatID, &one.Entry.MessageID)
		return one, err
	}, t.q.AnswersOf, owner.ProjectID, owner.AgentID, owner.UserID, memoryID, page.Newest(), page.Limit+1)
	all, next := memory.CutPage(read, page.Limit)
	return all, next, t.db.Failed("list the answers of memory", memoryID, err)
}
