package sqlite_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	chattest "github.com/chatsdk/chatsdk/service/internal/chat/storetest"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// filesHold returns the words that are in the files of a database. It ignores case,
// since the index keeps lower case.
func filesHold(t *testing.T, path string, words ...string) (found []string) {
	t.Helper()
	names, err := filepath.Glob(path + "*")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		content = bytes.ToLower(content)
		for _, word := range words {
			if bytes.Contains(content, []byte(strings.ToLower(word))) {
				found = append(found, word+" in "+filepath.Base(name))
			}
		}
	}
	return found
}

// fillWithMarks stores one of everything with words that occur nowhere else, among things that
// stay, and returns these words.
func fillWithMarks(t *testing.T, store *sqlite.Store) []string {
	t.Helper()
	ctx := t.Context()
	for n := range 40 {
		fill(t, store, fmt.Sprint("stays", n), "plainword")
	}
	fill(t, store, "goes", "zzmarker")
	// The nearest neighbours change afterwards, so that pages are split and joined.
	for n := range 40 {
		fill(t, store, fmt.Sprint("later", n), "plainword")
	}
	words := []string{"zzmarkerchat", "zzmarkermeta", "zzmarkerquestion", "zzmarkeranswer", "zzmarkerimage", "zzmarkerfile", "zzmarkertext",
		"zzmarkertitle", "zzmarkermemory", "zzmarkertrigger", "zzmarkeredit", "zzmarkerasked", "zzmarkerround", "zzmarkercall", "zzmarkerresult"}
	require.NoError(t, store.Sweep(ctx, 0, 0)) // moves everything into the file
	held := strings.Join(filesHold(t, pathOf(t, store), words...), "; ")
	for _, word := range words {
		if word != "zzmarkerfile" { // it was removed when it was read
			require.Contains(t, held, word+" in ")
		}
	}
	return words
}

// fill stores a chat, a message with an image, a document and a memory.
func fill(t *testing.T, store *sqlite.Store, name, word string) {
	t.Helper()
	ctx := t.Context()
	long := func(what string) string { return strings.Repeat(word+what+" and more of it. ", 300) }
	require.NoError(t, store.CreateChat(ctx, ann, wire.Chat{
		ChatID: "chat-" + name, Name: word + "chat", Metadata: wire.JSON(`{"a":"` + word + `meta"}`),
	}, nil))
	one := turn("chat-"+name, name)
	one.Question.Content, one.Question.ImageURLs = long("question"), []string{"img-" + name}
	one.Images = []images.File{imageFile("img-"+name, []byte(long("image")))}
	one.Events = chunk(1, long("answer"))
	one.Asked = &chat.Asked{PageTools: `{"` + word + `asked":{}}`}
	require.NoError(t, store.BeginTurn(ctx, ann, one))
	call := toolcall.Call{ToolCall: wire.ToolCall{
		ID: "call-" + name, ChatID: "chat-" + name, MessageID: one.Answer.ID, StreamID: name, Arguments: long("call"), Result: long("result"), Status: wire.CallDone,
	}}
	require.NoError(t, store.ParkTurn(ctx, stream.Lease{StreamID: name, Epoch: 1}, chat.Parking{
		Round: toolcall.Round{Text: long("round"), Details: toolcall.Details{Returned: wire.JSON(`"` + long("returned") + `"`)}},
		Calls: []toolcall.Call{call}, Events: []chat.Event{toolcall.EventOf(call)},
	}))
	one.Answer.Content, one.Answer.Reasoning, one.Answer.FinishReason = long("answer"), long("reasoning"), wire.FinishStop
	require.NoError(t, store.EndTurn(ctx, stream.Lease{StreamID: name, Epoch: 1}, one.Answer, &chat.End{At: 100}))
	d := knowledge.Document{Key: "doc-" + name, ProjectID: "project", UserID: "ann", Name: word + "title.md", Title: word + "title", Kind: read.Markdown,
		Status: wire.DocumentQueued, Size: int64(len(long("file"))), CreatedAt: 100}
	require.NoError(t, store.AddDocument(ctx, d, []byte(long("file")), nil))
	var passages []split.Passage
	for n := range 20 {
		text := fmt.Sprint(word, "text ", n, " says something about rivers and salmon. ")
		passages = append(passages, split.Passage{Headings: []string{word + "title"}, Start: n, End: n + 1, Text: text})
	}
	require.NoError(t, store.FinishDocument(ctx, d.Key, read.Document{Kind: read.Markdown, Title: d.Title, Text: long("text")}, passages))
	owner := memory.Owner{ProjectID: "project", AgentID: "assistant", UserID: name}
	require.NoError(t, store.ChangeMemories(ctx, owner, "", func(memory.State) (memory.Changes, error) {
		m := wire.Memory{ID: "mem-" + name, MemoryContent: word + "memory", MemoryType: wire.MemoryFact, Status: wire.MemoryApproved, ApprovedAt: 100,
			SourceMessageID: name + "-q", TriggeringMessage: long("trigger"), Span: &wire.Span{Start: 0, End: 3},
			Edits: []wire.MemoryEdit{{Text: word + "edit", By: "root", At: 100}}}
		return memory.Changes{Added: []wire.Memory{m}}, nil
	}))
}

