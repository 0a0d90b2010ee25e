package postgres_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// The codes are real, but no server is asked to run out of memory.
func TestClientsAreToldWhyTheDatabaseCannotBeUsed(t *testing.T) {
	t.Parallel()
	for told, codes := range map[string][]string{
		"The database can't be reached":                      {"08000", "08006", "08P01", "57P01", "57P02", "57P03", "57P05"},
		"The database refuses the service's login":           {"28000", "28P01"},
		"The disk of the database is full":                   {"53100"},
		"The database has no room for this now":              {"53000", "53200", "53300", "53400"},
		"The database took too long: it is busy":             {"57014", "55P03", "25P03", "25P04", "40001", "40P01"},
		"The database can't be written: it is a standby":     {"25006"},
		"The database can't use its disk; try again in a mo": {"58000", "58030"},
	} {
		for _, code := range codes {
			err := fault.Of(postgres.Failed(fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code})))
			require.Equal(t, wire.CodeUnavailable, err.Code, code)
			require.Contains(t, err.Message, told, code)
			require.Contains(t, err.Message, "; try again in a moment", code)
			require.Equal(t, 2.0, err.RetryAfter.Seconds(), code)
		}
	}
	for _, code := range []string{"", "23505", "22021", "42501", "42P01", "55000", "XX000"} {
		require.Equal(t, wire.CodeInternal, fault.Of(postgres.Failed(&pgconn.PgError{Code: code})).Code, code)
	}
	require.Contains(t, fault.Of(postgres.Failed(context.DeadlineExceeded)).Message, "The database took too long", "the store's own limit")
	require.NotContains(t, fault.Of(postgres.Failed(context.Canceled)).Message, "database", "a context's end stays what it is")
}

// A role that may no longer log in, or whose password has changed, is an outage for those who send.
func TestARefusedLoginIsAnOutage(t *testing.T) {
	t.Parallel()
	address := pgtest.New(t)
	own, err := url.Parse(address)
	require.NoError(t, err)
	role := "role_" + strings.ToLower(rand.Text())
	run(t, address, `CREATE ROLE `+role+` LOGIN`)
	run(t, address, `GRANT ALL ON SCHEMA public TO `+role)
	t.Cleanup(func() { run(t, address, `DROP OWNED BY `+role+`; DROP ROLE `+role) })
	own.User = url.User(role)
	store := openAt(t, own.String(), "one")
	run(t, address, `ALTER ROLE `+role+` NOLOGIN`)
	run(t, address, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '`+role+`'`)
	for range 4 { // connections that broke, and new ones
		err := store.BeginTurn(t.Context(), ann, turn("t"))
		require.True(t, fault.IsUnavailable(err), "%v", err)
	}
	require.Contains(t, fault.Of(store.Ping(t.Context())).Message, "The database refuses the service's login")
	run(t, address, `ALTER ROLE `+role+` LOGIN`)
	begin(t, store, ann, "t")
}

// A replica is ready if it can write. Its lease shows that without another write.
func TestPingFailsWhereNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	address := pgtest.New(t)
	store := openAt(t, address, "one")
	require.NoError(t, store.Ping(t.Context()))
	run(t, address, `ALTER TABLE replicas ADD CONSTRAINT full_disk CHECK (lease_until IS NULL) NOT VALID`)
	require.Error(t, store.RenewLease(t.Context()))
	require.ErrorContains(t, store.Ping(t.Context()), "full_disk")
	run(t, address, `ALTER TABLE replicas DROP CONSTRAINT full_disk`)
	require.NoError(t, store.RenewLease(t.Context()))
	require.NoError(t, store.Ping(t.Context()))

	read := openAt(t, address+"&pool_max_conns=1", "two")
	require.NoError(t, read.Write(t.Context(), func(run func(string, ...any) error) error {
		return run(`SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY`)
	}))
	err := read.Ping(t.Context())
	require.True(t, fault.IsUnavailable(err), "%v", err)
	require.Contains(t, fault.Of(err).Message, "The database can't be written: it is a standby or read-only")
}
