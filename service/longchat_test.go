package main_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	log "github.com/chatsdk/chatsdk/service/internal/stream"
)

const (
	longChat  = 2 << 20 // bytes of text
	longSends = 20
	longPeak  = 200_000 // KB of resident memory in all
)

// factsOf are sentences that each state a fact, which cost the embedded agent most.
func factsOf(message int) string {
	var text strings.Builder
	for i := 0; text.Len() < 31_900; i++ {
		fmt.Fprintf(&text, "T%dhing%d is x%d. ", message, i, i)
	}
	return text.String()[:31_900]
}

// fillChat stores a long chat of ann's in a folder before the service starts.
func fillChat(t *testing.T, folder, chatID string) {
	t.Helper()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "data"), 0o700))
	store, err := sqlite.Open(t.Context(), filepath.Join(folder, "data", "chatsdk.db"))
	require.NoError(t, err)
	scope := access.Scope{ProjectID: "demo", UserID: ann}
	require.NoError(t, store.CreateChat(t.Context(), scope, wire.Chat{ChatID: chatID, Name: "Long", CreatedAt: 1}, nil))
	for said, i := 0, 0; said < longChat; i++ {
		turn := chat.Turn{
			StreamID: fmt.Sprint("stream_", i),
			Question: wire.Message{ID: fmt.Sprint("msg_q", i), ChatID: chatID, Role: wire.RoleUser, Content: factsOf(i), CreatedAt: 1},
			Answer:   wire.Message{ID: fmt.Sprint("msg_a", i), ChatID: chatID, Role: wire.RoleAssistant, CreatedAt: 1, AgentID: "assistant"},
		}
		require.NoError(t, store.BeginTurn(t.Context(), scope, turn))
		turn.Answer.Content, turn.Answer.FinishReason = "Noted.", wire.FinishStop
		require.NoError(t, store.EndTurn(t.Context(), log.Lease{StreamID: turn.StreamID, Epoch: 1}, turn.Answer, &chat.End{At: 1}))
		said += len(turn.Question.Content) + len(turn.Answer.Content)
	}
	require.NoError(t, store.Close())
}

// 20 questions at once in a chat of 2 MiB take no more memory than the service
// has for them.
func TestLongChatAskedOftenAtOnce(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("only Linux reports the peak memory of a process")
	}
	folder := t.TempDir()
	fillChat(t, folder, "chat_long")
	p := startIn(t, folder, env{})
	before := p.peak()
	statuses := make([]int, longSends)
	var sends sync.WaitGroup
	for i := range statuses {
		sends.Go(func() { statuses[i] = p.sendAlone("What is t3hing5?", wire.FieldChatID, "chat_long") })
	}
	sends.Wait()
	for _, status := range statuses {
		require.Equal(t, http.StatusOK, status)
	}
	after := p.peak()
	t.Logf("%d sends at once in a chat of %d bytes: %d KB at most, %d before", longSends, longChat, after, before)
	require.Less(t, after, longPeak, "KB")
	require.Contains(t, p.ask("What is t65hing5?", wire.FieldChatID, "chat_long").Message.Content, "x5", "the newest messages are read")
}

var peakLine = regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`)

// peak returns the largest memory of the process, in KB.
func (p *process) peak() int {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	require.NoError(p.t, err)
	match := peakLine.FindSubmatch(status)
	require.NotNil(p.t, match)
	kilobytes, err := strconv.Atoi(string(match[1]))
	require.NoError(p.t, err)
	return kilobytes
}

// sendAlone sends a message, and returns the status, 0 for none. It may be called from any
// goroutine.
func (p *process) sendAlone(message string, fields ...string) int {
	header, body := form(message, fields...)
	request, err := http.NewRequest(http.MethodPost, p.url+"/v3/chat/message", strings.NewReader(body))
	if err != nil {
		return 0
	}
	request.Header = http.Header{
		"X-Api-Key": {apiKey}, "X-Api-Secret": {apiSecret}, "X-User-Id": {ann}, "Content-Type": header["Content-Type"],
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return 0
	}
	return response.StatusCode
}
