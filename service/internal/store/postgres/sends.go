package postgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	countStreams = `SELECT count(*) FROM streams WHERE project_id = $1 AND user_id = $2 AND ended_at IS NULL AND owner <> 'parked'`

	// A user can save up $3 sends, as many as a minute allows, and leftNow is how many are left.
	// If the clock was set back, the number doesn't change.
	leftNow  = `least($3::double precision, old.sends_left + $3 / 60 * greatest(0, extract(epoch FROM clock_timestamp() - old.at)))`
	takeSend = `
		INSERT INTO user_sends AS old (project_id, user_id, sends_left, at) VALUES ($1, $2, $3::double precision - 1, clock_timestamp())
		ON CONFLICT (project_id, user_id) DO UPDATE SET sends_left = ` + leftNow + ` - 1, at = clock_timestamp()
		WHERE ` + leftNow + ` >= 1`
	waitForSend = `SELECT (1 - ` + leftNow + `) * 60 / $3 FROM user_sends AS old WHERE project_id = $1 AND user_id = $2`
)

// roomForTurn counts an answer that begins, and refuses it if the user has too many answers at
// the same time or in a minute. A refused answer is rolled back with its transaction, so it isn't
// counted.
func (l Limits) roomForTurn(ctx context.Context, tx store.Session, scope access.Scope) error {
	if l.StreamsPerUser > 0 {
		if err := lockUser(ctx, tx, scope.ProjectID, scope.UserID); err != nil {
			return err
		}
		var count int
		err := tx.Row(ctx, countStreams, scope.ProjectID, scope.UserID).Scan(&count)
		if err == nil && count >= l.StreamsPerUser {
			err = chat.TooManyStreams()
		}
		if err != nil {
			return err
		}
	}
	if l.SendsPerMinute == 0 {
		return nil
	}
	perMinute := float64(l.SendsPerMinute)
	err := store.SomeRow(tx.Exec(ctx, takeSend, scope.ProjectID, scope.UserID, perMinute))
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	var seconds float64
	if err := tx.Row(ctx, waitForSend, scope.ProjectID, scope.UserID, perMinute).Scan(&seconds); err != nil {
		return err
	}
	return chat.TooManySends(max(time.Duration(seconds*float64(time.Second)), time.Millisecond))
}
