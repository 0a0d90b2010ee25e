package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// upgraded opens a database that took only the first steps of the schema, with
// what the script puts into it.
func upgraded(t *testing.T, steps int, script string, args ...any) *sqlite.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	older, err := sql.Open("sqlite", "file:"+path)
	require.NoError(t, err)
	files, err := filepath.Glob("migrations/*.sql")
	require.NoError(t, err)
	for _, step := range files[:steps] {
		text, err := os.ReadFile(step)
		require.NoError(t, err)
		_, err = older.Exec(string(text))
		require.NoError(t, err)
	}
	_, err = older.Exec(fmt.Sprintf("PRAGMA user_version = %d;", steps)+script, args...)
	require.NoError(t, err)
	require.NoError(t, older.Close())
	return openFile(t, path)
}

// A database of the previous release, left by a process that was killed in the
// middle of an answer: what its readers saw is kept, and ends with an error.
func TestUpgradeKeepsAnswersThatWereBeingWritten(t *testing.T) {
	t.Parallel()
	store := upgraded(t, 2, `
		INSERT INTO projects VALUES ('project', 1);
		INSERT INTO chats VALUES ('c1', 'project', 'ann', 1, 'N', 1, NULL, NULL, 100, 100);
		INSERT INTO messages (id, chat_id, role, content, created_at, model_name, agent_id, finish_reason, is_test) VALUES
			('q1', 'c1', 'user', 'One?', 100, '', '', '', 0), ('a1', 'c1', 'assistant', 'One.', 100, '', 'agent', 'stop', 0),
			('q2', 'c1', 'user', 'Two?', 101, '', '', '', 0), ('a2', 'c1', 'assistant', '', 101, '', 'agent', '', 0);
		INSERT INTO streams VALUES ('s2', 'a2');
		INSERT INTO events VALUES ('s2', 1, 'start', CAST('{}' AS BLOB)), ('s2', 2, 'chunk', CAST('{"text":"Tw"}' AS BLOB))`)

	broken, err := store.EndBrokenTurns(t.Context(), chat.Broken(300, errors.New("killed")))
	require.NoError(t, err)
	require.Len(t, broken, 1)
	stored, err := store.Stream(t.Context(), ann, "s2")
	require.NoError(t, err)
	require.Equal(t, wire.Start{StreamID: "s2", ChatID: "c1", MessageID: "a2", UserMessageID: "q2"}, stored.Start)
	require.Equal(t, []string{"Tw", wire.FinishError}, []string{stored.Answer.Content, stored.Answer.FinishReason})
	require.Equal(t, int64(4), stored.LastID)
	events, err := store.Events(t.Context(), "s2", 1, 10)
	require.NoError(t, err)
	require.Len(t, events, 3)
	options, err := store.SendOptions(t.Context(), "q1")
	require.NoError(t, err)
	require.Nil(t, options, "they were not stored then")
	writer, _ := store.Pools()
	var fault string
	require.ErrorIs(t, writer.QueryRow("PRAGMA foreign_key_check").Scan(&fault), sql.ErrNoRows)
	_, err = writer.Exec("DELETE FROM chats")
	require.NoError(t, err)
	require.Zero(t, rows(t, store)["events"], "events still go with their chat")
}

