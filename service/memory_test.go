package main_test

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// remembering is an agent that approves what it finds.
const remembering = "agents: [{id: a, memory: {memory_enabled: true, auto_approve: true, max_memories: 7, memory_types: [fact, context]}}]"

// asksUntilRemembered sends messages that are too short to be examined until an
// answer lists memories, and returns them.
func (p *process) asksUntilRemembered(ask func() wire.Message) []string {
	p.t.Helper()
	for {
		if ids := ask().MemoryIDs; len(ids) > 0 {
			return ids
		}
	}
}

func TestMemoriesAreFoundAndUsed(t *testing.T) {
	t.Parallel()
	folder := writeAgents(t, remembering)
	e := env{"AGENTS": "agents.yaml", "SENDS_PER_MINUTE": "0"}
	p := startIn(t, folder, e)
	ask := func() wire.Message { return p.ask("Hi").Message }
	require.Empty(t, p.ask("I work at a hospital, and I prefer short answers.").Message.MemoryIDs)
	ids := p.asksUntilRemembered(ask)
	require.Len(t, ids, 1, "preferences are off")
	const work = "Where do I work?"
	answer := p.ask(work).Message
	require.Equal(t, ids, answer.MemoryIDs)
	require.Contains(t, answer.Content, "You work at a hospital.")
	require.Contains(t, p.ask("Where do I live?").Message.Content, "You have not told me that in this chat.")
	header, body := form(work)
	header.Set("X-User-Id", "bob")
	bobs := decode[wire.SendMessageResponse](t, p.do(http.MethodPost, "/v3/chat/message", header, body), http.StatusOK)
	require.Empty(t, bobs.Message.MemoryIDs)
	require.NotContains(t, bobs.Message.Content, "hospital")
	p.untilCounted("chatsdk_memory_backlog 0")

	key := filepath.Join(folder, "data", "memory-key")
	info, err := os.Stat(key)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	before, err := os.ReadFile(key)
	require.NoError(t, err)
	p.stop()
	p = startIn(t, folder, e)
	require.Equal(t, ids, ask().MemoryIDs)
	after, err := os.ReadFile(key)
	require.NoError(t, err)
	require.Equal(t, before, after)
	p.stop()

	require.NoError(t, os.WriteFile(key, []byte("short\n"), 0o600))
	require.Contains(t, fails(t, folder, keyed(), "-addr", "127.0.0.1:0"), "memory-key holds 5 bytes, want 32 or more")
}

// With a model, detection is a separate call, which no answer waits for, and
// which is repeated after a crash.
func TestMemoriesOfAModel(t *testing.T) {
	t.Parallel()
	folder := writeAgents(t, remembering)
	model := newModel(t)
	e := model.env().with(env{"AGENTS": "agents.yaml", "SENDS_PER_MINUTE": "0"})
	p := startIn(t, folder, e)
	s := p.stream("I work at a " + word + " factory.")
	answer := <-model.calls
	answer.say("So")
	detection := <-model.calls
	require.Contains(t, detection.asked.Messages[1].Content, word)
	answer.finish()
	s.complete()
	p.kill()

	p = startIn(t, folder, e)
	detection = <-model.calls
	require.JSONEq(t, `{"message":"I work at a `+word+` factory."}`, detection.asked.Messages[1].Content)
	detection.lists(`{"memories":[{"type":"fact","content":"User works at a ` + word + ` factory","confidence":0.9,"quote":"I work at a ` + word + ` factory"}]}`)
	var system string
	ids := p.asksUntilRemembered(func() wire.Message {
		s := p.stream("Hi")
		c := <-model.calls
		system = c.asked.Messages[0].Content
		c.finish()
		return s.complete().Message
	})
	require.Len(t, ids, 1)
	require.Regexp(t, `\nUser Information:\n- User works at a `+word+` factory \(20\d\d-\d\d-\d\d\)\n`, system)
}

// lists sends a text as a whole answer.
func (c *call) lists(text string) {
	content, _ := json.Marshal(text) // a text is always JSON
	c.do(func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"choices":[{"index":0,"finish_reason":"stop","message":{"content":` + string(content) + `}}]}`))
	})
	close(c.steps)
}
