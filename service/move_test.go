package main_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// all is everything that a service says about the data of the tests below.
func (p *process) all(chatID, streamID string) []string {
	p.t.Helper()
	server := http.Header{"X-User-Id": nil}
	var texts []string
	for _, path := range []string{
		"/project/demo/chat", "/project/demo/chat/" + chatID + "/all", "/agents/assistant/memories", "/agents/assistant/memory-settings",
		"/v3/chat/stream/" + streamID,
	} {
		r := p.do(http.MethodGet, path, server, "")
		require.Equal(p.t, http.StatusOK, r.status, "%s: %s", path, r.body)
		texts = append(texts, string(r.body))
	}
	for _, d := range p.documents() {
		r := p.do(http.MethodGet, "/v3/project/demo/knowledgebase/"+d.ContentKey, server, "")
		require.Equal(p.t, http.StatusOK, r.status)
		texts = append(texts, string(r.body))
	}
	return texts
}

// Data from a folder arrives in the database unchanged, and works there.
func TestMoveData(t *testing.T) {
	t.Parallel()
	database, folder := pgtest.New(t), t.TempDir()
	p := startIn(t, folder, nil)
	server := asJSON()
	server["X-User-Id"] = nil
	require.Equal(t, http.StatusOK, p.do(http.MethodPut, "/agents/assistant/memory-settings", server, `{"memory_enabled":true}`).status)
	first := p.sendKeyed("k", eventStream, "I am allergic to nuts. <b> “ü”")
	require.Equal(t, http.StatusOK, first.status, "%s", first.body)
	begun := startOf(t, first)
	for range 3 {
		p.ask("And my name is Ada.", wire.FieldChatID, begun.ChatID)
	}
	gone := p.ask("A secret, soon deleted").ChatID
	require.Equal(t, http.StatusOK, p.do(http.MethodDelete, "/chat/delete", asJSON(), `{"project_id":"demo","chat_id":"`+gone+`"}`).status)
	require.Equal(t, http.StatusOK, p.upload("facts.txt", []byte("The lighthouse of Amrum is 41.8 metres high.")).status)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		for _, d := range p.documents() {
			require.Equal(c, wire.DocumentSynced, d.Status)
		}
		require.Contains(c, string(p.do(http.MethodGet, "/agents/assistant/memories", nil, "").body), "Ada")
	}, 20*time.Second, 50*time.Millisecond)
	want := p.all(begun.ChatID, begun.StreamID)

	line := fails(t, folder, env{"DATABASE_URL": database}, "move-data")
	require.Contains(t, line, "is served by another process")
	p.stop()
	code, stdout, stderr := output(t, folder, env{"DATABASE_URL": database}, "move-data")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "copied: 1 chats, 8 messages, 2 memories, 1 documents\n")
	require.Contains(t, stdout, filepath.Join("data", "memory-key"))
	line = fails(t, folder, env{"DATABASE_URL": database}, "move-data")
	require.Contains(t, line, "it has data already; name an empty database")

	key, err := os.ReadFile(filepath.Join(folder, "data", "memory-key"))
	require.NoError(t, err)
	moved := start(t, sharing(database, env{"MEMORY_KEY": string(key[:len(key)-1])}))
	require.Equal(t, want, moved.all(begun.ChatID, begun.StreamID))
	again := moved.sendKeyed("k", eventStream, "I am allergic to nuts. <b> “ü”")
	require.Equal(t, string(first.body), string(again.body))
	answer := moved.ask("What is my name?", wire.FieldChatID, begun.ChatID)
	require.Contains(t, answer.Message.Content, "Ada")
	require.Contains(t, moved.askDocuments("How high is the lighthouse of Amrum?").Content, "41.8")
	require.Len(t, moved.chats(), 2)
}

func TestMoveDataErrors(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, test := range []struct {
		name string
		env  env
		args []string
		want string
	}{
		{"no database", nil, nil, "move-data: DATABASE_URL is not set"},
		{"an argument", env{"DATABASE_URL": "postgres://h/d"}, []string{"there"}, `argument "there"`},
		{"no folder", env{"DATABASE_URL": "postgres://h/d"}, nil, "data has no database"},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Contains(t, fails(t, folder, test.env, append([]string{"move-data"}, test.args...)...), test.want)
			files, err := os.ReadDir(folder)
			require.NoError(t, err)
			require.Empty(t, files)
		})
	}
}
