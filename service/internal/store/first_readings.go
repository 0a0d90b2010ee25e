package store

import (
	"context"
	"encoding/json"

	"github.com/chatsdk/chatsdk/service/internal/tool"
)

const (
	insertFirstReading = `INSERT INTO first_readings (agent_id, server, tools) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`
	firstReading       = `SELECT tools FROM first_readings WHERE agent_id = $1 AND server = $2`
	updateFirstReading = `UPDATE first_readings SET tools = $3 WHERE agent_id = $1 AND server = $2`
)

var _ tool.FirstReadings = (*Tables)(nil)

// FirstReading implements tool.FirstReadings. It waits for whoever keeps the same at this time.
func (t *Tables) FirstReading(ctx context.Context, agentID, server string, listed, added map[string]string) (kept map[string]string, err error) {
	first, err := json.Marshal(tool.Kept(nil, listed, added))
	if err != nil {
		return nil, err
	}
	err = t.db.Write(ctx, func(ctx context.Context, tx Session) error {
		kept = map[string]string{}
		if _, err := tx.Exec(ctx, insertFirstReading, agentID, server, string(first)); err != nil {
			return err
		}
		text, err := ScanText(tx.Row(ctx, firstReading+t.q.Hold, agentID, server))
		if err == nil {
			err = json.Unmarshal([]byte(text), &kept)
		}
		if err != nil {
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
	return kept, t.db.Failed("keep", "what was first read of a server", err)
}
