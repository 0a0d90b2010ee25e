package bench_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
	"github.com/chatsdk/chatsdk/js/test/protocol"
)

//go:embed page.html
var pageHTML string

var protocols = map[string]func(words []string) protocol.Protocol{
	"chatsdk": protocol.ChatSDK, "openai": protocol.OpenAI, "anthropic": protocol.Anthropic, "ai": protocol.AI,
}

// server has all answers ready before they are requested.
type server struct {
	*test.Fake
	answers map[string]*answer
	chats   []byte
	history []byte
}

// answer is a text in the events of a protocol.
type answer struct {
	protocol.Protocol
	body  []byte
	crc32 uint32
}

func startServer(t *testing.T) *server {
	s := &server{answers: map[string]*answer{}, chats: hundredChats(t), history: thousandMessages(t)}
	s.Fake = suite.Fake(t, http.NotFound)
	s.Handle("GET /bench/page.html", func(w http.ResponseWriter, _ *http.Request) { test.Reply(w, http.StatusOK, "text/html", pageHTML) })
	s.Handle("GET /bench/page.js", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, suite.File(".build/bench.js")) })
	s.Handle("POST /stream/{protocol}/{chunks}/{rate}/", s.stream)
	s.Handle("GET /calls/project/{project}/chat", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(s.chats)
	})
	s.Handle("GET /calls/project/{project}/chat/{chat}/all", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(s.history)
	})
	return s
}

// words is a text of this many chunks, 4.75 bytes each, as models cut theirs.
func words(chunks int) []string {
	some := []string{"The ", "quick ", "brown", " fox —", "\n", "jumps", " over \"", "the", " lazy ", "naïve", " dog. ", "東京", " and", " so", " on: ", "1"}
	all := make([]string, chunks)
	for i := range all {
		all[i] = some[i%len(some)]
	}
	return all
}

// prepare makes an answer, and returns the address at which a client gets it. At a
// rate of 0 it comes in one piece, otherwise this many chunks a second.
func (s *server) prepare(name string, chunks, rate int) string {
	key := name + "/" + strconv.Itoa(chunks)
	if s.answers[key] == nil {
		text := words(chunks)
		p := protocols[name](text)
		s.answers[key] = &answer{Protocol: p, body: []byte(strings.Join(p.Events, "")), crc32: crc32.ChecksumIEEE([]byte(strings.Join(text, "")))}
	}
	return fmt.Sprintf("%s/stream/%s/%d", s.URL, key, rate)
}

// longChunk is a chunk of an answer that is measured by its bytes.
const longChunk = "The quick brown fox jumps over the lazy dog.\n"

// prepareLong makes an answer of this many long chunks.
func (s *server) prepareLong(chunks int) string {
	key := fmt.Sprintf("long/%d", chunks)
	if s.answers[key] == nil {
		p := protocol.ChatSDK(slices.Repeat([]string{longChunk}, chunks))
		s.answers[key] = &answer{Protocol: p, body: []byte(strings.Join(p.Events, ""))}
	}
	return fmt.Sprintf("%s/stream/%s/0", s.URL, key)
}

func (s *server) stream(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // what was asked doesn't matter
	a := s.answers[r.PathValue("protocol")+"/"+r.PathValue("chunks")]
	if a == nil {
		http.NotFound(w, r)
		return
	}
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	rate, _ := strconv.Atoi(r.PathValue("rate")) // prepare wrote a number
	if rate == 0 {
		_, _ = w.Write(a.body)
		return
	}
	ticker := time.NewTicker(time.Second / time.Duration(rate))
	defer ticker.Stop()
	for i, event := range a.Events {
		if i >= a.Before && i < len(a.Events)-a.Before {
			<-ticker.C
		}
		_, _ = io.WriteString(w, event)
		_ = http.NewResponseController(w).Flush() // a page that has left reads no more
	}
}

func hundredChats(t *testing.T) []byte {
	chats := make([]map[string]any, 100)
	for i := range chats {
		chats[i] = map[string]any{
			"chat_id": fmt.Sprintf("chat_%026d", i), "name": fmt.Sprintf("Where was Mimi born? (%d)", i), "document_keys": []string{},
			"created_at": 1790000000.25 + float64(i), "updated_at": 1790000100.5 + float64(i),
		}
	}
	text, err := json.Marshal(map[string]any{"chats": chats, "next_cursor": 17, "has_more": true})
	require.NoError(t, err)
	return text
}

// thousandMessages is a page of a history as the service sends it.
func thousandMessages(t *testing.T) []byte {
	messages := make([]map[string]any, 1000)
	for i := range messages {
		messages[i] = map[string]any{
			"id": fmt.Sprintf("msg_%026d", i), "chat_id": "chat_01", "role": "user", "content": strings.Join(words(20), ""), "created_at": 1763600000.25,
		}
		if i%2 == 1 {
			messages[i]["role"], messages[i]["content"] = "assistant", strings.Join(words(120), "")
			messages[i]["agent_id"], messages[i]["finish_reason"], messages[i]["stream_id"] = "assistant", "stop", fmt.Sprintf("str_%026d", i)
		}
	}
	text, err := json.Marshal(map[string]any{
		"id": "chat_01", "chat_id": "chat_01", "name": "Plans", "created_at": 1763600000.25, "messages": messages, "has_more": false,
	})
	require.NoError(t, err)
	return text
}