// A database of the previous release: images, files to read, texts and memories
// are as they were, in parts.
func TestUpgradeCutsWhatIsLargeIntoParts(t *testing.T) {
	t.Parallel()
	image := bytes.Repeat([]byte("\x00\xffimage"), 100_000)
	file := []byte("a small file")
	text := strings.Repeat("Heron 🪶 ä ", 30_000)
	store := upgraded(t, 5, `
		INSERT INTO projects VALUES ('project', 1);
		INSERT INTO chats VALUES ('c1', 'project', 'ann', 1, 'N', 1, NULL, NULL, 100, 100);
		INSERT INTO messages (id, chat_id, role, content, created_at, model_name, agent_id, finish_reason, is_test) VALUES
			('q1', 'c1', 'user', 'One?', 100, '', '', '', 0), ('a1', 'c1', 'assistant', 'One.', 100, '', 'agent', 'stop', 0);
		INSERT INTO images VALUES ('img', 'q1', 'image/png', 1, 1, ?1);
		INSERT INTO documents VALUES (1, 'read', 'project', 'ann', 'a.md', 'A', 'a', 'markdown', 'synced', '', 7, NULL, 100, ?2);
		INSERT INTO documents VALUES (2, 'queued', 'project', 'ann', 'b.md', 'B', 'b', 'markdown', 'queued', '', ?3, NULL, 100, '');
		INSERT INTO document_jobs VALUES (1, 'queued', 0, 0, ?4);
		INSERT INTO passages VALUES (1, 'read', 0, 'A', CAST('["H"]' AS BLOB), 0, 9, 'Heron and so on');
		INSERT INTO memories VALUES (1, 'mem', 'project', 'agent', 'ann', 'User has a dog', 'fact', 0.9, 'pending', '', 1, 1, 0, 0, 900, 'q1', 'I have a dog', 0, 3);
		INSERT INTO memory_marks VALUES ('project', 'agent', 'ann', CAST('mark' AS BLOB))`, image, text, len(file), file)

	ctx := t.Context()
	got, err := store.Image(ctx, "project", "img")
	require.NoError(t, err)
	require.True(t, bytes.Equal(image, contentOf(t, store, got)))
	queued, err := store.DocumentFile(ctx, "queued")
	require.NoError(t, err)
	require.Equal(t, file, queued)
	anns := knowledge.Reach{ProjectID: "project", UserID: "ann"}
	content, err := store.Content(ctx, anns, "read", nil)
	require.NoError(t, err)
	require.True(t, text == content.Text)
	require.Equal(t, split.Units(text), content.Length)
	require.Len(t, content.Passages, 1)
	hits, err := store.Search(ctx, "heron", []string{"read"}, 10)
	require.NoError(t, err)
	require.Len(t, hits, 1)
	owner := memory.Owner{ProjectID: "project", AgentID: "agent", UserID: "ann"}
	require.NoError(t, store.ChangeMemories(ctx, owner, "", func(state memory.State) (memory.Changes, error) {
		require.Len(t, state.Memories, 1)
		return memory.Changes{}, nil
	}))
	require.NoError(t, store.DeleteChat(ctx, ann, "c1", 200))
	memories, _, err := store.Memories(ctx, memory.Query{ProjectID: "project", Now: 200})
	require.NoError(t, err)
	require.Empty(t, memories, "a memory that waits for a review is deleted with its chat")
	writer, _ := store.Pools()
	var fault string
	require.ErrorIs(t, writer.QueryRow("PRAGMA foreign_key_check").Scan(&fault), sql.ErrNoRows)
}

