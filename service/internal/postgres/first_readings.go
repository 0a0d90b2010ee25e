package postgres

import (
	"context"
	"encoding/json"

	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

const (
	// firstReading waits for whoever keeps the same at this time.
	insertFirstReading = `INSERT INTO first_readings (agent_id, server, tools) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`
	firstReading       = `SELECT tools FROM first_readings WHERE agent_id = $1 AND server = $2 FOR NO KEY UPDATE`
	updateFirstReading = `UPDATE first_readings SET tools = $3 WHERE agent_id = $1 AND server = $2`
)

var _ tool.FirstReadings = (*Store)(nil)

// FirstReading implements tool.FirstReadings.
func (s *Store) FirstReading(ctx context.Context, agentID, server string, listed, added map[string]string) (kept map[string]string, err error) {
	first, err := json.Marshal(tool.Kept(nil, listed, added))
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, func(ctx context.Context, tx store.Session) error {
		kept = map[string]string{}
		if _, err := tx.Exec(ctx, insertFirstReading, agentID, server, string(first)); err != nil {
			return err
		}
		var text string
		if err := tx.Row(ctx, firstReading, agentID, server).Scan(&text); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(text), &kept); err != nil {
			return err
		}
		before := len(kept)
		if kept = tool.Kept(kept, listed, added); len(kept) == before {
			return nil
		}
		all, err := json.Marshal(kept)
		if err == nil {
			_, err = tx.Exec(ctx, updateFirstReading, agentID, server, string(all))
		}
		return err
	})
	return kept, failed("keep", "what was first read of a server", err)
}
