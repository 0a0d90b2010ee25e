package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

const (
	// setCounters sets each counter to the highest number in use.
	setCounters = `
		SELECT setval('message_positions', greatest((SELECT max(position) FROM messages), 1)),
			setval('chat_places', greatest((SELECT max(place) FROM chats), (SELECT last_value FROM chat_places), 1)),
			setval(pg_get_serial_sequence('memories', 'position'), greatest((SELECT max(position) FROM memories), 1)),
			setval(pg_get_serial_sequence('erasures', 'position'), greatest((SELECT max(position) FROM erasures), 1)),
			setval(pg_get_serial_sequence('memory_jobs', 'position'), greatest((SELECT max(position) FROM memory_jobs), 1)),
			setval(pg_get_serial_sequence('tool_calls', 'position'), greatest((SELECT max(position) FROM tool_calls), 1)),
			setval(pg_get_serial_sequence('documents', 'position'), greatest((SELECT max(position) FROM documents), 1)),
			setval(pg_get_serial_sequence('document_jobs', 'position'), greatest((SELECT max(position) FROM document_jobs), 1))`
	withoutIndex = `
		SELECT key FROM documents WHERE term_pages = 0 AND EXISTS (SELECT 1 FROM passages WHERE document_key = key) ORDER BY key`
	passagesOf = `SELECT title, headings, start_at, end_at, text FROM passages WHERE document_key = $1 ORDER BY number`
)

// Settle completes a database whose rows were copied from another one: it sets the counters to
// the highest numbers in use, and indexes documents without an index. Nothing else may write
// meanwhile. If it is interrupted, the next run does the rest.
func (s *Store) Settle(ctx context.Context) error {
	err := s.exec(ctx, setCounters)
	if err != nil {
		return failed("settle", "counters", err)
	}
	keys, err := store.Collect(ctx, s.now(), store.ScanText, withoutIndex)
	for _, key := range keys {
		if err == nil {
			err = s.write(ctx, func(ctx context.Context, tx store.Session) error { return indexDocument(ctx, tx, key) })
		}
	}
	return failed("index", "documents that were copied", ended(ctx, err))
}

// indexDocument makes the index of a document without one.
func indexDocument(ctx context.Context, tx store.Session, key string) error {
	var position int64
	var name string
	if err := store.OrNotFound(tx.Row(ctx, holdDocument, key).Scan(&position, &name)); err != nil {
		return err
	}
	var title string
	all, err := store.Collect(ctx, tx, func(row store.Row) (p split.Passage, err error) {
		var headings string
		if err := row.Scan(&title, &headings, &p.Start, &p.End, &p.Text); err != nil {
			return p, err
		}
		return p, json.Unmarshal([]byte(headings), &p.Headings)
	}, passagesOf, key)
	if err != nil {
		return err
	}
	pages := pagesOf(title, all)
	if err := storeIndex(ctx, tx, position, pages); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, setIndex, key, len(all), lengthOf(all), len(pages))
	return err
}

// Rows are the rows of a table, with a value for each column.
type Rows = iter.Seq2[[]any, error]

// errNotEmpty says that the database to copy into already has rows.
var errNotEmpty = errors.New("it has data already; name an empty database")

// Import copies tables into an empty database, all of them or none. As in SQLite, an int64 may
// stand for a boolean. It returns the number of rows of each table.
func (s *Store) Import(ctx context.Context, each func(take func(table string, columns []string, rows Rows) error) error) (map[string]int64, error) {
	counts := map[string]int64{}
	err := s.importAll(ctx, func(tx store.Session) error {
		return each(func(table string, columns []string, rows Rows) (err error) {
			counts[table], err = importTable(ctx, tx, table, columns, rows)
			return err
		})
	})
	if err == nil {
		err = s.Settle(ctx)
	}
	return counts, failed("copy rows into", "the database", ended(ctx, err))
}

// importAll runs a transaction without a time limit.
func (s *Store) importAll(ctx context.Context, do func(store.Session) error) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return transact(ctx, conn, pgx.TxOptions{}, func(ctx context.Context, tx store.Session) error {
		if _, err := tx.Exec(ctx, unbounded); err != nil {
			return err
		}
		var has bool
		if err := tx.Row(ctx, hasRows).Scan(&has); err != nil {
			return err
		}
		if has {
			return errNotEmpty
		}
		if err := do(tx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, setLastIDs)
		return err
	})
}

const (
	hasRows = `
		SELECT EXISTS (SELECT 1 FROM projects) OR EXISTS (SELECT 1 FROM chats) OR EXISTS (SELECT 1 FROM memories) OR EXISTS (SELECT 1 FROM memory_marks)
			OR EXISTS (SELECT 1 FROM documents) OR EXISTS (SELECT 1 FROM erasures) OR EXISTS (SELECT 1 FROM memory_settings) OR EXISTS (SELECT 1 FROM idempotency_keys)`
	// setLastIDs completes open streams, which are parked: in the source, only their events have
	// the last id.
	setLastIDs = `
		UPDATE streams SET last_id = coalesce((SELECT max(id) FROM events WHERE stream_id = streams.id), 0) WHERE ended_at IS NULL`
	booleanColumns = `
		SELECT column_name FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name = $1 AND data_type = 'boolean'`
)

func importTable(ctx context.Context, tx store.Session, table string, columns []string, rows Rows) (int64, error) {
	boolean, err := store.Collect(ctx, tx, store.ScanText, booleanColumns, table)
	if err != nil {
		return 0, err
	}
	next, stop := iter.Pull2(rows)
	defer stop()
	count, err := tx.(session).in.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(func() ([]any, error) {
		values, err, more := next()
		if !more || err != nil {
			return nil, err
		}
		for i, column := range columns {
			switch value := values[i].(type) {
			case int64:
				if slices.Contains(boolean, column) {
					values[i] = value != 0
				}
			case []byte:
				if value == nil { // SQLite's driver returns nil for empty bytes
					values[i] = []byte{}
				}
			}
		}
		return storable(values), nil
	}))
	if err != nil {
		return count, fmt.Errorf("table %s: %w", table, err)
	}
	return count, nil
}
