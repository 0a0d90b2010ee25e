package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Config says which database a Store uses.
type Config struct {
	// URL is the database's address, postgres://user:password@host:port/name?options, as libpq
	// and pgxpool read it: pool_max_conns is the largest number of connections. The database must
	// be PostgreSQL 15 or newer with the encoding UTF8.
	URL string
	// Replica names this process for people. Several processes may have the same name.
	Replica string
	// Pooled says that connections come from a pooler in transaction mode, such as PgBouncer. It
	// accepts no settings when a connection begins.
	Pooled bool
	Limits Limits
}

// leastVersion is the oldest PostgreSQL version that is tested.
const leastVersion = 150000

// Open connects to a database, migrates an older schema and takes a lease. The caller closes the
// Store. An error is one line that says what to do, without the password.
func Open(ctx context.Context, config Config) (*Store, error) {
	opened, err := open(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("postgres: open the database: %w", explain(ctx, err))
	}
	return opened, nil
}

func open(ctx context.Context, config Config) (*Store, error) {
	settings, err := configure(config)
	if err != nil {
		return nil, err
	}
	return connect(ctx, config, settings)
}

// configure returns the settings of all connections.
func configure(config Config) (*pgxpool.Config, error) {
	settings, err := pgxpool.ParseConfig(config.URL)
	if err != nil {
		return nil, errURL // pgx's own error may hold a part of the password
	}
	tune(settings, config)
	bound(settings.ConnConfig, config.Pooled)
	return settings, nil
}

func connect(ctx context.Context, config Config, settings *pgxpool.Config) (*Store, error) {
	pool, err := pgxpool.NewWithConfig(ctx, settings)
	if err != nil {
		return nil, err
	}
	// The lease has its own connection, so that it survives when requests use up the pool.
	settings = settings.Copy()
	settings.MaxConns, settings.MinConns, settings.MinIdleConns = 1, 0, 0
	beat, err := pgxpool.NewWithConfig(ctx, settings)
	if err != nil {
		pool.Close()
		return nil, err
	}
	opened := &Store{Limits: config.Limits, pool: pool, beat: beat, pooled: config.Pooled, replica: config.Replica + "/" + strings.ToLower(rand.Text()[:8])}
	opened.Tables = opened.tables()
	opened.appends.turn, opened.erased = make(chan struct{}, 1), make(chan struct{}, 1)
	if err := opened.prepare(ctx); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return opened, nil
}

// defaultConnections is the largest number of connections if the URL doesn't say: pgxpool's own
// default is only the number of processors.
const defaultConnections = 16

func tune(settings *pgxpool.Config, config Config) {
	settings.ConnConfig.RuntimeParams["application_name"] = "chatsdk " + config.Replica
	if settings.ConnConfig.ConnectTimeout == 0 {
		settings.ConnConfig.ConnectTimeout = 10 * time.Second
	}
	if !strings.Contains(config.URL, "pool_max_conns") {
		settings.MaxConns = max(settings.MinConns, defaultConnections)
	}
	// A connection that was cut silently is noticed within about ten seconds.
	alive := net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: 2 * time.Second, Count: 3}
	settings.ConnConfig.DialFunc = (&net.Dialer{KeepAliveConfig: alive}).DialContext
}

func (s *Store) prepare(ctx context.Context) error {
	var version int
	var encoding string
	row := s.now().Row(ctx, `
		SELECT current_setting('server_version_num')::integer, pg_encoding_to_char(encoding)
		FROM pg_database WHERE datname = current_database()`)
	if err := row.Scan(&version, &encoding); err != nil {
		return err
	}
	if version < leastVersion {
		return fmt.Errorf("it is PostgreSQL %d, want 15 or newer", version/10000)
	}
	if encoding != "UTF8" {
		return fmt.Errorf("its encoding is %s, want UTF8: make another one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0", encoding)
	}
	if err := s.Ping(ctx); err != nil {
		return err
	}
	if err := s.migrate(ctx); err != nil {
		return err
	}
	return s.RenewLease(ctx)
}

var errURL = errors.New("its URL can't be read; write postgres://USER:PASSWORD@HOST:5432/NAME, with % codes for special characters of the password")

// explain says what to do about an error of Open, in one line.
func explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch code(err) {
	case "28P01", "28000":
		return errors.New("the user or the password is refused; check them, and pg_hba.conf")
	case "3D000":
		return errors.New("there is no database with this name; make it with CREATE DATABASE")
	case "42501":
		return errors.New("the user may not make tables; make it the owner of the database or of its schema")
	case "53300":
		return errors.New("the server has too many connections; raise max_connections or lower pool_max_conns")
	case "57P03":
		return errors.New("the server is starting up or shutting down; try again")
	}
	var connecting *pgconn.ConnectError
	if !errors.As(err, &connecting) {
		return err
	}
	var network *net.OpError
	if errors.As(err, &network) {
		return fmt.Errorf("the server can't be reached at %s: %w; check its address and that it runs", network.Addr, network.Err)
	}
	var name *net.DNSError
	if errors.As(err, &name) {
		return fmt.Errorf("there is no host %s; check its name", name.Name)
	}
	return errors.New("the server can't be connected to; check its address, sslmode and that it runs")
}
