package postgres_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// upgraded opens a database that took only the first steps of the schema, with what the
// script puts into it.
func upgraded(t *testing.T, steps int, script string) (address string, store *postgres.Store) {
	t.Helper()
	address = atStep(t, steps, script)
	return address, openAt(t, address, "one")
}

// atStep makes a database that took only the first steps of the schema, with what the script puts into it.
func atStep(t *testing.T, steps int, script string) (address string) {
	t.Helper()
	address = pgtest.New(t)
	files, err := filepath.Glob("migrations/*.sql")
	require.NoError(t, err)
	run(t, address, `CREATE TABLE chatsdk_schema (version integer PRIMARY KEY, taken_at timestamptz NOT NULL DEFAULT clock_timestamp())`)
	for i, step := range files[:steps] {
		text, err := os.ReadFile(step)
		require.NoError(t, err)
		run(t, address, string(text))
		run(t, address, `INSERT INTO chatsdk_schema (version) VALUES ($1)`, i+1)
	}
	run(t, address, script)
	return address
}

// While another program reads a table, the steps wait, but those who use the table don't wait behind them.
func TestUpgradeWaitsForAReaderAndHoldsUpNobody(t *testing.T) {
	t.Parallel()
	address := atStep(t, 8, `SELECT 1`)
	reader, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer reader.Close(context.WithoutCancel(t.Context()))
	_, err = reader.Exec(t.Context(), `BEGIN; LOCK TABLE messages, chats, projects, tool_calls IN ACCESS SHARE MODE`)
	require.NoError(t, err)
	opened := make(chan error, 1)
	go func() {
		store, err := postgres.Open(t.Context(), postgres.Config{URL: address, Replica: "one"})
		if err == nil {
			err = store.Close()
		}
		opened <- err
	}()
	awaitLockWait(t, address)
	run(t, address, `SELECT count(*) FROM messages, chats, projects, tool_calls`) // waits behind the steps until they give way
	select {
	case err := <-opened:
		t.Fatal("opened while the tables were used", err)
	default:
	}
	_, err = reader.Exec(t.Context(), `ROLLBACK`)
	require.NoError(t, err)
	require.NoError(t, <-opened)
}

