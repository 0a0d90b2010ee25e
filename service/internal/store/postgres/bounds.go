package postgres

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// idleTime is how long the server keeps a transaction whose client says nothing: a replica that
	// hangs must not hold the locks of a chat for long. Transactions of the service wait for
	// nothing but the database.
	idleTime = 10 * time.Second
	// lockTime is how long a statement waits for a lock.
	lockTime = 5 * time.Second
	// statementTime ends statements of clients that have given up: see writeTime.
	statementTime = writeTime + 5*time.Second
)

// bounds are settings of PostgreSQL that bound what one transaction does to others. The documentation of each:
// https://www.postgresql.org/docs/current/runtime-config-client.html
var bounds = map[string]string{
	"idle_in_transaction_session_timeout": milliseconds(idleTime),
	"lock_timeout":                        milliseconds(lockTime),
	"statement_timeout":                   milliseconds(statementTime),
}

// alive makes the server notice a client that is cut off or whose host is lost, within some 15 seconds:
// https://www.postgresql.org/docs/current/runtime-config-connection.html#RUNTIME-CONFIG-TCP-SETTINGS
var alive = map[string]string{
	"tcp_keepalives_idle": "5", "tcp_keepalives_interval": "3", "tcp_keepalives_count": "3", "tcp_user_timeout": "15000",
	"client_connection_check_interval": "5000",
}

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }

// bound makes a new connection have the bounds. If connections are pooled, it can't: see begin.
func bound(settings *pgx.ConnConfig, pooled bool) {
	if !pooled {
		maps.Copy(settings.RuntimeParams, bounds)
		maps.Copy(settings.RuntimeParams, alive)
	}
}

// begin returns how a transaction begins. If connections are pooled, each transaction sets the bounds
// for itself, in the same round trip.
func (s *Store) begin(options pgx.TxOptions) pgx.TxOptions {
	if !s.pooled {
		return options
	}
	begin := []string{"BEGIN ISOLATION LEVEL " + string(options.IsoLevel) + " " + string(options.AccessMode)}
	for name, value := range bounds {
		begin = append(begin, "SET LOCAL "+name+" = "+value)
	}
	return pgx.TxOptions{BeginQuery: strings.Join(begin, "; ")}
}

// unbounded takes the bounds off a transaction that may take long or wait for long.
const unbounded = `SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0`

// waitBriefly is for a transaction that waits for a lock which many share: others wait behind it.
const waitBriefly = `SET LOCAL lock_timeout = 500`

// waitHardly is for a transaction that is tried again each second, one of many between two renewals of the
// lease.
const waitHardly = `SET LOCAL lock_timeout = 100`
