package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// awaitLock waits until somebody waits for a lock in the database of conn.
func awaitLock(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	require.Eventually(t, func() bool {
		var waiting bool
		err := conn.QueryRow(t.Context(), `
			SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waiting)
		return err == nil && waiting
	}, 20*time.Second, 5*time.Millisecond)
}

// If a running transaction has taken a key, a claim on it waits for the transaction's end: only then
// is it known whether the key is free.
func TestAClaimWaitsForARunningTransaction(t *testing.T) {
	t.Parallel()
	address, one, two := openTwo(t)
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	for name, broken := range map[string]error{"stored": nil, "rolled back": errors.New("it failed")} {
		inside, leave, first := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			first <- one.Write(t.Context(), func(run func(string, ...any) error) error {
				err := run(`INSERT INTO idempotency_keys (project_id, user_id, key, fingerprint, subject, result, created_at)
					VALUES ('project', 'ann', $1, '', 'first', '', 100)`, name)
				close(inside)
				<-leave
				return errors.Join(err, broken)
			})
		}()
		<-inside
		second := make(chan error, 1)
		go func() {
			claim := &once.UsedKey{ID: once.ID{ProjectID: "project", UserID: "ann", Key: name}, Subject: name, At: 101}
			second <- two.CreateChat(t.Context(), ann, wire.Chat{ChatID: name, Name: "N"}, claim)
		}()
		awaitLock(t, conn)
		close(leave)
		require.ErrorIs(t, <-first, broken)
		if broken == nil {
			require.ErrorIs(t, <-second, once.ErrTaken)
			continue
		}
		require.NoError(t, <-second)
	}
}