// A database of the previous release: memories are as they were, and are decided, edited and
// erased like new ones.
func TestUpgradeKeepsMemories(t *testing.T) {
	t.Parallel()
	store := upgraded(t, 13, `
		INSERT INTO projects VALUES ('project', 1);
		INSERT INTO chats (id, project_id, user_id, place, name, named, created_at, updated_at, path_end) VALUES ('c1', 'project', 'ann', 1, 'N', 1, 100, 100, 2);
		INSERT INTO messages (position, id, chat_id, role, content, created_at, model_name, agent_id, finish_reason, is_test, parent, memory_ids) VALUES
			(1, 'q1', 'c1', 'user', 'I have a dog', 100, '', '', '', 0, 0, NULL), (2, 'a1', 'c1', 'assistant', 'One.', 100, '', 'agent', 'stop', 0, 1, '["old"]');
		INSERT INTO memories (position, id, project_id, agent_id, user_id, content, type, confidence, status, reject_reason, created_at, updated_at,
			approved_at, rejected_at, expires_at, source_message_id, triggering_message, span_start, span_end, source_chat_id, erasures) VALUES
			(1, 'old', 'project', 'agent', 'ann', 'User has a cat', 'fact', 0.9, 'approved', '', 1, 2, 2, 0, 0, NULL, NULL, NULL, NULL, NULL, 0),
			(2, 'dog', 'project', 'agent', 'ann', 'User has a dog', 'fact', 0.9, 'pending', '', 1, 1, 0, 0, 900, 'q1', 'I have a dog', 0, 12, 'c1', 0)`)
	ctx, owner := t.Context(), memory.Owner{ProjectID: "project", AgentID: "agent", UserID: "ann"}
	all, _, err := store.Memories(ctx, memory.Query{ProjectID: "project", Agents: []string{"agent"}, ChatID: "c1", Now: 200})
	require.NoError(t, err)
	dog := wire.Memory{
		ID: "dog", AgentID: "agent", UserID: "ann", MemoryContent: "User has a dog", MemoryType: wire.MemoryFact, ConfidenceScore: 0.9,
		Status: wire.MemoryPending, CreatedAt: 1, UpdatedAt: 1, ExpiresAt: 900, Origin: wire.OriginUser,
		SourceChatID: "c1", SourceMessageID: "q1", TriggeringMessage: "I have a dog", Span: &wire.Span{Start: 0, End: 12},
	}
	require.Equal(t, []wire.Memory{dog}, all)
	answers, _, err := store.AnswersOfMemory(ctx, owner, "old", memory.Page{Limit: 10})
	require.NoError(t, err)
	require.Equal(t, []wire.MemoryAnswer{{ChatID: "c1", MessageID: "a1"}}, answers, "of an answer from before")
	dog.MemoryContent, dog.OriginalContent, dog.EditedBy, dog.EditedAt = "User has two dogs", dog.MemoryContent, "root", 200
	require.NoError(t, store.ChangeMemories(ctx, owner, "", func(memory.State) (memory.Changes, error) {
		return memory.Changes{Updated: []wire.Memory{dog}}, nil
	}))
	got, err := store.Memory(ctx, "project", "dog")
	require.NoError(t, err)
	require.Equal(t, dog, got)
	require.NoError(t, store.DeleteChat(ctx, ann, "c1", 200))
	erasures, _, err := store.Erasures(ctx, "project", "agent", memory.Page{Limit: 10})
	require.NoError(t, err)
	require.Equal(t, []wire.Erasure{{Kind: wire.ErasedChat, At: 200, By: "ann", Counts: wire.ErasureCounts{Memories: 1}}}, erasures)
}

// A database from before failures of detection were kept: its agents have none, and the
// message that had failed waits as before.
func TestUpgradeKeepsTheQueue(t *testing.T) {
	t.Parallel()
	store := upgraded(t, 14, `
		INSERT INTO projects VALUES ('project', 1);
		INSERT INTO chats (id, project_id, user_id, place, name, named, created_at, updated_at, path_end) VALUES ('c1', 'project', 'ann', 1, 'N', 1, 100, 100, 2);
		INSERT INTO messages (position, id, chat_id, role, content, created_at, model_name, agent_id, finish_reason, is_test, parent, memory_ids) VALUES
			(1, 'q1', 'c1', 'user', 'I have a dog', 100, '', '', '', 0, 0, NULL), (2, 'a1', 'c1', 'assistant', 'One.', 100, '', 'agent', 'stop', 0, 1, NULL);
		INSERT INTO memory_jobs VALUES (1, 'q1', 's1', 'project', 'agent', 'ann', 3, 150)`)
	ctx := t.Context()
	detection, err := store.Detection(ctx, "project", "agent")
	require.NoError(t, err)
	require.Equal(t, wire.MemoryDetection{Waiting: 1}, detection)
	jobs, err := store.Jobs(ctx, 150, 10)
	require.NoError(t, err)
	require.Len(t, jobs, 1)
	require.Equal(t, 3, jobs[0].Failures)
	require.NoError(t, store.FailDetection(ctx, jobs[0], memory.Failure{At: 150, Code: wire.CodeProviderTimeout}))
	detection, err = store.Detection(ctx, "project", "agent")
	require.NoError(t, err)
	require.Equal(t, &wire.DetectionFailure{Since: 150, Failures: 1, Code: wire.CodeProviderTimeout}, detection.Failure)
}