// awaitLockWait waits until some statement waits for the lock of a table.
func awaitLockWait(t *testing.T, address string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	require.Eventually(t, func() bool {
		var waits bool
		return conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'relation'
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`).Scan(&waits) == nil && waits
	}, time.Minute, 10*time.Millisecond)
}

// A database from before tools, with an answer that a replica of the previous version is writing,
// and one that a dead replica has left: the first continues, and neither is taken for parked.
func TestUpgradeKeepsAnswersThatAreWritten(t *testing.T) {
	t.Parallel()
	address, store := upgraded(t, 4, `
		INSERT INTO projects VALUES ('project', 1);
		INSERT INTO replicas VALUES ('old/abc', 'infinity'), ('dead/abc', '-infinity');
		INSERT INTO chats (id, project_id, user_id, place, name, named, created_at, updated_at, path_end) VALUES ('c', 'project', 'ann', 1, 'N', true, 100, 100, 4);
		INSERT INTO messages (position, id, chat_id, role, content, created_at, model_name, agent_id, finish_reason, is_test, parent) VALUES
			(1, 'q1', 'c', 'user', 'One?', 100, '', '', '', false, 0), (2, 'a1', 'c', 'assistant', '', 100, '', 'agent', '', false, 1),
			(3, 'q2', 'c', 'user', 'Two?', 101, '', '', '', false, 2), (4, 'a2', 'c', 'assistant', '', 101, '', 'agent', '', false, 3);
		SELECT setval('message_positions', 3);
		INSERT INTO streams (id, message_id, question_id, last_id, swept, owner, epoch, stop_asked, project_id, user_id) VALUES
			('s1', 'a1', 'q1', 2, false, 'old/abc', 1, false, 'project', 'ann'), ('s2', 'a2', 'q2', 1, false, 'dead/abc', 1, false, 'project', 'ann');
		INSERT INTO events VALUES ('s1', 1, 'start', '{}'), ('s1', 2, 'chunk', '{"text":"On"}'), ('s2', 1, 'start', '{}')`)
	require.Empty(t, ready(t, store))
	_, err := store.Parked(t.Context(), "s1")
	require.ErrorIs(t, err, fault.ErrNotFound)
	ends, err := store.EndBrokenTurns(t.Context(), broken)
	require.NoError(t, err)
	require.Equal(t, []string{"s2"}, ends)

	run(t, address, `UPDATE streams SET last_id = last_id + 1 WHERE id = 's1'`)
	run(t, address, `INSERT INTO events VALUES ('s1', 3, 'chunk', '{"text":"e."}')`)
	history, err := store.ChatHistory(t.Context(), ann, "c")
	require.NoError(t, err)
	require.Len(t, history.Messages, 4)
	require.Equal(t, []string{"One.", "s1"}, []string{history.Messages[1].Content, history.Messages[1].StreamID})
	require.Nil(t, history.Messages[1].ToolCalls)
	park(t, store, "t")
	settle(t, store, "t")
	require.Equal(t, []string{"t-s"}, ready(t, store))
}

// Replicas are replaced one by one: one of the previous version ends nothing that is parked, and
// what it deletes or replaces loses its calls.
func TestAReplicaFromBeforeTools(t *testing.T) {
	t.Parallel()
	address, store, _ := openTwo(t)
	park(t, store, "waits", "deleted", "replaced")
	settle(t, store, "replaced")
	require.NoError(t, store.TakeTurn(t.Context(), next("replaced")))
	require.NoError(t, store.EndTurn(t.Context(), next("replaced"), ended("replaced"), &chat.End{At: 300}))
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	const isBroken = `ended_at IS NULL AND CASE WHEN owner = 'old/abc' THEN id = ANY('{waits-s}'::text[]) ELSE owner IS NULL
		OR EXISTS (SELECT 1 FROM replicas WHERE replicas.id = owner AND lease_until < clock_timestamp()) END`
	count := func(query string) (count int) {
		require.NoError(t, conn.QueryRow(t.Context(), query).Scan(&count))
		return count
	}
	require.Zero(t, count(`SELECT count(*) FROM streams WHERE `+isBroken))
	require.Zero(t, count(`SELECT count(*) FROM streams WHERE owner = 'old/abc' AND ended_at IS NULL`))

	require.Equal(t, 3, count(`SELECT count(*) FROM rounds`))
	run(t, address, `DELETE FROM streams USING messages WHERE messages.id = streams.message_id AND messages.chat_id = 'deleted-c' RETURNING streams.id`)
	run(t, address, `DELETE FROM chats WHERE id = 'deleted-c'`)
	require.NoError(t, store.Sweep(t.Context(), 0, 0))
	run(t, address, `DELETE FROM messages WHERE id = 'replaced-a' RETURNING position`)
	require.Equal(t, []int{1, 1}, []int{count(`SELECT count(*) FROM rounds`), count(`SELECT count(*) FROM tool_calls`)})

	run(t, address, `
		INSERT INTO streams (id, message_id, question_id, ended_at, last_id, error, swept, owner, epoch, stop_asked, project_id, user_id)
		VALUES ('told', 'waits-a', 'waits-q', NULL, 0, NULL, false, 'old/abc', 1, false, 'project', 'ann')`)
	require.Equal(t, 1, count(`SELECT count(*) FROM streams WHERE id = 'told' AND waits_for = 0 AND asked IS NULL`))
	run(t, address, `UPDATE streams SET stop_asked = true WHERE id = 'waits-s' AND ended_at IS NULL`)
	require.Equal(t, []string{"waits-s"}, ready(t, store))
	call, err := store.Call(t.Context(), "project", "waits-k")
	require.NoError(t, err)
	require.Equal(t, wire.CallAwaiting, call.Status)
}
