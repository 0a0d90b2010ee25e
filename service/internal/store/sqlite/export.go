package sqlite

import (
	"context"
	"io"
	"iter"

	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// exports are the tables in the form of another store, in an order in which each row comes after
// the rows that it refers to. Rows that are about to be removed are left out.
var exports = []struct{ table, query string }{
	{"projects", `SELECT id, last_place FROM projects`},
	{"chats", `SELECT id, project_id, user_id, place, name, named, document_keys, metadata, created_at, updated_at, path_end FROM chats`},
	{"messages", `
		SELECT position, id, chat_id, role, content, created_at, feedback, metadata, model_name, agent_id, finish_reason, is_test,
			sources, image_urls, memory_ids, options, parent, details
		FROM messages`},
	{"streams", `
		SELECT streams.id, message_id, question_id, ended_at, last_id, error, swept, epoch, 0 AS stop_asked,
			coalesce(streams.project_id, chats.project_id) AS project_id, coalesce(streams.user_id, chats.user_id, '') AS user_id,
			path_before, iif(parked, 'parked', NULL) AS owner, asked, waits_for
		FROM streams JOIN messages ON messages.id = message_id JOIN chats ON chats.id = chat_id`},
	// Each epoch has asked one round of an answer, beginning with the first.
	{"rounds", `SELECT stream_id, row_number() OVER (PARTITION BY stream_id ORDER BY position) AS epoch, text, calls, details FROM rounds`},
	{"tool_calls", `
		SELECT position, id, stream_id, message_id, chat_id, project_id, user_id, agent_id, json_extract(call, '$.name') AS name,
			approval, kind, status, attempts, due_at, version, call, result
		FROM tool_calls`},
	{"first_readings", `SELECT agent_id, server, tools FROM first_readings`},
	{"idempotency_keys", `SELECT project_id, user_id, key, fingerprint, subject, result, created_at FROM idempotency_keys`},
	{"images", `SELECT id, message_id, media_type, width, height, size FROM images`},
	{"file_parts", `
		SELECT file_id, number, content FROM file_parts
		WHERE file_id IN (SELECT id FROM files WHERE unnamed_since IS NULL) ORDER BY position`},
	{"memory_settings", `SELECT project_id, agent_id, memory_enabled, max_memories, auto_approve, memory_types FROM memory_settings`},
	{"memories", `
		SELECT position, id, project_id, agent_id, user_id, content, type, confidence, status, reject_reason, created_at, updated_at,
			approved_at, rejected_at, expires_at, source_message_id, triggering_message, span_start, span_end, source_chat_id, details
		FROM memories`},
	{"memory_conflicts", `SELECT memory_id, other_id FROM memory_conflicts`},
	{"memory_marks", `SELECT project_id, agent_id, user_id, mark FROM memory_marks`},
	{"erasures", `SELECT position, project_id, agent_id, kind, at, by, memories, sources FROM erasures`},
	{"detection_failures", `SELECT project_id, agent_id, since, failures, given_up, code, status FROM detection_failures`},
	{"memory_jobs", `SELECT position, message_id, stream_id, project_id, agent_id, user_id, failures, due FROM memory_jobs`},
	{"documents", `SELECT position, key, project_id, user_id, name, title, folded, kind, status, error, size, metadata, created_at FROM documents`},
	{"document_jobs", `SELECT position, document_key, failures, due, owner, round FROM document_jobs`},
	{"document_texts", `SELECT document_key, number, start_at, end_at, text FROM document_texts`},
	{"passages", `SELECT document_key, number, title, headings, start_at, end_at, text FROM passages`},
}

// Table is a table of an Export. Its rows have a value for each of its columns: an int64, a
// float64, a string, a []byte or nil.
type Table struct {
	Name    string
	Columns []string
	Rows    iter.Seq2[[]any, error]
}

// Export passes all data of the store to take, table by table, as of one moment. Before, Sweep
// must have removed everything deleted, and EndBrokenTurns must have ended all open answers
// except the parked ones. For these, derive last_id from the events. take must read all rows of a
// table before it returns.
func (s *Store) Export(ctx context.Context, take func(Table) error) error {
	err := s.read(ctx, func(ctx context.Context, tx store.Session) error {
		for _, one := range exports {
			if err := export(ctx, tx, one.table, one.query, take); err != nil {
				return err
			}
		}
		return s.exportEvents(ctx, tx, take)
	})
	return failed("export", "the database", err)
}

func export(ctx context.Context, tx store.Session, table, query string, take func(Table) error) error {
	rows, err := tx.(session).in.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	err = take(Table{table, columns, func(yield func([]any, error) bool) {
		for rows.Next() {
			values, to := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				to[i] = &values[i]
			}
			if err := rows.Scan(to...); !yield(values, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, err)
		}
	}})
	return err
}

const unsweptStreams = `SELECT id FROM streams WHERE swept = 0`

// exportEvents exports the events of all streams that have some.
func (s *Store) exportEvents(ctx context.Context, tx store.Session, take func(Table) error) error {
	ids, err := store.Collect(ctx, tx, store.ScanText, unsweptStreams)
	if err != nil {
		return err
	}
	return take(Table{"events", []string{"stream_id", "id", "type", "data"}, func(yield func([]any, error) bool) {
		for _, id := range ids {
			for last, more := int64(0), true; more; {
				events, err := s.Events(ctx, id, last, stream.BatchEvents)
				more = len(events) > 0
				for _, event := range events {
					last = event.ID
					if !yield([]any{id, event.ID, event.Type, event.Data}, nil) {
						return
					}
				}
				if err != nil && !isOver(err) {
					yield(nil, err)
					return
				}
			}
		}
	}})
}

// isOver reports whether a stream has no more events.
func isOver(err error) bool { return err == io.EOF }
