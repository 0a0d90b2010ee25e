package anthropic_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/providertest"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
)

// Nothing that was sent is dropped without a line in the log, which has nobody's words.
func TestWhatIsNotReadIsLogged(t *testing.T) {
	t.Parallel()
	for what, part := range map[string]string{
		"an event that is not known":          providertest.MessageEvent("secret", `"secret":"secret"`),
		"a block that is not known":           providertest.MessageBlock(0, `{"type":"secret"}`),
		"a part of a block that is not known": providertest.MessageBlock(0, `{"type":"text","text":""}`, `{"type":"secret","secret":"secret"}`),
		"a part of a block that did not begin": providertest.MessageEvent("content_block_delta",
			`"index":7,"delta":{"type":"thinking_delta","thinking":"secret"}`),
		"a citation": providertest.MessageBlock(0, `{"type":"text","text":""}`,
			`{"type":"citations_delta","citation":{"cited_text":"secret"}}`),
		"data that is not JSON":                     "data: secret\n\n",
		"a call, though none may be made":           providertest.MessageCall(0, "secret", `{}`),
		"filter stopped an answer":                  providertest.MessageEvent("message_delta", `"delta":{"stop_details":{"category":"cyber"}}`),
		"a failure after the end of an answer":      providertest.MessageText(0, `"a"`) + providertest.MessageDelta("end_turn") + "event: error\ndata: {}\n\n",
		"a word that is not known, which counts as": providertest.MessageText(0, `"a"`) + providertest.MessageDelta("satisfied") + "data: [DONE]\n\n",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			stream := providertest.MessageStart() + part + providertest.MessageText(1, `"Yes."`) + providertest.MessageEnds("end_turn")
			m := providertest.NewModel(t, providertest.Streams(stream, providertest.Closed))
			var log bytes.Buffer
			p := providertest.Anthropic.At(t, upstream.Config{BaseURL: m.URL, Log: slog.New(slog.NewTextHandler(&log, nil))})
			got := providertest.Read(t, p.Answer(t.Context(), chat(says(user, "Hello?"))))
			require.NoError(t, got.Err)
			require.Contains(t, log.String(), what)
			require.NotContains(t, log.String(), "secret")
		})
	}
}

// open is a response whose body does not end.
type open string

func (o open) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Body.Close(); err != nil {
		return nil, err
	}
	body, more := io.Pipe()
	go func() {
		_, _ = io.WriteString(more, string(o))
		<-r.Context().Done()
		_ = more.CloseWithError(r.Context().Err())
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body, Request: r}, nil
}

// After a reason to stop the answer has ended when nothing of it comes for a while; after message_stop it has at once.
func TestAReasonEndsTheAnswerAfterAPause(t *testing.T) {
	text := providertest.MessageStart() + providertest.MessageText(0, `"Yes."`)
	for _, test := range []struct {
		name, stream string
		took         time.Duration
		fails        bool
	}{
		{"message_stop", text + providertest.MessageEnds("end_turn"), 0, false},
		{"only a reason", text + providertest.MessageDelta("end_turn"), upstream.DefaultLinger, false},
		{"no reason", text, upstream.DefaultTimeout, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				p := providertest.Anthropic.At(t, upstream.Config{BaseURL: "http://model", Transport: open(test.stream)})
				got := providertest.Read(t, p.Answer(t.Context(), chat(says(user, "Hello?"))))
				require.Equal(t, test.fails, got.Err != nil, "%v", got.Err)
				require.Equal(t, "Yes.", got.Text())
				require.Equal(t, test.took, time.Since(start))
				synctest.Wait()
			})
		})
	}
}

func TestLimitsOfWhatComesIn(t *testing.T) {
	t.Parallel()
	prompt := chat(says(user, "Which?"))
	prompt.Tools = append(prompt.Tools, look)
	ask := func(parts ...string) providertest.Answer {
		m := providertest.NewModel(t, providertest.Streams(providertest.MessageStart()+strings.Join(parts, "")+providertest.MessageEnds("tool_use"),
			providertest.Closed))
		return providertest.Read(t, providertest.Anthropic.At(t, upstream.Config{BaseURL: m.URL}).Answer(t.Context(), prompt))
	}
	long := providertest.Literal(strings.Repeat("ü", 40_000))
	got := ask(providertest.MessageCall(0, "c1", `{"q":"`, strings.Repeat("ü", 40_000), `"}`))
	require.NoError(t, got.Err)
	require.InDelta(t, upstream.ArgumentBytes, len(got.Calls[0].Arguments), 4)
	require.Contains(t, string(got.Last.Returned), `"input":{}`)

	var thoughts []string
	for range 20 {
		thoughts = append(thoughts, `{"type":"thinking_delta","thinking":`+long+`}`)
	}
	got = ask(providertest.MessageBlock(0, `{"type":"thinking","thinking":""}`, thoughts...), providertest.MessageCall(1, "c1", `{}`))
	require.NoError(t, got.Err)
	require.Nil(t, got.Last.Returned)

	var calls []string
	for i := range upstream.MostCalls + 1 {
		calls = append(calls, providertest.MessageCall(i, "", `{}`))
	}
	got = ask(calls[1:]...)
	require.NoError(t, got.Err)
	ids := map[string]bool{}
	for _, call := range got.Calls {
		ids[call.ID] = true
	}
	require.Len(t, ids, upstream.MostCalls)
	require.Equal(t, wire.FinishStop, got.Last.FinishReason)
	require.ErrorContains(t, ask(calls...).Err, "too many calls")
}
