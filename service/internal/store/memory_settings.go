package store

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

const (
	settingsColumns = `memory_enabled, max_memories, auto_approve, memory_types`
	MemorySettings  = `SELECT ` + settingsColumns + ` FROM memory_settings WHERE project_id = $1 AND agent_id = $2`

	setMemorySettings = `
		INSERT INTO memory_settings AS old (project_id, agent_id, ` + settingsColumns + `) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (project_id, agent_id) DO UPDATE SET
			memory_enabled = coalesce(excluded.memory_enabled, old.memory_enabled),
			max_memories = coalesce(excluded.max_memories, old.max_memories),
			auto_approve = coalesce(excluded.auto_approve, old.auto_approve),
			memory_types = coalesce(excluded.memory_types, old.memory_types)
		RETURNING ` + settingsColumns
)

// MemorySettings implements memory.Settings.
func (t *Tables) MemorySettings(ctx context.Context, projectID, agentID string) (wire.MemorySettings, error) {
	settings, err := settingsOf(ctx, t.db.Now(), projectID, agentID)
	return settings, t.db.Failed("read memory settings of", agentID, err)
}

func settingsOf(ctx context.Context, in Session, projectID, agentID string) (wire.MemorySettings, error) {
	settings, err := scanSettings(in.Row(ctx, MemorySettings, projectID, agentID))
	if OrNotFound(err) == fault.ErrNotFound {
		return wire.MemorySettings{}, nil
	}
	return settings, err
}

// SetMemorySettings changes the settings that are set, and returns all.
func SetMemorySettings(ctx context.Context, tx Session, projectID, agentID string, settings wire.MemorySettings) (wire.MemorySettings, error) {
	return scanSettings(tx.Row(ctx, setMemorySettings, projectID, agentID,
		settings.MemoryEnabled, settings.MaxMemories, settings.AutoApprove, JSON(&settings.MemoryTypes)))
}

func scanSettings(row Row) (settings wire.MemorySettings, err error) {
	err = row.Scan(&settings.MemoryEnabled, &settings.MaxMemories, &settings.AutoApprove, JSON(&settings.MemoryTypes))
	return settings, err
}
