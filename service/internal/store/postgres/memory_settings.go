package postgres

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const deleteJobsOfAgent = `DELETE FROM memory_jobs WHERE project_id = $1 AND agent_id = $2`

// SetMemorySettings implements memory.Settings.
func (s *Store) SetMemorySettings(ctx context.Context, projectID, agentID string, settings wire.MemorySettings) (all wire.MemorySettings, err error) {
	err = s.write(ctx, func(ctx context.Context, tx store.Session) error {
		turnsOff := settings.MemoryEnabled != nil && !*settings.MemoryEnabled
		if turnsOff {
			if _, err := tx.Exec(ctx, waitBriefly); err != nil {
				return err
			}
			if err := lock(ctx, tx, lockAlone, lockKindAgent, projectID, agentID); err != nil {
				return err
			}
		}
		all, err = store.SetMemorySettings(ctx, tx, projectID, agentID, settings)
		if err != nil || !turnsOff {
			return err
		}
		if _, err := tx.Exec(ctx, deleteJobsOfAgent, projectID, agentID); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, store.ForgetFailures, projectID, agentID)
		return err
	})
	return all, failed("set memory settings of", agentID, err)
}
