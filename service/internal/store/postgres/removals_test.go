package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// fillChat makes a chat with a thousand answers, each with events, an image and a call, and a document with
// thousands of rows.
const fillChat = `
	INSERT INTO chats (id, project_id, user_id, place, name, named, created_at, updated_at) VALUES ('c', 'project', 'ann', nextval('chat_places'), 'N', true, 1, 1);
	INSERT INTO messages (position, id, chat_id, role, content, created_at, model_name, agent_id, finish_reason, is_test, parent)
	SELECT nextval('message_positions'), 'm' || n, 'c', 'assistant', 'x', 1, '', 'a', 'stop', false, 0 FROM generate_series(1, 1000) AS n;
	INSERT INTO streams (id, message_id, question_id, ended_at, last_id, swept, owner, epoch, stop_asked, project_id, user_id)
	SELECT 's' || n, 'm' || n, 'm' || n, 1, 20, false, 'one', 1, false, 'project', 'ann' FROM generate_series(1, 1000) AS n;
	INSERT INTO events SELECT 's' || n, i, 'chunk', '{"text":"x"}' FROM generate_series(1, 1000) AS n, generate_series(1, 20) AS i;
	INSERT INTO images SELECT 'i' || n, 'm' || n, 'image/png', 1, 1, 3 FROM generate_series(1, 100) AS n;
	INSERT INTO file_parts SELECT 'i' || n, 0, 'abc' FROM generate_series(1, 100) AS n;
	INSERT INTO rounds SELECT 's' || n, 1, 'x', '[]' FROM generate_series(1, 100) AS n;
	INSERT INTO tool_calls (id, stream_id, message_id, chat_id, project_id, user_id, agent_id, name, approval, kind, status, attempts, version, call, result)
	SELECT 'k' || n, 's' || n, 'm' || n, 'c', 'project', 'ann', 'a', 't', 'user', 'http', 'done', 1, 1, '{"id":"k"}', '' FROM generate_series(1, 100) AS n;
	INSERT INTO documents (key, project_id, user_id, name, title, folded, kind, status, error, size, created_at)
	VALUES ('d', 'project', 'ann', 'a.md', 'A', 'a', 'markdown', 'synced', '', 7, 100);
	INSERT INTO passages (document_key, number, title, headings, start_at, end_at, text) SELECT 'd', n, 'A', '[]', 0, 7, 'Herons.' FROM generate_series(1, 5000) AS n;
	INSERT INTO document_texts SELECT 'd', n, n, n + 1, 'x' FROM generate_series(1, 50) AS n;
	INSERT INTO passage_terms SELECT position, n, '' FROM documents, generate_series(1, 3000) AS n;
	INSERT INTO file_parts SELECT 'd', n, 'abc' FROM generate_series(1, 40) AS n`

// A deletion hides everything at once, in a transaction that changes few rows, and the rest is removed in steps,
// also if that is interrupted.
func TestDeletedThingsAreHiddenAndRemovedInSteps(t *testing.T) {
	t.Parallel()
	address, one, two := openTwo(t)
	run(t, address, fillChat)
	begin(t, one, ann, "other")
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	count := func() (all map[string]int) {
		all = map[string]int{}
		for _, table := range []string{"chats", "messages", "streams", "events", "images", "file_parts", "rounds", "tool_calls", "documents", "passages", "document_texts", "passage_terms", "removals"} {
			var rows int
			require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&rows))
			all[table] = rows
		}
		return all
	}
	full := count()
	require.NoError(t, one.DeleteChat(t.Context(), ann, "c", 300))
	require.NoError(t, one.DeleteDocuments(t.Context(), "project", []string{"d"}, 300))
	hidden := count()
	require.Equal(t, []int{full["chats"] - 1, full["documents"] - 1, 2}, []int{hidden["chats"], hidden["documents"], hidden["removals"]})
	for _, table := range []string{"messages", "streams", "events", "file_parts", "tool_calls", "passages", "passage_terms"} {
		require.Equal(t, full[table], hidden[table], "%s are removed later", table)
	}
	findNothing(t, two)
	select {
	case <-one.Erased():
	default:
		t.Error("the sweep was not woken")
	}

	for steps := 0; ; steps++ {
		before := count()
		did, err := one.RemoveOnce(t.Context())
		require.NoError(t, err)
		if after := count(); did {
			for table := range before {
				require.LessOrEqual(t, before[table]-after[table], 2048, table)
			}
			continue
		}
		require.Greater(t, steps, 10)
		break
	}
	left := count()
	require.Equal(t, map[string]int{
		"chats": 1, "messages": 2, "streams": 1, "events": 1, "images": 0, "file_parts": 0, "rounds": 0, "tool_calls": 0, "documents": 0,
		"passages": 0, "document_texts": 0, "passage_terms": 0, "removals": 0,
	}, left)
}

// What can't be removed stops nothing else, and goes when it can.
func TestARemovalThatFailsStopsNoOther(t *testing.T) {
	t.Parallel()
	address, one, _ := openTwo(t)
	run(t, address, fillChat)
	run(t, address, `
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''not this one''; END';
		CREATE TRIGGER refuse BEFORE DELETE ON messages FOR EACH ROW WHEN (OLD.id = 'm1') EXECUTE FUNCTION refuse()`)
	require.NoError(t, one.DeleteChat(t.Context(), ann, "c", 300))
	require.NoError(t, one.DeleteDocuments(t.Context(), "project", []string{"d"}, 300))
	require.ErrorContains(t, one.Remove(t.Context()), "not this one")
	left := func(table string) (rows int) {
		conn, err := pgx.Connect(t.Context(), address)
		require.NoError(t, err)
		defer conn.Close(context.WithoutCancel(t.Context()))
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&rows))
		return rows
	}
	require.Equal(t, []int{0, 1, 1000}, []int{left("passages"), left("removals"), left("messages")})
	run(t, address, `DROP TRIGGER refuse ON messages`)
	require.NoError(t, one.Remove(t.Context()))
	require.Equal(t, []int{0, 0}, []int{left("removals"), left("messages")})
}

