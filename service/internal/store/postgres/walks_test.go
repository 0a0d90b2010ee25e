package postgres_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

const (
	inSmallChats = 1_000_000 // messages, in chats of ten
	longest      = 8_000     // messages of one chat
)

// makeMany fills a database: %[1]d messages in chats of ten, and beside them chats of %[3]d and %[2]d
// messages. In a long chat each message follows the one before it. In a wide one all questions
// follow the first answer.
const makeMany = `
	SET session_replication_role = replica; -- no foreign keys are checked, and no triggers run
	INSERT INTO projects VALUES ('project', 1000000000);
	CREATE TEMP TABLE made AS
	SELECT n * 2 AS position, 'c' || (n + 9) / 10 AS chat_id, CASE WHEN n %% 10 = 1 THEN 0 ELSE n * 2 - 2 END AS parent, n %% 2 = 1 AS asks
	FROM generate_series(1, %[1]d) AS n;
	INSERT INTO made
	SELECT base + n, 'long' || size, CASE n WHEN 1 THEN 0 ELSE base + n - 1 END, n %% 2 = 1
	FROM (VALUES (%[3]d, 10000000), (%[2]d, 20000000)) AS chats (size, base), generate_series(1, size) AS n;
	INSERT INTO made
	SELECT base + n, 'wide' || size, CASE WHEN n = 1 THEN 0 WHEN n %% 2 = 1 THEN base + 2 ELSE base + n - 1 END, n %% 2 = 1
	FROM (VALUES (%[3]d, 30000000), (%[2]d, 40000000)) AS chats (size, base), generate_series(1, size) AS n;
	INSERT INTO messages (position, id, chat_id, role, content, created_at, model_name, agent_id, finish_reason, is_test, parent)
	SELECT position, 'm' || position, chat_id, CASE WHEN asks THEN 'user' ELSE 'assistant' END, 'word word word', position, '', 'a',
		CASE WHEN asks THEN '' ELSE 'stop' END, false, parent
	FROM made;
	INSERT INTO chats (id, project_id, user_id, place, name, named, created_at, updated_at, path_end)
	SELECT chat_id, 'project', 'u1', max(position), 'name', true, 1, 1, max(position) FROM made GROUP BY chat_id;
	SET session_replication_role = DEFAULT;`

// walk is a query that goes through the messages of one chat, with the arguments for a chat.
type walk struct {
	query string
	args  func(chatID string, base, size int) string
	// bounded says that the size of a chat doesn't matter beyond a bound of the query itself.
	bounded bool
}

var walks = []walk{
	{query: "newest descendant", args: func(chatID string, base, size int) string { return fmt.Sprintf("'m%d', '%s'", base+1, chatID) }},
	{query: "page of a path", args: func(_ string, base, size int) string { return fmt.Sprint(base+size, ", ", size) }},
	{query: "sizes on a path", args: func(_ string, base, size int) string { return fmt.Sprint(base+size, ", ", size) }},
	{query: "sizes of branches", args: func(chatID string, base, size int) string {
		return fmt.Sprintf("'%s', %d, %d", chatID, base+size+1, size)
	}},
	{query: "page of branches", args: func(chatID string, base, size int) string {
		return fmt.Sprintf("'%s', %d, %d", chatID, base+size+1, size)
	}},
	{query: "siblings", args: func(chatID string, base, size int) string {
		ids := make([]string, size)
		for i := range ids {
			ids[i] = fmt.Sprint("m", base+i+1)
		}
		return fmt.Sprintf("'%s', '{%s}'", chatID, strings.Join(ids, ","))
	}},
	{query: "newest exchanges", bounded: true, args: func(_ string, base, size int) string {
		return fmt.Sprint(base+size, ", ", 2*exchanges, ", ", exchanges)
	}},
}

// exchanges is a bound that both sizes of chats exceed.
const exchanges = longest / 32

// What walks through a chat costs a number of buffers for each message, whatever the planner
// believes: among a million messages in small chats it expects a dozen in each.
func TestWalksOfAChatAreLinear(t *testing.T) {
	t.Parallel()
	address := pgtest.New(t)
	openAt(t, address, "one")
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	run := func(statements string) {
		_, err := conn.PgConn().Exec(t.Context(), statements).ReadAll()
		require.NoError(t, err)
	}
	run(fmt.Sprintf(makeMany, inSmallChats, longest, longest/8))
	for _, state := range []string{"", "ANALYZE; SET plan_cache_mode = force_custom_plan", "SET plan_cache_mode = force_generic_plan"} {
		run(state)
		for i, shape := range []string{"long", "wide"} {
			for _, w := range walks {
				measure := func(size, base int) int {
					return buffers(t, conn, postgres.Queries[w.query], w.args(fmt.Sprint(shape, size), base, size))
				}
				small, large := measure(longest/8, 10_000_000+20_000_000*i), measure(longest, 20_000_000+20_000_000*i)
				name := fmt.Sprintf("%q, %s: %s: %d buffers for %d messages and %d for %d", state, shape, w.query, small, longest/8, large, longest)
				if w.bounded {
					require.Less(t, large, small+small/4+100, name)
					continue
				}
				require.Less(t, large, 9*small+100, name)
				require.Less(t, large, 16*longest, name)
			}
		}
	}
	require.Equal(t, 1000, answering.MaxExchanges, "the real bound of newest exchanges")
}

// A query that walks must be one of the walks that are measured.
func TestEveryWalkIsMeasured(t *testing.T) {
	t.Parallel()
	for name, query := range postgres.Queries {
		if strings.Contains(query, "RECURSIVE") || strings.Contains(query, "LATERAL") {
			require.True(t, slices.ContainsFunc(walks, func(w walk) bool { return w.query == name }), name)
		}
	}
}

// buffers returns how many buffers a query touches.
func buffers(t *testing.T, conn *pgx.Conn, query, args string) int {
	t.Helper()
	_, err := conn.Exec(t.Context(), "PREPARE looked_at AS "+query)
	require.NoError(t, err)
	var text []byte
	explain := "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE looked_at(" + args + ")"
	require.NoError(t, conn.QueryRow(t.Context(), explain, pgx.QueryExecModeSimpleProtocol).Scan(&text))
	_, err = conn.Exec(t.Context(), "DEALLOCATE looked_at")
	require.NoError(t, err)
	var plans []struct {
		Plan struct {
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &plans))
	return plans[0].Plan.Hit + plans[0].Plan.Read
}
