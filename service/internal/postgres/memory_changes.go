package postgres

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// Two queries, because an approval need not read what reviewers have rejected.
const (
	selectMemories = `SELECT ` + plainColumns + `, NULL::text[], NULL::text[] FROM memories WHERE ` + ofOwner
	openMemories   = selectMemories + ` AND status IN ('pending', 'approved') ORDER BY position`
	oneMemory      = selectMemories + ` AND id = $4`
	ofReviewers    = selectMemories + ` AND status = 'rejected' AND reject_reason = 'reviewer'`
)

// ChangeMemories implements memory.Records. Other decisions about the same memories wait, and
// then see these changes.
func (s *Store) ChangeMemories(
	ctx context.Context, owner memory.Owner, memoryID string, decide func(memory.State) (memory.Changes, error),
) error {
	err := s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := lockOwner(ctx, tx, owner); err != nil {
			return err
		}
		state, err := openState(ctx, tx, owner)
		if err != nil {
			return err
		}
		if memoryID != "" {
			one, err := store.Collect(ctx, tx, scanMemory, oneMemory, owner.ProjectID, owner.AgentID, owner.UserID, memoryID)
			if err != nil {
				return err
			}
			state.Add(one)
		} else if err := countOf(ctx, tx, owner, &state); err != nil {
			return err
		}
		changes, err := decide(state)
		if err != nil {
			return err
		}
		return apply(ctx, tx, owner, changes)
	})
	return failed("change memories of", owner.AgentID, err)
}

func openState(ctx context.Context, tx store.Session, owner memory.Owner) (state memory.State, err error) {
	if state.Settings, err = settingsOf(ctx, tx, owner.ProjectID, owner.AgentID); err != nil {
		return memory.State{}, err
	}
	state.Memories, err = memoriesOf(ctx, tx, openMemories, owner)
	return state, err
}

// countOf counts the memories of an owner.
func countOf(ctx context.Context, tx store.Session, owner memory.Owner, state *memory.State) error {
	return tx.Row(ctx, countSpent, owner.ProjectID, owner.AgentID, owner.UserID).Scan(&state.Stored, &state.Spent)
}

func memoriesOf(ctx context.Context, tx store.Session, query string, owner memory.Owner) ([]wire.Memory, error) {
	return store.Collect(ctx, tx, scanMemory, query, owner.ProjectID, owner.AgentID, owner.UserID)
}

const (
	insertMemory = `
		INSERT INTO memories (id, project_id, agent_id, user_id, content, type, confidence, status, reject_reason,
			created_at, updated_at, approved_at, rejected_at, expires_at,
			source_message_id, triggering_message, span_start, span_end, details, source_chat_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, nullif($15, ''), nullif($16, ''), $17, $18, $19,
			(SELECT chat_id FROM messages WHERE id = $15))`
	updateMemory = `
		UPDATE memories
		SET status = $1, reject_reason = $2, updated_at = $3, approved_at = $4, rejected_at = $5, expires_at = $6, content = $7, type = $8, details = $9
		WHERE id = $10`
	insertConflict  = `INSERT INTO memory_conflicts (memory_id, other_id) VALUES ($1, $2), ($2, $1)`
	deleteConflicts = `DELETE FROM memory_conflicts WHERE memory_id = $1 OR other_id = $1`
)

func apply(ctx context.Context, tx store.Session, owner memory.Owner, changes memory.Changes) error {
	if err := take(ctx, tx, changes.Claim); err != nil {
		return err
	}
	for _, m := range changes.Added {
		if err := addMemory(ctx, tx, owner, m); err != nil {
			return err
		}
	}
	for _, m := range changes.Updated {
		_, err := tx.Exec(ctx, updateMemory, m.Status, m.RejectReason, m.UpdatedAt, m.ApprovedAt, m.RejectedAt, m.ExpiresAt,
			m.MemoryContent, m.MemoryType, memory.Details(m), m.ID)
		if err != nil {
			return err
		}
	}
	for _, id := range changes.Edited {
		if _, err := tx.Exec(ctx, deleteConflicts, id); err != nil {
			return err
		}
	}
	for _, pair := range changes.Conflicts {
		if _, err := tx.Exec(ctx, insertConflict, pair[0], pair[1]); err != nil {
			return err
		}
	}
	if changes.Spent == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, deleteSpent, owner.ProjectID, owner.AgentID, owner.UserID, changes.Spent)
	return err
}

func addMemory(ctx context.Context, tx store.Session, owner memory.Owner, m wire.Memory) error {
	var start, end *int
	if m.Span != nil {
		start, end = &m.Span.Start, &m.Span.End
	}
	_, err := tx.Exec(ctx, insertMemory,
		m.ID, owner.ProjectID, owner.AgentID, owner.UserID, m.MemoryContent, m.MemoryType, m.ConfidenceScore, m.Status, m.RejectReason,
		m.CreatedAt, m.UpdatedAt, m.ApprovedAt, m.RejectedAt, m.ExpiresAt,
		m.SourceMessageID, m.TriggeringMessage, start, end, memory.Details(m))
	return err
}

const (
	deleteMemory   = `DELETE FROM memories WHERE ` + ofOwner + ` AND id = $4`
	insertMark     = `INSERT INTO memory_marks (mark, project_id, agent_id, user_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`
	marksOfOwner   = `SELECT mark FROM memory_marks WHERE ` + ofOwner
	deleteMarks    = `DELETE FROM memory_marks WHERE ` + ofOwner
	deleteJobs     = `DELETE FROM memory_jobs WHERE ` + ofOwner
	deleteMemories = `DELETE FROM memories WHERE ` + ofOwner
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
		return keepReceipt(ctx, tx, owner, wire.ErasedMemory, receipt, 1)
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
		return keepReceipt(ctx, tx, owner, wire.ErasedUser, receipt, deleted)
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
	// isSpent must be the same as in the index memories_to_sweep.
	isSpent    = `status = 'rejected' AND reject_reason IN ('expired', 'superseded')`
	sweepSpent = `
		DELETE FROM memories WHERE id IN (SELECT id FROM memories WHERE ` + isSpent + ` AND rejected_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`
	countSpent  = `SELECT count(*), count(*) FILTER (WHERE ` + isSpent + `) FROM memories WHERE ` + ofOwner
	deleteSpent = `
		DELETE FROM memories WHERE id IN (SELECT id FROM memories WHERE ` + ofOwner + ` AND ` + isSpent + ` ORDER BY position LIMIT $4)`
)

// ExpireMemories implements memory.Records.
func (s *Store) ExpireMemories(ctx context.Context, now float64) error {
	return failed("expire", "memories", s.inSteps(ctx, expireMemories, now))
}

// SweepMemories implements memory.Records.
func (s *Store) SweepMemories(ctx context.Context, before float64) error {
	return failed("sweep", "memories", s.inSteps(ctx, sweepSpent, before))
}