// findNothing requires that no query finds the chat c and the document d.
func findNothing(t *testing.T, store *postgres.Store) {
	t.Helper()
	_, err := store.ChatHistory(t.Context(), ann, "c")
	require.ErrorIs(t, err, fault.ErrNotFound)
	_, err = store.Message(t.Context(), ann, "c", "m1")
	require.ErrorIs(t, err, fault.ErrNotFound)
	_, err = store.Stream(t.Context(), ann, "s1")
	require.ErrorIs(t, err, fault.ErrNotFound)
	_, err = store.Events(t.Context(), "s1", 0, 10)
	require.ErrorIs(t, err, stream.ErrDeleted)
	_, err = store.Image(t.Context(), "project", "i1")
	require.ErrorIs(t, err, fault.ErrNotFound)
	_, err = store.Call(t.Context(), "project", "k1")
	require.ErrorIs(t, err, fault.ErrNotFound)
	calls, _, err := store.ListCalls(t.Context(), toolcall.Filter{ProjectID: "project", Limit: 10})
	require.NoError(t, err)
	require.Empty(t, calls)
	hits, err := store.Search(t.Context(), "herons", []string{"d"}, 10)
	require.NoError(t, err)
	require.Empty(t, hits)
	_, err = store.Content(t.Context(), knowledge.Reach{ProjectID: "project", UserID: "ann"}, "d", nil)
	require.ErrorIs(t, err, fault.ErrNotFound)
}

// While a transaction holds the row of a stream, others go on, and its own events follow in order.
func TestALockedStreamStopsNoOther(t *testing.T) {
	t.Parallel()
	address, one, _ := openTwo(t)
	begin(t, one, ann, "locked", "free")
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SELECT id FROM streams WHERE id = 'locked-s' FOR UPDATE`)
	require.NoError(t, err)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		for n := range 3 {
			if err := one.AppendEvents(t.Context(), held("locked"), chunk(fmt.Sprint(n))); err != nil {
				t.Error(err)
			}
		}
	})
	for n := range 20 { // in the same transactions as those that wait
		require.NoError(t, one.AppendEvents(t.Context(), held("free"), chunk(fmt.Sprint(n))))
	}
	require.Equal(t, []string{wire.EventStart}, types(t, one, "locked-s"))
	require.NoError(t, tx.Rollback(t.Context()))
	waiting.Wait()
	events, err := one.Events(t.Context(), "locked-s", 1, 10)
	require.NoError(t, err)
	require.Len(t, events, 3)
	for n, event := range events {
		require.JSONEq(t, fmt.Sprintf(`{"text":"%d"}`, n), string(event.Data))
		require.EqualValues(t, n+2, event.ID)
	}
}

// late is a Store on a connection that breaks while a commit is on its way: the first append is not yet
// committed when its caller learns that it has failed.
type late struct {
	*postgres.Store
	tx pgx.Tx
}

func (l *late) AppendEvents(ctx context.Context, lease stream.Lease, events []chat.Event) error {
	if l.tx == nil {
		return l.Store.AppendEvents(ctx, lease, events)
	}
	_, err := l.tx.Exec(ctx, `UPDATE streams SET last_id = 2 WHERE id = 'late-s'`)
	if err == nil {
		_, err = l.tx.Exec(ctx, `INSERT INTO events VALUES ('late-s', 2, 'chunk', $1)`, events[0].Data)
	}
	l.tx = nil
	return errors.Join(err, &fault.Error{Code: wire.CodeUnavailable})
}

func TestACommitThatComesLateDoublesNothing(t *testing.T) {
	t.Parallel()
	address, one, _ := openTwo(t)
	begin(t, one, ann, "late")
	var conns [2]*pgx.Conn
	for i := range conns {
		conn, err := pgx.Connect(t.Context(), address)
		require.NoError(t, err)
		defer conn.Close(context.WithoutCancel(t.Context()))
		conns[i] = conn
	}
	tx, err := conns[0].Begin(t.Context())
	require.NoError(t, err)
	logs := stream.New(&late{one, tx})
	defer logs.Close()
	writer := logs.Write(t.Context(), held("late"), "late-c")
	defer writer.Close()
	writer.From(1)
	appended := make(chan error, 1)
	go func() { appended <- writer.Append(t.Context(), chunk("once")) }()
	awaitLock(t, conns[1]) // it waits for the commit
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-appended)
	require.NoError(t, writer.Append(t.Context(), chunk("next")))
	require.Equal(t, []string{wire.EventStart, wire.EventChunk, wire.EventChunk}, types(t, one, "late-s"))
}

// A replica of the version before deletes a chat and leaves the messages that wait to be examined. Nobody examines them.
func TestAMessageOfADeletedChatIsNotExamined(t *testing.T) {
	t.Parallel()
	address, one, two := openTwo(t)
	fillQueues(t, one, 2)
	require.NoError(t, one.ReleaseJobs(t.Context()))
	run(t, address, `
		DELETE FROM streams USING messages WHERE messages.id = streams.message_id AND messages.chat_id = 'user0-c';
		DELETE FROM events WHERE stream_id = 'user0-s';
		DELETE FROM chats WHERE id = 'user0-c'`)
	require.ElementsMatch(t, []string{"user1-q", "docuser0", "docuser1"}, jobs(t, two, 100))
}
