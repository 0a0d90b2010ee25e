package postgres_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

var parameter = regexp.MustCompile(`\$(\d+)`)

// plan returns how PostgreSQL runs a query if it may read a whole table only when there is no other
// way.
func plan(t *testing.T, conn *pgx.Conn, query string) string {
	t.Helper()
	count := 0
	for _, match := range parameter.FindAllStringSubmatch(query, -1) {
		number, err := strconv.Atoi(match[1])
		require.NoError(t, err)
		count = max(count, number)
	}
	_, err := conn.Exec(t.Context(), "PREPARE looked_at AS "+query)
	require.NoError(t, err, query)
	arguments := ""
	if count > 0 {
		arguments = "(" + strings.TrimSuffix(strings.Repeat("NULL, ", count), ", ") + ")"
	}
	rows, err := conn.Query(t.Context(), "EXPLAIN EXECUTE looked_at"+arguments, pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
	steps, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "DEALLOCATE looked_at")
	require.NoError(t, err)
	return strings.Join(steps, "\n")
}

func TestQueriesHaveTheirIndexes(t *testing.T) {
	t.Parallel()
	address := emptyDatabase(t)
	openAt(t, address, "one")
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_sort = off")
	require.NoError(t, err)

	// These are short: files wait for minutes, and a replica's row is found among dozens.
	short := regexp.MustCompile(`Seq Scan on (replicas|document_jobs)`)
	queries := maps.Clone(postgres.Queries)
	for _, user := range []string{"", "u"} {
		for _, agents := range [][]string{nil, {"a"}} {
			for _, status := range []string{"", wire.MemoryPending} {
				if status == "" && agents == nil {
					continue // no query asks for everything in a project
				}
				text, _ := postgres.MemoriesQuery(memory.Query{ProjectID: "p", Agents: agents, UserID: user, Status: status, Page: memory.Page{Limit: 3}})
				queries[fmt.Sprint("memories ", user, agents, status)] = text
			}
		}
	}
	maps.Copy(queries, listsOfCalls())
	for name, query := range queries {
		steps := plan(t, conn, query)
		left := slices.DeleteFunc(strings.Split(steps, "\n"), func(step string) bool {
			return !strings.Contains(step, "Seq Scan") || short.MatchString(step)
		})
		require.Empty(t, left, "%s:\n%s", name, steps)
	}
}

// listsOfCalls are the queries of lists of calls, for every kind of caller and every filter.
func listsOfCalls() map[string]string {
	queries := map[string]string{}
	for _, filter := range []toolcall.Filter{{}, {UserID: "u"}, {UserID: "u", Administers: true}, {UserID: "u", Administers: true, Agents: []string{"a"}}} {
		for _, filter.ChatID = range []string{"", "c"} {
			for _, filter.MessageID = range []string{"", "m"} {
				for _, filter.Status = range []string{"", wire.CallAwaiting, wire.CallDone} {
					for i, text := range postgres.CallLists(filter) {
						queries[fmt.Sprint("calls ", filter, i)] = text
					}
				}
			}
		}
	}
	return queries
}
