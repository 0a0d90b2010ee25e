package pgtest_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

func TestEachTestHasAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	one, two := pgtest.New(t), pgtest.New(t)
	require.NotEqual(t, one, two)
	for _, address := range []string{one, two} {
		conn, err := pgx.Connect(t.Context(), address)
		require.NoError(t, err)
		_, err = conn.Exec(t.Context(), `CREATE TABLE mine (id integer)`)
		require.NoError(t, err)
		require.NoError(t, conn.Close(t.Context()))
	}
}

func TestAServerIsKilledAndComesBack(t *testing.T) {
	t.Parallel()
	server := pgtest.StartFor(t, pgtest.Settings{Durable: true})
	address, err := server.Create(t.Context())
	require.NoError(t, err)
	require.NoError(t, server.Kill())
	_, err = pgx.Connect(t.Context(), address)
	require.Error(t, err)
	require.NoError(t, server.Restart())
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
}

// A server must not outlive its tests, whatever ends them.
func TestAServerEndsWithAProgramThatIsKilled(t *testing.T) {
	t.Parallel()
	if os.Getenv("PGTEST_CHILD") == "1" {
		server := pgtest.StartFor(t, pgtest.Settings{})
		_, _ = os.Stdout.WriteString("\n" + server.URL("postgres") + "\n")
		select {} // until it is killed
	}
	pgtest.New(t) // skips if there is none
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAServerEndsWithAProgramThatIsKilled$")
	child.Env = append(os.Environ(), "PGTEST_CHILD=1")
	output, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	var said strings.Builder
	part := make([]byte, 1024)
	for !strings.Contains(said.String(), "postgres://") {
		n, err := output.Read(part)
		require.NoError(t, err)
		said.Write(part[:n])
	}
	address := strings.TrimSpace(said.String()[strings.Index(said.String(), "postgres://"):])
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	require.NoError(t, child.Process.Kill())
	_ = child.Wait() // it was killed
	config, err := pgx.ParseConfig(address)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := os.Stat(config.Host)
		return errors.Is(err, fs.ErrNotExist)
	}, 20*time.Second, 20*time.Millisecond, "server and data are gone")
}
