package sqlite

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	deleteJobsOfAgent = `
		DELETE FROM memory_jobs WHERE position IN (
			SELECT position FROM memory_jobs WHERE project_id = ? AND agent_id = ? AND position <= ? LIMIT ?)`
	newestJob = `SELECT coalesce(max(position), 0) FROM memory_jobs`
)

// SetMemorySettings implements memory.Settings. If memory is switched off, the messages that wait are
// dropped in steps; until then they are found to have no memory.
func (s *Store) SetMemorySettings(ctx context.Context, projectID, agentID string, settings wire.MemorySettings) (all wire.MemorySettings, err error) {
	var until int64 // the last job to drop, 0 for none
	err = s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if all, err = store.SetMemorySettings(ctx, tx, projectID, agentID, settings); err != nil {
			return err
		}
		if settings.MemoryEnabled == nil || *settings.MemoryEnabled {
			return nil
		}
		if err := tx.Row(ctx, newestJob).Scan(&until); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, store.ForgetFailures, projectID, agentID)
		return err
	})
	if err == nil && until > 0 {
		err = s.inSteps(ctx, func(ctx context.Context, tx store.Session) (int64, error) {
			return tx.Exec(ctx, deleteJobsOfAgent, projectID, agentID, until, stepMemories)
		})
	}
	return all, failed("set memory settings of", agentID, err)
}
