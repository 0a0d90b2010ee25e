package sqlite

import (
	"context"
	"math"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	// erasuresOfOwner is for $2 to $4, the project, the agent and the user.
	erasuresOfOwner = `SELECT erasures FROM memory_erasures WHERE project_id = $2 AND agent_id = $3 AND user_id = $4`
)

const (
	seenMemory   = `SELECT position FROM seen_memories WHERE ` + store.OfOwner + ` AND id = $4`
	deleteMemory = `DELETE FROM memories WHERE position = (` + seenMemory + `)`
	insertMark   = `
		INSERT INTO memory_marks (mark, project_id, agent_id, user_id, erasures) VALUES ($1, $2, $3, $4, coalesce((` + erasuresOfOwner + `), 0))
		ON CONFLICT DO UPDATE SET erasures = excluded.erasures`
	deleteJobs    = `DELETE FROM memory_jobs WHERE position IN (SELECT position FROM memory_jobs WHERE ` + store.OfOwner + ` LIMIT $4)`
	countOfOwner  = `SELECT count(*) FROM seen_memories WHERE ` + store.OfOwner
	eraseMemories = `
		INSERT INTO memory_erasures (project_id, agent_id, user_id, erasures, removing) VALUES (?, ?, ?, 1, 1)
		ON CONFLICT DO UPDATE SET erasures = erasures + 1, removing = 1`
)

// deleteJobs removes the messages that wait to be examined, so that few are left for the transaction
// that deletes what is known.
func (s *Store) deleteJobs(ctx context.Context, owner memory.Owner) error {
	return s.inSteps(ctx, func(ctx context.Context, tx store.Session) (int64, error) {
		return tx.Exec(ctx, deleteJobs, owner.ProjectID, owner.AgentID, owner.UserID, stepMemories)
	})
}

// DeleteMemory implements memory.Records.
func (s *Store) DeleteMemory(ctx context.Context, owner memory.Owner, memoryID string, marks []string, receipt memory.Receipt) error {
	var position int64
	row := s.now().Row(ctx, seenMemory, owner.ProjectID, owner.AgentID, owner.UserID, memoryID)
	err := store.OrNotFound(row.Scan(&position))
	if err == nil {
		err = s.deleteJobs(ctx, owner)
	}
	if err == nil {
		err = s.deleteMemory(ctx, owner, memoryID, marks, receipt)
	}
	return failed("delete memory", memoryID, err)
}

func (s *Store) deleteMemory(ctx context.Context, owner memory.Owner, memoryID string, marks []string, receipt memory.Receipt) error {
	return s.writeFreeing(ctx, func(ctx context.Context, tx store.Session) error {
		s.erases()
		err := store.Touched(tx.Exec(ctx, deleteMemory, owner.ProjectID, owner.AgentID, owner.UserID, memoryID))
		if err != nil {
			return err
		}
		for _, one := range marks {
			if _, err := tx.Exec(ctx, insertMark, []byte(one), owner.ProjectID, owner.AgentID, owner.UserID); err != nil {
				return err
			}
		}
		if _, err = tx.Exec(ctx, deleteJobs, owner.ProjectID, owner.AgentID, owner.UserID, math.MaxInt); err != nil {
			return err
		}
		return store.KeepReceipt(ctx, tx, owner, wire.ErasedMemory, receipt, 1)
	})
}

// DeleteMemories implements memory.Records. The memories are invisible when it returns; Sweep
// removes them.
func (s *Store) DeleteMemories(ctx context.Context, owner memory.Owner, receipt memory.Receipt) (deleted int, err error) {
	if err := s.deleteJobs(ctx, owner); err != nil {
		return 0, failed("delete memories of", owner.AgentID, err)
	}
	err = s.writeFreeing(ctx, func(ctx context.Context, tx store.Session) error {
		s.erases()
		row := tx.Row(ctx, countOfOwner, owner.ProjectID, owner.AgentID, owner.UserID)
		if err := row.Scan(&deleted); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, deleteJobs, owner.ProjectID, owner.AgentID, owner.UserID, math.MaxInt); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, eraseMemories, owner.ProjectID, owner.AgentID, owner.UserID); err != nil {
			return err
		}
		if deleted == 0 {
			return nil
		}
		return store.KeepReceipt(ctx, tx, owner, wire.ErasedUser, receipt, deleted)
	})
	if err != nil {
		return 0, failed("delete memories of", owner.AgentID, err)
	}
	return deleted, nil
}
