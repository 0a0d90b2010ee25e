package postgres_test

import (
	"context"
	"net"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// How a connection is to be kept: settings on the server's side, and options of the socket on this side.
var (
	keptByServer = map[string]string{
		"idle_in_transaction_session_timeout": "10s", "lock_timeout": "5s", "statement_timeout": "35s", "client_connection_check_interval": "5s",
		"tcp_keepalives_idle": "5", "tcp_keepalives_interval": "3", "tcp_keepalives_count": "3", "tcp_user_timeout": "15000",
	}
	keptHere = []struct {
		level, option, want int
	}{
		{syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 1},
		{syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE, 5}, {syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL, 2}, {syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT, 3},
	}
)

// watched collects how each connection of a Store is kept.
type watched struct {
	sync.Mutex
	server []map[string]string
	socket [][]int
	err    error
}

func (w *watched) dialed(conn net.Conn) {
	raw, err := conn.(*net.TCPConn).SyscallConn()
	var values []int
	if err == nil {
		err = raw.Control(func(fd uintptr) {
			for _, one := range keptHere {
				value, err := syscall.GetsockoptInt(int(fd), one.level, one.option)
				if err != nil {
					value = -1
				}
				values = append(values, value)
			}
		})
	}
	w.Lock()
	defer w.Unlock()
	if err != nil {
		w.err = err
	}
	w.socket = append(w.socket, values)
}

func (w *watched) connected(ctx context.Context, conn *pgconn.PgConn) error {
	shown := map[string]string{}
	for name := range keptByServer {
		results, err := conn.Exec(ctx, "SHOW "+name).ReadAll()
		if err != nil {
			return err
		}
		shown[name] = string(results[0].Rows[0][0])
	}
	w.Lock()
	defer w.Unlock()
	w.server = append(w.server, shown)
	return nil
}

// Each connection, of the pool, of the lease, for LISTEN and for what one replica does alone, ends soon when its
// other side hangs or is lost, on both sides.
func TestEachConnectionIsKept(t *testing.T) {
	t.Parallel()
	server := pgtest.StartFor(t, pgtest.Settings{TCP: true})
	database, err := server.Create(t.Context())
	require.NoError(t, err)
	w := new(watched)
	store, err := postgres.OpenWatched(t.Context(), postgres.Config{URL: database}, w.dialed, w.connected)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	require.NoError(t, store.FillPool(t.Context()))
	require.NoError(t, store.Alone(t.Context(), "something", func(context.Context) error { return nil }))
	ctx, end := context.WithCancel(t.Context())
	require.ErrorIs(t, store.Listen(ctx, end, nil), context.Canceled)
	w.Lock()
	defer w.Unlock()
	require.NoError(t, w.err)
	require.Len(t, w.server, 16+3, "the pool's, the lease's, the one that is alone, and the one that listens")
	for _, shown := range w.server {
		require.Equal(t, keptByServer, shown)
	}
	require.Len(t, w.socket, len(w.server))
	for _, values := range w.socket {
		require.True(t, slices.EqualFunc(values, keptHere, func(got int, one struct{ level, option, want int }) bool { return got == one.want }), values)
	}
}
