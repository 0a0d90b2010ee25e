package postgres_test

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// idle are databases that earlier tests have left empty: making one takes far longer.
var idle struct {
	sync.Mutex
	addresses []string
}

// emptyDatabase returns a database without rows, for this test only. It may or may
// not have the schema.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	idle.Lock()
	defer idle.Unlock()
	address := ""
	if n := len(idle.addresses); n > 0 {
		address, idle.addresses = idle.addresses[n-1], idle.addresses[:n-1]
	} else {
		address = pgtest.New(t)
	}
	t.Cleanup(func() {
		if t.Failed() {
			return // somebody may want to look at it
		}
		run(t, address, `
			DO $$ BEGIN
				EXECUTE (SELECT 'TRUNCATE ' || string_agg(quote_ident(tablename), ', ') || ' RESTART IDENTITY'
					FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'chatsdk_schema');
			END $$`)
		idle.Lock()
		defer idle.Unlock()
		idle.addresses = append(idle.addresses, address)
	})
	return address
}

// run runs a statement outside of the stores.
func run(t *testing.T, address, statement string, args ...any) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, address)
	require.NoError(t, err)
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement, args...)
	require.NoError(t, err)
}