// goes owns the memory that deleteMarked deletes.
var goes = memory.Owner{ProjectID: "project", AgentID: "assistant", UserID: "goes"}

// deleteMarked deletes everything that holds the words of fillWithMarks.
func deleteMarked(t *testing.T, store *sqlite.Store) {
	t.Helper()
	ctx := t.Context()
	require.NoError(t, store.DeleteChat(ctx, ann, "chat-goes", 200))
	require.NoError(t, store.DeleteDocuments(ctx, "project", []string{"doc-goes"}, 200))
	_, err := store.DeleteMemories(ctx, goes, memory.Receipt{By: "ann", At: 2})
	require.NoError(t, err)
}

func pathOf(t *testing.T, store *sqlite.Store) string {
	t.Helper()
	writer, _ := store.Pools()
	var path string
	require.NoError(t, writer.QueryRow(`SELECT file FROM pragma_database_list WHERE name = 'main'`).Scan(&path))
	return path
}

// After a deletion no deleted byte is in any file, while the service runs.
func TestDeletedTextIsInNoFile(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	words := fillWithMarks(t, store)
	ctx := t.Context()
	deleteMarked(t, store)
	require.NoError(t, store.Sweep(ctx, 0, 0))
	require.Empty(t, filesHold(t, pathOf(t, store), words...))
}

// A single deleted memory and a chat's former name leave nothing either, whatever else was deleted
// before.
func TestChangedTextIsInNoFile(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	fillWithMarks(t, store)
	ctx := t.Context()
	require.NoError(t, store.DeleteMemory(ctx, goes, "mem-goes", []string{"mark"}, memory.Receipt{By: "ann", At: 2}))
	require.NoError(t, store.Sweep(ctx, 0, 0))
	_, err := store.RenameChat(ctx, ann, "chat-goes", "another", 200)
	require.NoError(t, err)
	require.NoError(t, store.Sweep(ctx, 0, 0))
	require.Empty(t, filesHold(t, pathOf(t, store), "zzmarkermemory", "zzmarkertrigger", "zzmarkeredit", "zzmarkerchat"))
}

// A database from before deletions were secure is cleaned when it is opened.
func TestAnOldDatabaseIsCleanedOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	store := openFile(t, path)
	words := fillWithMarks(t, store)
	writer, _ := store.Pools()
	for _, statement := range []string{
		`PRAGMA secure_delete(0)`, `INSERT INTO passages_index (passages_index, rank) VALUES ('secure-delete', 0)`,
	} {
		_, err := writer.Exec(statement)
		require.NoError(t, err)
	}
	ctx := t.Context()
	deleteMarked(t, store)
	require.NoError(t, store.Sweep(ctx, 0, 0))
	require.NoError(t, store.Close())
	require.NotEmpty(t, filesHold(t, path, words...), "they stayed")

	again := openFile(t, path)
	require.Empty(t, filesHold(t, path, words...))
	hits, err := again.Search(ctx, "salmon", []string{"doc-stays1"}, 10)
	require.NoError(t, err)
	require.NotEmpty(t, hits)
}

// If a process ends between two steps of a deletion, the next one does the rest.
func TestDeletionsAreCarriedOn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	store := openFile(t, path)
	words := fillWithMarks(t, store)
	ctx := t.Context()
	deleteMarked(t, store)
	store = sweepWithEnds(t, store, path, 7, requireHidden)
	require.NoError(t, store.Sweep(ctx, 0, 0))
	require.Empty(t, filesHold(t, path, words...))
}

