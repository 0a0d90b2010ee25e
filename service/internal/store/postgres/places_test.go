package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
)

// placeOfOld is how a replica of the version before takes a place, word for word.
const placeOfOld = `
		INSERT INTO projects (id, last_place) VALUES ($1, 1)
		ON CONFLICT (id) DO UPDATE SET last_place = projects.last_place + 1
		RETURNING last_place`

// A database of the version before goes on, with a replica of that version beside new ones: their
// chats have different places, in the order of activity.
func TestAReplicaFromBeforeTheSequenceOfPlaces(t *testing.T) {
	t.Parallel()
	address, store := upgraded(t, 8, `
		INSERT INTO projects VALUES ('project', 41);
		INSERT INTO chats (id, project_id, user_id, place, name, named, created_at, updated_at) VALUES ('first', 'project', 'ann', 41, 'N', true, 1, 1)`)
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	createAtOld := func(id string) {
		tx, err := conn.Begin(t.Context())
		require.NoError(t, err)
		var place int64
		require.NoError(t, tx.QueryRow(t.Context(), placeOfOld, "project").Scan(&place))
		_, err = tx.Exec(t.Context(), `
			INSERT INTO chats (id, project_id, user_id, place, name, named, created_at, updated_at) VALUES ($1, 'project', 'ann', $2, 'N', true, 1, 1)`, id, place)
		require.NoError(t, err)
		require.NoError(t, tx.Commit(t.Context()))
	}
	create := func(id string) {
		require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: id, Name: "N"}, nil))
	}
	want := []string{"first"}
	for i, create := range []func(string){createAtOld, create, create, createAtOld, create, createAtOld, createAtOld} {
		id := fmt.Sprint("c", i)
		create(id)
		want = append([]string{id}, want...)
		require.Equal(t, want, chatIDs(t, store, ann))
	}
	var both sync.WaitGroup // places are unique: an index refuses others
	both.Go(func() {
		for i := range 50 {
			createAtOld(fmt.Sprint("old", i))
		}
	})
	for i := range 50 {
		create(fmt.Sprint("new", i))
	}
	both.Wait()
	require.Len(t, chatIDs(t, store, ann), 108)
}

// A transaction that doesn't end, as that of a replica that hangs, holds up nobody who works in
// another chat.
func TestATransactionThatHangsStopsNobodyElse(t *testing.T) {
	t.Parallel()
	address := emptyDatabase(t)
	one, two := openAt(t, address, "one"), openAt(t, address, "two")
	bob := access.Scope{ProjectID: "project", UserID: "bob"}
	hangs, goOn := make(chan struct{}), make(chan struct{})
	var hanging sync.WaitGroup
	defer hanging.Wait()
	defer close(goOn)
	hanging.Go(func() {
		turn := turn("hangs")
		err := one.WriteAndWait(t.Context(), ann, turn, ended("hangs"), chat.End{At: 300, Name: "N"}, func() { close(hangs); <-goOn })
		if err != nil {
			t.Error(err)
		}
	})
	<-hangs // what waits for a lock of it fails, since it ends last
	require.NoError(t, two.CreateChat(t.Context(), bob, wire.Chat{ChatID: "c", Name: "N"}, nil))
	begin(t, two, bob, "goes-on")
	_, err := two.RenameChat(t.Context(), bob, "goes-on-c", "New", 2)
	require.NoError(t, err)
	require.NoError(t, two.EndTurn(t.Context(), held("goes-on"), ended("goes-on"), &chat.End{At: 300, Name: "N"}))
	require.NoError(t, two.DeleteChat(t.Context(), bob, "c", 300))
	begin(t, two, ann, "another-chat")
	off := false // waits for all sends, so that no later one waits behind it for long
	_, err = two.SetMemorySettings(t.Context(), "project", "assistant", wire.MemorySettings{MemoryEnabled: &off})
	require.True(t, fault.IsUnavailable(err), err)
	begin(t, two, bob, "goes-on-too")
	require.Equal(t, []string{"another-chat-c"}, chatIDs(t, two, ann))
}

func chatIDs(t *testing.T, store *postgres.Store, scope access.Scope) (ids []string) {
	t.Helper()
	page, err := store.ListChats(t.Context(), scope, 0, 1000)
	require.NoError(t, err)
	for _, one := range page.Chats {
		ids = append(ids, one.ChatID)
	}
	return ids
}

// The server ends what a replica that hangs holds, also behind a pooler, which takes no settings for
// a connection.
func TestTransactionsAreBounded(t *testing.T) {
	t.Parallel()
	address := emptyDatabase(t)
	for _, pooled := range []bool{false, true} {
		store, err := postgres.Open(t.Context(), postgres.Config{URL: address, Pooled: pooled})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		all, err := store.Settings(t.Context(), "idle_in_transaction_session_timeout", "lock_timeout", "statement_timeout")
		require.NoError(t, err)
		require.Equal(t, []string{"10s", "5s", "35s"}, all)
		all, err = store.Settings(t.Context(), "client_connection_check_interval")
		require.NoError(t, err)
		require.Equal(t, pooled, all[0] == "0")
	}
}
