package postgres_test

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

func open(t *testing.T, address string) error {
	t.Helper()
	store, err := postgres.Open(t.Context(), postgres.Config{URL: address, Replica: "one"})
	if err == nil {
		require.NoError(t, store.Close())
	}
	return err
}

// requireLine requires an error in one line, without the password.
func requireLine(t *testing.T, err error, want string) {
	t.Helper()
	require.ErrorContains(t, err, want)
	require.NotContains(t, err.Error(), "\n")
	require.NotContains(t, err.Error(), "hunter2")
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	address := pgtest.New(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := listener.Addr().String()
	require.NoError(t, listener.Close())
	for url, want := range map[string]string{
		"postgres://u:hunter2@[::1":                        "its URL can't be read",
		"hunter2":                                          "its URL can't be read",
		"postgres://u:hunter2@" + nobody + "/d":            "the server can't be reached at " + nobody,
		"postgres://u:hunter2@no-such-host.invalid/d":      "no-such-host.invalid",
		strings.Replace(address, "/test_", "/missing_", 1): "there is no database with this name",
	} {
		requireLine(t, open(t, url), want)
	}
	run(t, address, `CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0`)
	config, err := pgx.ParseConfig(address)
	require.NoError(t, err)
	requireLine(t, open(t, strings.Replace(address, "/"+config.Database, "/ascii", 1)), "its encoding is SQL_ASCII, want UTF8")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = postgres.Open(ctx, postgres.Config{URL: address})
	require.ErrorIs(t, err, context.Canceled)
}

// objects counts the objects in a database.
func objects(t *testing.T, address string) (count int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_class`).Scan(&count))
	return count
}

func TestADatabaseOfAnotherProgramIsNotChanged(t *testing.T) {
	t.Parallel()
	address := pgtest.New(t)
	run(t, address, `CREATE TABLE chats (id text)`)
	before := objects(t, address)
	requireLine(t, open(t, address), "it holds tables of another program")
	require.Equal(t, before, objects(t, address))
}

func TestANewerSchemaIsNotChanged(t *testing.T) {
	t.Parallel()
	address := pgtest.New(t)
	require.NoError(t, open(t, address))
	before := objects(t, address)
	run(t, address, `INSERT INTO chatsdk_schema (version) VALUES (99)`)
	requireLine(t, open(t, address), "its schema is version 99 and this program knows")
	require.Equal(t, before, objects(t, address))
}

func TestReplicasThatStartAtOnceMakeOneSchema(t *testing.T) {
	t.Parallel()
	address := pgtest.New(t)
	require.NoError(t, atOnce(6, func(int) error { return open(t, address) }))
}

// The database goes away in the middle, and comes back.
func TestAnOutageIsReported(t *testing.T) {
	t.Parallel()
	server := pgtest.StartFor(t, pgtest.Settings{})
	address, err := server.Create(t.Context())
	require.NoError(t, err)
	store := openAt(t, address, "one")
	begin(t, store, ann, "t")
	require.NoError(t, server.Kill())
	for range 3 { // connections that broke, and new ones
		for name, err := range map[string]error{
			"ping": store.Ping(t.Context()), "append": store.AppendEvents(t.Context(), held("t"), chunk("x")),
			"lease": store.RenewLease(t.Context()), "begin": store.BeginTurn(t.Context(), ann, turn("u")),
			"listen": store.Listen(t.Context(), func() {}, func(string) {}),
		} {
			require.True(t, fault.IsUnavailable(err), "%s: %v", name, err)
			require.Equal(t, 2.0, fault.Of(err).RetryAfter.Seconds())
		}
		_, err := store.ChatHistory(t.Context(), ann, "t-c")
		require.True(t, fault.IsUnavailable(err), err)
	}
	require.NoError(t, server.Restart())
	require.NoError(t, store.Ping(t.Context()))
	require.NoError(t, store.AppendEvents(t.Context(), held("t"), chunk("on")))
	require.Equal(t, []string{"start", "chunk"}, types(t, store, "t-s"))
}

// A permanent refusal is not an outage.
func TestARefusalIsNotAnOutage(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	begin(t, store, ann, "t")
	require.False(t, fault.IsUnavailable(store.BeginTurn(t.Context(), ann, turn("t"))))
	require.False(t, fault.IsUnavailable(store.AppendEvents(t.Context(), stream.Lease{StreamID: "none", Epoch: 1}, nil)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.False(t, fault.IsUnavailable(store.DeleteChat(ctx, ann, "t-c", 1)))
}

// PostgreSQL's text cannot hold U+0000 or invalid UTF-8; a model may write both.
func TestAnyTextComesBack(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	for stored, want := range map[string]string{
		"a\x00b\ufdd0c\ufdd00\ufdd01\x00\x00": "a\x00b\ufdd0c\ufdd00\ufdd01\x00\x00",
		"cut \xff\xfe off":                    "cut \ufffd off",
	} {
		one := turn(want)
		one.Question.Content = stored
		require.NoError(t, store.BeginTurn(t.Context(), ann, one))
		answer := one.Answer
		answer.Content, answer.FinishReason = stored, "stop"
		require.NoError(t, store.EndTurn(t.Context(), held(want), answer, &chat.End{At: 300, Name: stored, Events: chunk("x")}))
		history, err := store.ChatHistory(t.Context(), ann, want+"-c")
		require.NoError(t, err)
		require.Equal(t, []string{want, want, want}, []string{history.Name, history.Messages[0].Content, history.Messages[1].Content})
	}
}
