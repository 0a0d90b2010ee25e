package postgres

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/column"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	settingsColumns = `memory_enabled, max_memories, auto_approve, memory_types`
	memorySettings  = `SELECT ` + settingsColumns + ` FROM memory_settings WHERE project_id = $1 AND agent_id = $2`

	setMemorySettings = `
		INSERT INTO memory_settings AS old (project_id, agent_id, ` + settingsColumns + `) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (project_id, agent_id) DO UPDATE SET
			memory_enabled = coalesce(excluded.memory_enabled, old.memory_enabled),
			max_memories = coalesce(excluded.max_memories, old.max_memories),
			auto_approve = coalesce(excluded.auto_approve, old.auto_approve),
			memory_types = coalesce(excluded.memory_types, old.memory_types)
		RETURNING ` + settingsColumns
	deleteJobsOfAgent = `DELETE FROM memory_jobs WHERE project_id = $1 AND agent_id = $2`
)

// MemorySettings implements memory.Settings.
func (s *Store) MemorySettings(ctx context.Context, projectID, agentID string) (wire.MemorySettings, error) {
	settings, err := settingsOf(ctx, s.now(), projectID, agentID)
	return settings, failed("read memory settings of", agentID, err)
}

func settingsOf(ctx context.Context, from store.Session, projectID, agentID string) (wire.MemorySettings, error) {
	settings, err := scanSettings(from.Row(ctx, memorySettings, projectID, agentID))
	if store.OrNotFound(err) == fault.ErrNotFound {
		return wire.MemorySettings{}, nil
	}
	return settings, err
}

func scanSettings(row store.Row) (settings wire.MemorySettings, err error) {
	err = row.Scan(&settings.MemoryEnabled, &settings.MaxMemories, &settings.AutoApprove, column.JSON(&settings.MemoryTypes))
	return settings, err
}

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
		all, err = scanSettings(tx.Row(ctx, setMemorySettings, projectID, agentID,
			settings.MemoryEnabled, settings.MaxMemories, settings.AutoApprove, column.JSON(&settings.MemoryTypes)))
		if err != nil || !turnsOff {
			return err
		}
		if _, err := tx.Exec(ctx, deleteJobsOfAgent, projectID, agentID); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, forgetFailures, projectID, agentID)
		return err
	})
	return all, failed("set memory settings of", agentID, err)
}
