package postgres

import (
	"cmp"
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	insertErasure = `
		INSERT INTO erasures (project_id, agent_id, kind, at, by, memories, sources) VALUES ($1, $2, $3, $4, $5, $6, 0)`
	// insertErasuresOfChat is for a chat, $1, that is about to be deleted.
	insertErasuresOfChat = `
		INSERT INTO erasures (project_id, agent_id, kind, at, by, memories, sources)
		SELECT project_id, agent_id, 'chat', $2, $3, count(*) FILTER (WHERE status = 'pending' AND expires_at > $2),
			count(*) FILTER (WHERE status <> 'pending' OR expires_at <= $2)
		FROM memories WHERE source_chat_id = $1 GROUP BY project_id, agent_id ORDER BY agent_id`
	erasuresOfAgent = `
		SELECT position, kind, at, by, memories, sources FROM erasures
		WHERE project_id = $1 AND agent_id = $2 AND position < $3 ORDER BY position DESC LIMIT $4`
	// answersOfMemory reads the messages of one user first. In a single part, PostgreSQL may walk
	// through the messages of all users backwards in the hope of finding enough soon.
	answersOfMemory = `
		WITH answers AS MATERIALIZED (
			SELECT messages.position, chat_id, messages.id FROM chats JOIN messages ON chat_id = chats.id
			WHERE chats.project_id = $1 AND chats.user_id = $3 AND role = 'assistant' AND agent_id = $2
				AND strpos(memory_ids, '"' || $4::text || '"') > 0 AND messages.position < $5
		)
		SELECT position, chat_id, id FROM answers ORDER BY position DESC LIMIT $6`
)

func keepReceipt(ctx context.Context, tx store.Session, owner memory.Owner, kind string, receipt memory.Receipt, memories int) error {
	_, err := tx.Exec(ctx, insertErasure, owner.ProjectID, owner.AgentID, kind, receipt.At, receipt.By, memories)
	return err
}

// keepReceiptsOfChat must run before the chat's memories are changed.
func keepReceiptsOfChat(ctx context.Context, tx store.Session, scope access.Scope, chatID string, at float64) error {
	_, err := tx.Exec(ctx, insertErasuresOfChat, chatID, at, cmp.Or(scope.UserID, wire.ByAPIKey))
	return err
}

// Erasures implements memory.Records.
func (s *Store) Erasures(ctx context.Context, projectID, agentID string, page memory.Page) ([]wire.Erasure, int64, error) {
	read, err := store.Collect(ctx, s.now(), func(row store.Row) (one memory.Placed[wire.Erasure], err error) {
		e := &one.Entry
		err = row.Scan(&one.Position, &e.Kind, &e.At, &e.By, &e.Counts.Memories, &e.Counts.Sources)
		return one, err
	}, erasuresOfAgent, projectID, agentID, page.Newest(), page.Limit+1)
	all, next := memory.CutPage(read, page.Limit)
	return all, next, failed("list the erasures of", agentID, err)
}

// AnswersOfMemory implements memory.Records.
func (s *Store) AnswersOfMemory(ctx context.Context, owner memory.Owner, memoryID string, page memory.Page) ([]wire.MemoryAnswer, int64, error) {
	read, err := store.Collect(ctx, s.now(), func(row store.Row) (one memory.Placed[wire.MemoryAnswer], err error) {
		err = row.Scan(&one.Position, &one.Entry.ChatID, &one.Entry.MessageID)
		return one, err
	}, answersOfMemory, owner.ProjectID, owner.AgentID, owner.UserID, memoryID, page.Newest(), page.Limit+1)
	all, next := memory.CutPage(read, page.Limit)
	return all, next, failed("list the answers of memory", memoryID, err)
}
