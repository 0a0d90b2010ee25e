package main_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

func TestListens(t *testing.T) {
	t.Parallel()
	p := start(t, nil)
	require.Regexp(t, `^127\.0\.0\.1:[1-9][0-9]+$`, p.address, "the port that was taken is printed")
	health := decode[map[string]string](t, p.do(http.MethodGet, "/healthz", nil, ""), http.StatusOK)
	_, version, _ := output(t, t.TempDir(), nil, "-version")
	require.Equal(t, strings.TrimSpace(version), health["version"])
	require.Equal(t, http.StatusOK, p.do(http.MethodGet, "/readyz", nil, "").status)
	p.stop()
}

// Chats outlive a restart.
func TestChatsAreKept(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := startIn(t, folder, nil)
	sent := p.ask("My name is Ann and I like "+word, wire.FieldMetadata, `{"a":1}`)
	before := p.history(sent.ChatID)
	require.Contains(t, sent.ChatName, "My name is Ann")
	p.stop()
	p = startIn(t, folder, nil)
	require.Equal(t, before, p.history(sent.ChatID))
	require.Contains(t, p.ask("What is my name?", wire.FieldChatID, sent.ChatID).Message.Content, "Ann")
	require.NotContains(t, p.stderr.String(), "left open")
}

// Each setting reaches what it sets.
func TestSettingsTakeEffect(t *testing.T) {
	t.Parallel()
	model := newModel(t)
	p := start(t, model.env().with(env{
		"MESSAGE_CHARACTERS": "20", "NAME_CHARACTERS": "5", "ALLOWED_ORIGINS": "https://a.example", "STREAMS_PER_USER": "1",
	}), "-json-bytes", "200", "-project", "mine")
	project := []string{wire.FieldProjectID, "mine"}

	page := http.Header{"Origin": {"https://a.example"}}
	models := p.do(http.MethodGet, "/project/mine/agents", page, "")
	require.Equal(t, "https://a.example", models.header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, []string{"small"}, decode[wire.ListAgentsResponse](t, models, http.StatusOK).Models)
	requireError(t, p.do(http.MethodGet, "/project/demo/agents", nil, ""), http.StatusNotFound, wire.CodeNotFound)

	create := func(body string) reply { return p.do(http.MethodPost, "/chat/create", asJSON(), body) }
	requireError(t, create(`{"project_id":"mine","name":"123456"}`), http.StatusRequestEntityTooLarge, wire.CodePayloadTooLarge)
	requireError(t, create(`{"project_id":"mine","name":"1"`+strings.Repeat(" ", 200)+`}`),
		http.StatusRequestEntityTooLarge, wire.CodePayloadTooLarge)
	requireError(t, p.send(strings.Repeat("x", 21), project...), http.StatusRequestEntityTooLarge, wire.CodePayloadTooLarge)

	s := p.stream(strings.Repeat("x", 20), project...)
	c := <-model.calls
	busy := p.send("Hi", project...)
	requireError(t, busy, http.StatusTooManyRequests, wire.CodeQuotaExceeded)
	require.Equal(t, "1", busy.header.Get("Retry-After"))
	c.finish()
	s.until(wire.EventChatName)
	s.complete()
}

func TestSendsPerMinute(t *testing.T) {
	t.Parallel()
	p := start(t, env{"SENDS_PER_MINUTE": "1"})
	p.ask("Hi")
	refused := p.send("Hi")
	requireError(t, refused, http.StatusTooManyRequests, wire.CodeRateLimited)
	require.Regexp(t, "^[1-6][0-9]$", refused.header.Get("Retry-After"))
	require.Len(t, p.chats(), 1)
}

func TestModelAnswers(t *testing.T) {
	t.Parallel()
	model := newModel(t)
	p := start(t, model.env())
	s := p.stream("Do you like " + word + "?")
	c := <-model.calls
	require.Equal(t, "Bearer "+openaiKey, c.header.Get("Authorization"))
	require.Equal(t, "small", c.asked.Model)
	require.Equal(t, "Do you like "+word+"?", c.asked.Messages[1].Content)
	c.say("Yes")
	s.untilText("Yes")
	c.say(", " + word + ".")
	c.finish()
	complete := s.complete()
	require.Equal(t, "Yes, "+word+".", complete.Message.Content)
	require.Equal(t, wire.FinishStop, complete.Message.FinishReason)
	history := p.history(s.start.ChatID)
	require.Equal(t, "Do you like "+word+"?", history.Name)
	require.Equal(t, complete.Message, history.Messages[1])

	require.Contains(t, p.metrics(), `chatsdk_answers_total{outcome="stop"} 1`)
	p.stop()
	require.Contains(t, p.stderr.String(), `"route":"/v3/chat/message"`, "each request has its line")
}

func TestModelFails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer func(*model)
		code   string
		text   string
	}{
		{"refuses", func(m *model) {
			for range 3 { // it is asked twice more
				(<-m.calls).refuse(http.StatusServiceUnavailable)
			}
		}, wire.CodeUnavailable, ""},
		{"rejects the question", func(m *model) { (<-m.calls).refuse(http.StatusBadRequest) }, wire.CodeProviderFailed, ""},
		{"is cut cleanly", func(m *model) {
			c := <-m.calls
			c.say("Well " + word)
			c.cut()
		}, wire.CodeProviderFailed, "Well " + word},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			model := newModel(t)
			p := start(t, model.env())
			s := p.stream("Hi " + word)
			test.answer(model)
			require.Equal(t, test.code, s.failure())
			require.Equal(t, test.text, s.text)
			answer := p.history(s.start.ChatID).Messages[1]
			require.Equal(t, []string{test.text, wire.FinishError}, []string{answer.Content, answer.FinishReason})
			require.Equal(t, "Untitled", p.chats()[0].Name)
			p.requireLogged(test.code)
		})
	}
}

// A model that falls silent is given up on, and until then its reader hears
// that the service is there. Seconds are counted by heartbeats, not by the
// clock.
func TestSilences(t *testing.T) {
	t.Parallel()
	model := newModel(t)
	p := start(t, model.env().with(env{"PROVIDER_TIMEOUT": "3s"}), "-heartbeat", "1s")
	s := p.stream("Hi")
	c := <-model.calls
	c.say("Well")
	require.Equal(t, wire.CodeProviderTimeout, s.failure())
	require.Equal(t, "Well", s.text)
	require.Positive(t, s.comments)
	require.Less(t, s.comments, 30)
	<-c.gone
	p.requireLogged(wire.CodeProviderTimeout)
}

// requireLogged requires the log to report one failed answer, with this code.
func (p *process) requireLogged(code string) {
	p.t.Helper()
	p.stop()
	var told []string
	for line := range strings.Lines(p.stderr.String()) {
		var entry struct {
			Level, Msg, Code string
			RequestID        string `json:"request_id"`
		}
		require.NoError(p.t, json.Unmarshal([]byte(line), &entry))
		if entry.Msg == "answer failed" {
			require.Equal(p.t, "ERROR", entry.Level)
			require.NotEmpty(p.t, entry.RequestID)
			told = append(told, entry.Code)
		}
	}
	require.Equal(p.t, []string{code}, told)
}
