package openai_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// replies answers with a JSON text.
func replies(text string) step {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
}

// lists is the answer of a model that lists these memories, a JSON text.
func lists(t *testing.T, memories string) step {
	t.Helper()
	content, err := json.Marshal(`{"memories": ` + memories + `}`)
	require.NoError(t, err)
	return replies(completion(`{"role":"assistant","content":`+string(content)+`,"refusal":null}`, "stop"))
}

func completion(message, reason string) string {
	return `{"id":"c1","object":"chat.completion","created":1780000000,"model":"test-1","choices":[{"index":0,"message":` +
		message + `,"finish_reason":"` + reason + `"}],"usage":{"total_tokens":9}}`
}

var types = []string{wire.MemoryPreference, wire.MemoryFact, wire.MemoryContext}

const told = "👋 I work at a hospital. Don't tell: I work at a hospital!"

func TestDetectorFinds(t *testing.T) {
	t.Parallel()
	m := newModel(t, lists(t, `[
		{"type":"fact","content":"User works at a hospital","confidence":0.9,"quote":"I work at a hospital"},
		{"type":"context","content":"User has a secret","confidence":1,"quote":"Don't tell"}]`))
	found, err := m.provider(t).Detector("small-1", answering.Parameters{}).Detect(t.Context(), told, types)
	require.NoError(t, err)
	require.Equal(t, []memory.Finding{
		{Type: wire.MemoryFact, Content: "User works at a hospital", Confidence: 0.9, Start: 3, End: 23, Model: true}, // in UTF-16, the first place
		{Type: wire.MemoryContext, Content: "User has a secret", Confidence: 1, Start: 25, End: 35, Model: true},
	}, found)

	require.Len(t, m.asked(), 1)
	call := m.asked()[0]
	require.Equal(t, "/v1/chat/completions", call.path)
	require.Equal(t, "Bearer sk-test", call.header.Get("Authorization"))
	var body struct {
		Model    string
		Stream   bool
		Messages []struct{ Role, Content string }
		Format   struct {
			Type   string
			Schema struct {
				Strict bool
				Schema struct {
					Required             []string
					AdditionalProperties *bool `json:"additionalProperties"`
				}
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	require.NoError(t, json.Unmarshal([]byte(call.body), &body))
	require.Equal(t, "small-1", body.Model)
	require.False(t, body.Stream)
	require.Equal(t, "json_schema", body.Format.Type)
	require.True(t, body.Format.Schema.Strict)
	require.Equal(t, []string{"memories"}, body.Format.Schema.Schema.Required)
	require.False(t, *body.Format.Schema.Schema.AdditionalProperties)
	require.Len(t, body.Messages, 2)
	require.Equal(t, "user", body.Messages[1].Role)
	require.JSONEq(t, `{"message":"`+told+`"}`, body.Messages[1].Content, "the message is data")
	require.NotContains(t, body.Messages[0].Content, "hospital")
}

// A memory that does not have the requested form is left out, and the others stay.
func TestDetectorLeavesOutInvalidMemories(t *testing.T) {
	t.Parallel()
	const good = `{"type":"fact","content":"User works at a hospital","confidence":0.9,"quote":"I work at a hospital"}`
	tests := []struct{ name, memory string }{
		{"words that the user never wrote", `{"type":"fact","content":"User is a doctor","confidence":0.9,"quote":"I am a doctor"}`},
		{"words in another case", `{"type":"fact","content":"User works","confidence":0.9,"quote":"i work at a hospital"}`},
		{"no words", `{"type":"fact","content":"User works","confidence":0.9,"quote":""}`},
		{"a space", `{"type":"fact","content":"User works","confidence":0.9,"quote":" "}`},
		{"a confidence above 1", `{"type":"fact","content":"User works","confidence":1.5,"quote":"I work"}`},
		{"a confidence below 0", `{"type":"fact","content":"User works","confidence":-1,"quote":"I work"}`},
		{"no confidence", `{"type":"fact","content":"User works","quote":"I work"}`},
		{"no type", `{"content":"User works","confidence":0.5,"quote":"I work"}`},
		{"no content", `{"type":"fact","content":null,"confidence":0.5,"quote":"I work"}`},
		{"nothing", `{}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, lists(t, "["+test.memory+","+good+"]"))
			found, err := m.provider(t).Detector("test-1", answering.Parameters{}).Detect(t.Context(), told, types)
			require.NoError(t, err)
			require.Len(t, found, 1)
			require.Equal(t, "User works at a hospital", found[0].Content)
		})
	}
}

func TestDetectorReadsFinishReasonsByTheirMeaning(t *testing.T) {
	t.Parallel()
	for word := range strings.FieldsSeq("stop STOP eos end_turn COMPLETE made_up") {
		m := newModel(t, replies(completion(`{"role":"assistant","content":"{\"memories\":[]}"}`, word)))
		_, err := m.provider(t).Detector("test-1", answering.Parameters{}).Detect(t.Context(), told, types)
		require.NoError(t, err, word)
	}
	for word := range strings.FieldsSeq("length MAX_TOKENS SAFETY error tool_use") {
		m := newModel(t, replies(completion(`{"role":"assistant","content":"{\"memories\":[]}"}`, word)))
		_, err := m.provider(t).Detector("test-1", answering.Parameters{}).Detect(t.Context(), told, types)
		requireCode(t, wire.CodeProviderFailed, err)
	}
}

func TestDetectorFindsNothing(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]step{
		"an empty list": lists(t, `[]`),
		"a refusal":     replies(completion(`{"role":"assistant","content":null,"refusal":"I won't."}`, "stop")),
	} {
		found, err := newModel(t, step).provider(t).Detector("test-1", answering.Parameters{}).Detect(t.Context(), told, types)
		require.NoError(t, err, name)
		require.Empty(t, found, name)
	}
}

// An error is reported without a word of the message or of the model. The model is asked again only
// if another format may help.
func TestDetectorFails(t *testing.T) {
	t.Parallel()
	says := func(content, reason string) step {
		return replies(completion(`{"role":"assistant","content":`+content+`}`, reason))
	}
	tests := []struct {
		name  string
		step  step
		code  string
		calls int
	}{
		{"text", says(`"User works at a hospital"`, "stop"), wire.CodeProviderFailed, 3},
		{"JSON of another shape", says(`"[1]"`, "stop"), wire.CodeProviderFailed, 3},
		{"no list", says(`"{}"`, "stop"), wire.CodeProviderFailed, 3},
		{"a number instead of text", lists(t, `[{"type":7,"content":"User works at a hospital","confidence":0.5,"quote":"I work"}]`), wire.CodeProviderFailed, 3},
		{"text instead of a number", lists(t, `[{"type":"fact","content":"hospital","confidence":"high","quote":"I work"}]`), wire.CodeProviderFailed, 3},
		{"no text", says(`""`, "stop"), wire.CodeProviderFailed, 3},
		{"a text cut short", says(`"{\"memories\":[]}"`, "length"), wire.CodeProviderFailed, 1},
		{"a filter", says(`""`, "content_filter"), wire.CodeProviderFailed, 1},
		{"no choices", replies(`{"choices":[]}`), wire.CodeProviderFailed, 1},
		{"a page", replies(`<html>hospital</html>`), wire.CodeProviderFailed, 1},
		{"a stream", streams(first()+piece(`"hospital"`)+ends("stop")+done, closed), wire.CodeProviderFailed, 1},
		{"a connection that drops", streams(`{"choices":[`, dropped), wire.CodeProviderFailed, 1},
		{"a bad key", refuses(http.StatusUnauthorized, `{"error":{"message":"hospital"}}`), wire.CodeProviderFailed, 1},
		{"an unknown model", refuses(http.StatusNotFound, `{"error":{"message":"hospital"}}`), wire.CodeProviderFailed, 1},
		{"a request too long for the model", refuses(http.StatusBadRequest, `{"error":{"code":"context_length_exceeded"}}`), wire.CodeProviderFailed, 3},
		{"a fault of the provider", refuses(http.StatusInternalServerError, `{}`), wire.CodeProviderFailed, 1},
		{"too many requests", refuses(http.StatusTooManyRequests, `{}`), wire.CodeUnavailable, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, test.step)
			found, err := m.provider(t).Detector("test-1", answering.Parameters{}).Detect(t.Context(), told, types)
			require.Empty(t, found)
			requireCode(t, test.code, err)
			require.NotContains(t, err.Error(), "hospital")
			require.Len(t, m.asked(), test.calls)
		})
	}
}

// The timeout is for the whole call: a slow response does not prolong it.
func TestDetectorTimesOut(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]step{
		"silence": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"a trickle": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				select {
				case <-time.After(timeout / 4): // the bubble's clock
				case <-r.Context().Done():
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inMemory(t, step, func(t *testing.T, p *openai.Provider, start time.Time) {
				_, err := p.Detector("test-1", answering.Parameters{}).Detect(t.Context(), told, types)
				requireCode(t, wire.CodeProviderTimeout, err)
				require.Equal(t, timeout, time.Since(start))
			})
		})
	}
}

func TestDetectorEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	m := newModel(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	p := m.provider(t)
	for range 2 {
		_, err := p.Detector("test-1", answering.Parameters{}).Detect(ctx, told, types)
		require.ErrorIs(t, err, context.Canceled)
	}
	require.Len(t, m.asked(), 1)
}
