package gemini_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/gemini"
	"github.com/chatsdk/chatsdk/service/internal/agent/providertest"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// provider returns a provider that asks m below a path.
func provider(t *testing.T, m *providertest.Model, path string, adjust ...func(*gemini.Config)) providertest.Provider {
	t.Helper()
	config := gemini.Config{BaseURL: m.URL + path}
	for _, change := range adjust {
		change(&config)
	}
	return providertest.Gemini.At(t, config)
}

type noFiles struct{}

func (noFiles) WriteImage(context.Context, io.Writer, images.Image) error {
	return io.ErrUnexpectedEOF
}

// withTool is a question that look may answer.
func withTool() answering.Prompt {
	asked := providertest.Question("Hello?")
	asked.Tools = []answering.PromptTool{{Name: "look", Parameters: wire.JSON(`{"type":"object","properties":{"q":{"type":"string"}}}`)}}
	return asked
}

func read(t *testing.T, asked answering.Prompt, stream string, adjust ...func(*gemini.Config)) providertest.Answer {
	t.Helper()
	m := providertest.NewModel(t, providertest.Streams(stream, providertest.Closed))
	return providertest.Read(t, provider(t, m, "", adjust...).Answer(t.Context(), asked))
}

// All that is not text or a thought alone goes back as it came, in its order, also members that nobody knows.
func TestWhatAModelWantsBackIsKeptWhole(t *testing.T) {
	t.Parallel()
	got := read(t, withTool(), providertest.GeminiParts(`{"text":"Hm.","thought":true}`, `{"text":"So.","thought":true,"thoughtSignature":"dDE="}`)+
		providertest.GeminiParts(`{"text":"Let me "}`)+providertest.GeminiParts(`{"text":"see."}`, `{"text":"!","thoughtSignature":"dDI="}`)+
		providertest.GeminiParts(`{"toolCall":{"id":"x","new":[1]}}`)+
		providertest.GeminiEnds("STOP", `{"functionCall":{"id":"f1","name":"look","args":{"q":"a"},"new":1},"thoughtSignature":"dDM=","newer":{"a":null}}`))
	require.NoError(t, got.Err)
	require.Equal(t, "Let me see.!", got.Text())
	require.Equal(t, "Hm.So.", got.Reasoning)
	require.JSONEq(t, `[{"text":"So.","thought":true,"thoughtSignature":"dDE="},{"text":"Let me see."},{"text":"!","thoughtSignature":"dDI="},
		{"toolCall":{"id":"x","new":[1]}},
		{"functionCall":{"id":"f1","name":"look","args":{"q":"a"},"new":1},"thoughtSignature":"dDM=","newer":{"a":null}}]`, string(got.Last.Returned))

	asked := withTool()
	asked.Rounds = []answering.Round{{Text: got.Text(), Returned: got.Last.Returned,
		Calls: []answering.RoundCall{{ModelCall: got.Calls[0], Outcome: `{"status":"done"}`}}}}
	require.JSONEq(t, `[{"role":"user","parts":[{"text":"Hello?"}]},{"role":"model","parts":`+string(got.Last.Returned)+`},
		{"role":"user","parts":[{"functionResponse":{"id":"f1","name":"look","response":{"status":"done"}}}]}]`, member(t, sent(t, asked, ""), "contents"))
}

// Without a call no round follows, and what is too large is not kept: the calls stay.
func TestWhatIsNotKept(t *testing.T) {
	t.Parallel()
	got := read(t, providertest.Question("Hello?"), providertest.GeminiEnds("STOP", `{"text":"Good","thoughtSignature":"c2ln"}`))
	require.Nil(t, got.Last.Returned)

	var log bytes.Buffer
	large := strings.Repeat("A", upstream.ReturnedBytes)
	got = read(t, withTool(), providertest.GeminiEnds("STOP", `{"functionCall":{"name":"look"},"thoughtSignature":"`+large+`"}`), logTo(&log))
	require.NoError(t, got.Err)
	require.Len(t, got.Calls, 1)
	require.Nil(t, got.Last.Returned)
	require.Contains(t, log.String(), "because it is too large")
}

func TestCallsHaveLimits(t *testing.T) {
	t.Parallel()
	one := `{"functionCall":{"name":"look","args":{"q":"` + strings.Repeat("x", upstream.ArgumentBytes) + `"}}}`
	got := read(t, withTool(), providertest.GeminiEnds("STOP", one))
	require.NoError(t, got.Err)
	require.Len(t, got.Calls[0].Arguments, upstream.ArgumentBytes+1)

	many := strings.TrimSuffix(strings.Repeat(`{"functionCall":{"name":"look"}},`, upstream.MostCalls+1), ",")
	require.ErrorContains(t, read(t, withTool(), providertest.GeminiEnds("STOP", many)).Err, "too many calls")
}

