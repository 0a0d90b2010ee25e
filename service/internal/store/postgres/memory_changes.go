package postgres

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	deleteMemory   = `DELETE FROM memories WHERE ` + store.OfOwner + ` AND id = $4`
	insertMark     = `INSERT INTO memory_marks (mark, project_id, agent_id, user_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`
	deleteMarks    = `DELETE FROM memory_marks WHERE ` + store.OfOwner
	deleteJobs     = `DELETE FROM memory_jobs WHERE ` + store.OfOwner
	deleteMemories = `DELETE FROM memories WHERE ` + store.OfOwner
)

// DeleteMemory implements memory.Records.
func (s *Store) DeleteMemory(ctx context.Context, owner memory.Owner, memoryID string, marks []string, receipt memory.Receipt) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := lockOwner(ctx, tx, owner); err != nil {
			return err
		}
		err := store.Touched(tx.Exec(ctx, deleteMemory, owner.ProjectID, owner.AgentID, owner.UserID, memoryID))
		if err != nil {
			return err
		}
		for _, one := range marks {
			if _, err := tx.Exec(ctx, insertMark, []byte(one), owner.ProjectID, owner.AgentID, owner.UserID); err != nil {
				return err
			}
		}
		if _, err = tx.Exec(ctx, deleteJobs, owner.ProjectID, owner.AgentID, owner.UserID); err != nil {
			return err
		}
		return store.KeepReceipt(ctx, tx, owner, wire.ErasedMemory, receipt, 1)
	})
	return failed("delete memory", memoryID, err)
}

// DeleteMemories implements memory.Records.
func (s *Store) DeleteMemories(ctx context.Context, owner memory.Owner, receipt memory.Receipt) (deleted int, err error) {
	err = s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := lockOwner(ctx, tx, owner); err != nil {
			return err
		}
		count, err := tx.Exec(ctx, deleteMemories, owner.ProjectID, owner.AgentID, owner.UserID)
		if err != nil {
			return err
		}
		deleted = int(count)
		if err := store.ExecAll(ctx, tx, []string{deleteMarks, deleteJobs}, owner.ProjectID, owner.AgentID, owner.UserID); err != nil {
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

const (
	expireMemories = `
		UPDATE memories SET status = 'rejected', reject_reason = 'expired', rejected_at = expires_at, updated_at = expires_at, expires_at = 0
		WHERE id IN (SELECT id FROM memories WHERE status = 'pending' AND expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
			AND status = 'pending'`
	sweepSpent = `
		DELETE FROM memories WHERE id IN (SELECT id FROM memories WHERE ` + store.IsSpent + ` AND rejected_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`
)

// ExpireMemories implements memory.Records.
func (s *Store) ExpireMemories(ctx context.Context, now float64) error {
	return failed("expire", "memories", s.inSteps(ctx, expireMemories, now))
}

// SweepMemories implements memory.Records.
func (s *Store) SweepMemories(ctx context.Context, before float64) error {
	return failed("sweep", "memories", s.inSteps(ctx, sweepSpent, before))
}
