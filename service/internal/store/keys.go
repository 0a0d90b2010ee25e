package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/chatsdk/chatsdk/service/internal/once"
)

const (
	// TakeKey takes a key that is unused, or whose use has expired. If a running transaction has
	// taken it, this waits for its end.
	TakeKey = `
		INSERT INTO idempotency_keys AS taken (project_id, user_id, key, fingerprint, subject, result, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (project_id, user_id, key) DO UPDATE
		SET fingerprint = excluded.fingerprint, subject = excluded.subject, result = excluded.result, created_at = excluded.created_at
		WHERE taken.created_at <= $8 AND NOT ` + isOpenSince + `$8))`
	ClaimOfKey = `
		SELECT fingerprint, subject, result, created_at FROM idempotency_keys AS taken
		WHERE project_id = $1 AND user_id = $2 AND key = $3 AND (created_at > $4 OR ` + isOpenSince + `$4)))`
	PassKeysOn = `UPDATE idempotency_keys SET subject = $1 WHERE subject = $2`
	// isOpenSince reports whether the subject is a stream whose answer had not ended at a time.
	isOpenSince = `EXISTS (
		SELECT 1 FROM streams WHERE streams.id = taken.subject AND NOT EXISTS (
			SELECT 1 FROM streams AS told WHERE told.message_id = streams.message_id AND told.ended_at <= `
)

type claimQueries struct{ SweepKeys string }

func claimQueriesOf(d Dialect) claimQueries {
	return claimQueries{SweepKeys: `
		DELETE FROM idempotency_keys WHERE (project_id, user_id, key) IN (
			SELECT project_id, user_id, key FROM idempotency_keys AS taken WHERE created_at <= $1 AND NOT ` + isOpenSince + `$1))
			LIMIT $2` + d.SkipLocked + `)`}
}

// Take stores a used key; nil means none.
func Take(ctx context.Context, tx Session, used *once.UsedKey) error {
	if used == nil {
		return nil
	}
	return orTaken(tx.Exec(ctx, TakeKey, used.ProjectID, used.UserID, used.Key,
		used.Fingerprint[:], used.Subject, used.Result, used.At, once.Since(used.At)))
}

// PassOn makes keys that name the stream old name another one. If no key does, the error is once.ErrTaken.
func PassOn(ctx context.Context, tx Session, old, streamID string) error {
	return orTaken(tx.Exec(ctx, PassKeysOn, streamID, old))
}

// orTaken returns once.ErrTaken if a statement changed no row.
func orTaken(changed int64, err error) error { return OrElse(SomeRow(changed, err), once.ErrTaken) }

// Claimed implements once.Store.
func (t *Tables) UsedKey(ctx context.Context, id once.ID, since float64) (once.UsedKey, bool, error) {
	used := once.UsedKey{ID: id}
	var fingerprint []byte
	row := t.db.Now().Row(ctx, ClaimOfKey, id.ProjectID, id.UserID, id.Key, since)
	err := row.Scan(&fingerprint, &used.Subject, &used.Result, &used.At)
	if errors.Is(err, sql.ErrNoRows) {
		return once.UsedKey{}, false, nil
	}
	if err == nil && copy(used.Fingerprint[:], fingerprint) != len(used.Fingerprint) {
		err = fmt.Errorf("the fingerprint has %d bytes, want %d", len(fingerprint), len(used.Fingerprint))
	}
	return used, err == nil, t.db.Failed("look up", "an idempotency key", err)
}
