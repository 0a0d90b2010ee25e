package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

const (
	firstReading     = `SELECT tools FROM first_readings WHERE agent_id = ? AND server = ?`
	keepFirstReading = `INSERT INTO first_readings (agent_id, server, tools) VALUES (?, ?, ?)
		ON CONFLICT (agent_id, server) DO UPDATE SET tools = excluded.tools`
)

var _ tool.FirstReadings = (*Store)(nil)

// FirstReading implements tool.FirstReadings.
func (s *Store) FirstReading(ctx context.Context, agentID, server string, listed, added map[string]string) (kept map[string]string, err error) {
	err = s.write(ctx, func(ctx context.Context, tx store.Session) error {
		kept = nil
		var text string
		err := tx.Row(ctx, firstReading, agentID, server).Scan(&text)
		if err == nil {
			err = json.Unmarshal([]byte(text), &kept)
		}
		if err != nil && err != sql.ErrNoRows {
			return err
		}
		before := len(kept)
		if kept = tool.Kept(kept, listed, added); len(kept) == before {
			return nil
		}
		all, err := json.Marshal(kept)
		if err == nil {
			_, err = tx.Exec(ctx, keepFirstReading, agentID, server, string(all))
		}
		return err
	})
	return kept, failed("keep", "what was first read of a server", err)
}