// Calls of one answer have ids of their own, also where the model repeats one.
func TestIdsOfCallsAreUnique(t *testing.T) {
	t.Parallel()
	asked := withTool()
	asked.Rounds = []answering.Round{{Calls: []answering.RoundCall{call("look", "{}")}}}
	got := read(t, asked, providertest.GeminiEnds("STOP", `{"functionCall":{"name":"look"}}`, `{"functionCall":{"id":"f","name":"look"}}`,
		`{"functionCall":{"id":"f","name":"look"}}`))
	require.NoError(t, got.Err)
	for i, want := range []string{"call00001", "f", "call00003"} {
		require.Equal(t, want, got.Calls[i].ID)
	}
}

func logTo(log *bytes.Buffer) func(*gemini.Config) {
	return func(c *gemini.Config) { c.Log = slog.New(slog.NewTextHandler(log, nil)) }
}

// Nothing that was sent is dropped without a line in the log, which has nobody's words.
func TestWhatIsNotReadIsLogged(t *testing.T) {
	t.Parallel()
	for what, stream := range map[string]string{
		"the grounding of an answer":     providertest.GeminiEvent(`"candidates":[{"groundingMetadata":{"webSearchQueries":["secret"]}}]`),
		"citations":                      providertest.GeminiEvent(`"candidates":[{"citationMetadata":{"citationSources":[{"uri":"secret"}]}}]`),
		"a candidate beside the first":   providertest.GeminiEvent(`"candidates":[{"index":1,"content":{"parts":[{"text":"secret"}]}}]`),
		"a part that is not known":       providertest.GeminiParts(`{"executableCode":{"code":"secret"}}`),
		"a file that is no image":        providertest.GeminiParts(`{"inlineData":{"mimeType":"secret","data":"c2VjcmV0"}}`),
		"an image of a thought":          providertest.GeminiParts(`{"thought":true,"inlineData":{"mimeType":"image/png","data":"c2VjcmV0"}}`),
		"data that is not JSON":          "data: secret\n\n",
		"a call, though none may be":     providertest.GeminiParts(`{"functionCall":{"name":"secret"}}`),
		"a failure after the end of an ": providertest.GeminiEnds("STOP") + "data: {\"error\":{\"code\":500,\"message\":\"'a quotation of secret words'\"}}\n\n",
	} {
		var log bytes.Buffer
		stream = providertest.GeminiParts(`{"text":"Good answer"}`) + stream + providertest.GeminiEnds("STOP")
		got := read(t, providertest.Question("Hello?"), stream, logTo(&log))
		require.NoError(t, got.Err, what)
		require.Equal(t, "Good answer", got.Text(), what)
		require.Contains(t, log.String(), what)
		require.NotContains(t, log.String(), "secret")
	}
}

// Google says beside the sentence when to try again. A time that may be waited is, and a longer one is told the caller.
func TestTheDelayOfARetryCountsAsRetryAfter(t *testing.T) {
	t.Parallel()
	refuse := func(delay string) providertest.Step {
		return providertest.Refuses(429, `{"error":{"code":429,"message":"Quota exceeded.","status":"RESOURCE_EXHAUSTED","details":[1,{"violations":[2]},
			{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"`+delay+`"}]}}`)
	}
	var pauses []time.Duration
	config := upstream.Config{Random: func() float64 { return 0 }, Pause: func(_ context.Context, d time.Duration) error {
		pauses = append(pauses, d)
		return nil
	}}
	m := providertest.NewModel(t, refuse("2.5s"), yes)
	config.BaseURL = m.URL
	p, err := gemini.New(config)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	require.NoError(t, providertest.Read(t, p.Answer(t.Context(), providertest.Question("Hello?"))).Err)
	require.Equal(t, []time.Duration{2750 * time.Millisecond}, pauses)

	for delay, want := range map[string]time.Duration{"34.5s": 34500 * time.Millisecond, "-1s": 0, "soon": 0, "99h": 24 * time.Hour} {
		m := providertest.NewModel(t, refuse(delay))
		var failure *fault.Error
		require.ErrorAs(t, providertest.Read(t, provider(t, m, "").Answer(t.Context(), providertest.Question("Hello?"))).Err, &failure)
		require.Equal(t, wire.CodeUnavailable, failure.Code)
		require.Equal(t, want, failure.RetryAfter, delay)
	}
}
