package sqlite

import (
	"context"
	"database/sql"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/column"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	settingsColumns = `memory_enabled, max_memories, auto_approve, memory_types`
	memorySettings  = `SELECT ` + settingsColumns + ` FROM memory_settings WHERE project_id = ? AND agent_id = ?`

	setMemorySettings = `
		INSERT INTO memory_settings (project_id, agent_id, ` + settingsColumns + `) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (project_id, agent_id) DO UPDATE SET
			memory_enabled = coalesce(excluded.memory_enabled, memory_enabled),
			max_memories = coalesce(excluded.max_memories, max_memories),
			auto_approve = coalesce(excluded.auto_approve, auto_approve),
			memory_types = coalesce(excluded.memory_types, memory_types)
		RETURNING ` + settingsColumns
	deleteJobsOfAgent = `
		DELETE FROM memory_jobs WHERE position IN (
			SELECT position FROM memory_jobs WHERE project_id = ? AND agent_id = ? AND position <= ? LIMIT ?)`
	newestJob = `SELECT coalesce(max(position), 0) FROM memory_jobs`
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

// SetMemorySettings implements memory.Settings. If memory is switched off, the messages that wait are
// dropped in steps; until then they are found to have no memory.
func (s *Store) SetMemorySettings(ctx context.Context, projectID, agentID string, settings wire.MemorySettings) (all wire.MemorySettings, err error) {
	var until int64 // the last job to drop, 0 for none
	err = s.write(ctx, func(ctx context.Context, tx store.Session) error {
		row := tx.Row(ctx, setMemorySettings, projectID, agentID,
			settings.MemoryEnabled, settings.MaxMemories, settings.AutoApprove, column.JSON(&settings.MemoryTypes))
		if all, err = scanSettings(row); err != nil {
			return err
		}
		if settings.MemoryEnabled == nil || *settings.MemoryEnabled {
			return nil
		}
		if err := tx.Row(ctx, newestJob).Scan(&until); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, forgetFailures, projectID, agentID)
		return err
	})
	if err == nil && until > 0 {
		err = s.inSteps(ctx, func(ctx context.Context, raw *sql.Tx) (int64, error) {
			tx := session{raw}
			return tx.Exec(ctx, deleteJobsOfAgent, projectID, agentID, until, stepMemories)
		})
	}
	return all, failed("set memory settings of", agentID, err)
}