// sweepWithEnds ends the process in a Sweep again and again, each time that many looks at the context later, until the Sweep is done.
// It checks each store before it closes it, and returns the last one.
func sweepWithEnds(t *testing.T, store *sqlite.Store, path string, later int64, check func(*testing.T, *sqlite.Store)) *sqlite.Store {
	t.Helper()
	broken := 0
	for looks := int64(0); ; looks += later {
		err := store.Sweep(chattest.EndingAfter(t, looks), 0, 0)
		check(t, store)
		if err == nil {
			require.Greater(t, broken, 3)
			return store
		}
		require.ErrorIs(t, err, context.Canceled)
		broken++
		require.NoError(t, store.Close())
		store = openFile(t, path)
	}
}

// requireHidden requires that nothing is found of what deleteMarked deleted.
func requireHidden(t *testing.T, store *sqlite.Store) {
	t.Helper()
	ctx := t.Context()
	_, err := store.ChatHistory(ctx, ann, "chat-goes")
	require.ErrorIs(t, err, fault.ErrNotFound)
	_, err = store.Image(ctx, "project", "img-goes")
	require.ErrorIs(t, err, fault.ErrNotFound)
	_, err = store.Stream(ctx, ann, "goes")
	require.ErrorIs(t, err, fault.ErrNotFound)
	_, err = store.Call(ctx, "project", "call-goes")
	require.ErrorIs(t, err, fault.ErrNotFound)
	_, err = store.Document(ctx, knowledge.Reach{ProjectID: "project", Everybody: true}, "doc-goes")
	require.ErrorIs(t, err, fault.ErrNotFound)
	hits, err := store.Search(ctx, "zzmarkertext", []string{"doc-goes"}, 10)
	require.NoError(t, err)
	require.Empty(t, hits)
	memories, _, err := store.Memories(ctx, memory.Query{ProjectID: "project", UserID: "goes"})
	require.NoError(t, err)
	require.Empty(t, memories)
	list, err := store.ListChats(ctx, ann, 0, 1000)
	require.NoError(t, err)
	require.Len(t, list.Chats, 80)
}

// A file that no row names is removed, after some time in which one may still be stored.
func TestFilesThatNobodyNamesAreRemoved(t *testing.T) {
	t.Parallel()
	store := openNew(t)
	require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "c1", Name: "N"}, nil))
	one := turn("c1", "s")
	one.Images = []images.File{imageFile("img", bytes.Repeat([]byte("x"), 3<<20))}
	one.Parent = "no such answer"
	require.ErrorIs(t, store.BeginTurn(t.Context(), ann, one), fault.ErrNotFound)
	count := func(table string) (count int) {
		_, readers := store.Pools()
		require.NoError(t, readers.QueryRow("SELECT count(*) FROM "+table).Scan(&count))
		return count
	}
	require.Zero(t, count("file_parts")+count("files"))
	writer, _ := store.Pools()
	for _, statement := range []string{ // left by kills, long ago and a moment ago
		`INSERT INTO files VALUES ('old', unixepoch() - 3600), ('new', unixepoch())`,
		`INSERT INTO file_parts (file_id, number, content) VALUES ('old', 0, zeroblob(9)), ('old', 1, zeroblob(9)), ('new', 0, zeroblob(9))`,
	} {
		_, err := writer.Exec(statement)
		require.NoError(t, err)
	}
	require.NoError(t, store.Sweep(t.Context(), 0, 0))
	require.Equal(t, 1, count("file_parts"), "somebody may be storing it")

	one.Parent = ""
	require.NoError(t, store.BeginTurn(t.Context(), ann, one))
	require.NoError(t, store.Sweep(t.Context(), 0, 0))
	image, err := store.Image(t.Context(), "project", "img")
	require.NoError(t, err)
	require.Equal(t, one.Images[0].Content, contentOf(t, store, image))
}

func imageFile(id string, content []byte) images.File {
	return images.File{Image: images.Image{ID: id, MediaType: "image/png", Width: 1, Height: 1, Size: len(content)}, Content: content}
}

func contentOf(t *testing.T, store *sqlite.Store, image images.Image) []byte {
	t.Helper()
	var content bytes.Buffer
	require.NoError(t, store.WriteImage(t.Context(), &content, image))
	return content.Bytes()
}