// A database of the previous release: streams that are open, ended, partly swept and swept are read
// as they were.
func TestUpgradeKeepsEvents(t *testing.T) {
	t.Parallel()
	store := upgraded(t, 10, `
		INSERT INTO projects VALUES ('project', 1);
		INSERT INTO chats VALUES ('c1', 'project', 'ann', 1, 'N', 1, NULL, NULL, 100, 100, NULL);
		INSERT INTO messages (id, chat_id, role, content, created_at, model_name, agent_id, finish_reason, is_test) VALUES
			('q1', 'c1', 'user', 'One?', 100, '', '', '', 0), ('a1', 'c1', 'assistant', 'One.', 100, '', 'agent', 'stop', 0),
			('q2', 'c1', 'user', 'Two?', 101, '', '', '', 0), ('a2', 'c1', 'assistant', '', 101, '', 'agent', '', 0);
		INSERT INTO streams VALUES
			('gone', 'a1', 'q1', 100, 9, NULL, 1), ('ended', 'a1', 'q1', 200, 3, NULL, 0), ('part', 'a1', 'q1', 150, 4, NULL, 0),
			('none', 'a1', 'q1', 150, 0, NULL, 0), ('open', 'a2', 'q2', NULL, 0, NULL, 0), ('begun', 'a2', 'q2', NULL, 0, NULL, 0);
		INSERT INTO events VALUES
			('ended', 2, 'chunk', CAST('{"text":"One \n."}' AS BLOB)), ('ended', 1, 'start', CAST('{}' AS BLOB)), ('ended', 3, 'end', CAST('{}' AS BLOB)),
			('part', 3, 'chunk', CAST('{"text":"ä"}' AS BLOB)), ('part', 4, 'end', CAST('{}' AS BLOB)),
			('open', 1, 'start', CAST('{}' AS BLOB)), ('open', 2, 'chunk', CAST('{"text":"Tw"}' AS BLOB))`)

	require.Equal(t, []string{"start {}", `chunk {"text":"One \n."}`, "end {}"}, dataOf(t, store, "ended", 2))
	events, err := store.Events(t.Context(), "part", 2, 10)
	require.NoError(t, err)
	require.Equal(t, []chat.Event{{ID: 3, Type: "chunk", Data: []byte(`{"text":"ä"}`)}, {ID: 4, Type: "end", Data: []byte("{}")}}, events)
	_, err = store.Events(t.Context(), "none", 0, 10)
	require.Equal(t, io.EOF, err)
	_, err = store.Events(t.Context(), "gone", 0, 10)
	require.ErrorIs(t, err, stream.ErrSwept)
	for _, name := range []string{"open", "begun"} {
		require.NoError(t, appending(t, store, name, "o")())
	}
	require.Equal(t, []string{"start {}", `chunk {"text":"Tw"}`, `chunk {"text":"o"}`}, dataOf(t, store, "open", 10))
	require.Equal(t, []string{`chunk {"text":"o"}`}, dataOf(t, store, "begun", 10))

	ended, err := store.EndBrokenTurns(t.Context(), chat.End{At: 300})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"open", "begun"}, ended)
	require.NoError(t, store.Sweep(t.Context(), 200, 0))
	require.Equal(t, 3, rows(t, store)["events"], "those of the open streams")
	require.NoError(t, store.DeleteChat(t.Context(), ann, "c1", 400))
	require.NoError(t, store.Sweep(t.Context(), 0, 0))
	require.Zero(t, rows(t, store)["events"])
	writer, _ := store.Pools()
	var fault string
	require.ErrorIs(t, writer.QueryRow("PRAGMA foreign_key_check").Scan(&fault), sql.ErrNoRows)
}
