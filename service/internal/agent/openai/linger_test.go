package openai_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
)

// After a finish reason the answer has ended when nothing of it comes for a while.
func TestAReasonEndsTheAnswerAfterAPause(t *testing.T) {
	const usage = "data: {\"choices\":[],\"usage\":{\"total_tokens\":9}}\n\n"
	tests := []struct {
		name  string
		wait  time.Duration
		texts []string
		text  string
		fails bool
		took  time.Duration
	}{
		{"nothing follows", 0, []string{piece(`"Good answer"`), ends("stop")}, "Good answer", false, upstream.DefaultLinger},
		{"signs of life do not count", time.Second, []string{piece(`"Good answer"`), ends("stop"), ": alive\n\n", ": alive\n\n"}, "Good answer", false,
			4 * time.Second},
		{"usage follows", 1500 * time.Millisecond, []string{piece(`"Good answer"`), ends("stop"), usage}, "Good answer", false, 6500 * time.Millisecond},
		{"[DONE] follows at once", 0, []string{piece(`"Good answer"`), ends("stop"), done}, "Good answer", false, 0},
		{"text and its own reason follow", 1500 * time.Millisecond, []string{piece(`"Good "`), ends("stop"), piece(`"answer"`), ends("stop"), done},
			"Good answer", false, 7500 * time.Millisecond},
		{"text follows, and then nothing", 0, []string{piece(`"Good "`), ends("stop"), piece(`"answer"`)}, "Good answer", true, timeout},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inMemory(t, slowly(test.wait, test.texts...), func(t *testing.T, p *openai.Provider, start time.Time) {
				got := read(t, p.Answer(t.Context(), question("Hello?")))
				require.Equal(t, test.text, got.text())
				require.Equal(t, test.fails, got.err != nil, "%v", got.err)
				require.Equal(t, test.took, time.Since(start))
			})
		})
	}
}

func TestWhatFollowsAReasonNeedsAnEndOfItsOwn(t *testing.T) {
	t.Parallel()
	start := piece(`"Good "`) + ends("stop") + piece(`"answer"`)
	for name, stream := range map[string]string{"a reason": start + ends("stop"), "[DONE]": start + done} {
		got := newModel(t, streams(stream, closed)).ask(t)
		require.NoError(t, got.err, name)
		require.Equal(t, "Good answer", got.text(), name)
	}
	for _, end := range []ending{closed, dropped} {
		got := newModel(t, streams(start, end)).ask(t)
		requireCode(t, wire.CodeProviderFailed, got.err)
		require.Equal(t, "Good answer", got.text())
	}
}

func TestAFailureStaysWhateverFollows(t *testing.T) {
	t.Parallel()
	got := newModel(t, says(piece(`"So far"`), ends("content_filter"), ends("stop"))).ask(t)
	requireCode(t, wire.CodeProviderFailed, got.err)
	got = newModel(t, says(piece(`"So far"`), ends("length"), ends("stop"))).ask(t)
	require.NoError(t, got.err)
	require.Equal(t, wire.FinishLength, got.finish)
}

// Nothing that was sent is dropped without a line in the log, which has nobody's words.
func TestWhatIsNotReadIsLogged(t *testing.T) {
	t.Parallel()
	for what, stream := range map[string]string{
		"a choice beside the first":      "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"secret\"}}]}\n\n",
		"data that is not JSON":          "data: secret\n\n",
		"content that is not text":       piece(`[{"type":"image_url","image_url":{"url":"secret"}}]`),
		"a call, though none may be":     parts(head(0, "c1", "secret", "{}")),
		"reasoning that has no":          piece(`"\n</think>\n"`),
		"a failure after the end of an ": ends("stop") + "data: {\"error\":{\"message\":\"'a longer quotation of secret words'\"}}\n\n",
	} {
		got, log := logged(t, piece(`"Good answer"`)+stream+ends("stop")+done)
		require.NoError(t, got.err, what)
		require.Contains(t, got.text(), "Good answer", what)
		require.Contains(t, log, what)
		require.NotContains(t, log, "secret")
	}
}

func TestAnEmptyAnswerIsAskedForOnceMore(t *testing.T) {
	t.Parallel()
	for name, empty := range map[string]string{
		"no text": first() + ends("stop"), "blanks": piece(`"\n "`) + ends("stop"), "reasoning alone": piece(`"<think>hm</think>"`) + ends("stop"),
		"reasoning that does not end": piece(`"<think>hm"`) + ends("length"), "an unknown word": first() + ends("made_up"), "no call": first() + ends("tool_calls"),
	} {
		m := newModel(t, says(empty), says(piece(`"Good answer"`), ends("stop")))
		got := m.ask(t)
		require.NoError(t, got.err, name)
		require.Equal(t, "Good answer", got.text(), name)
		require.Len(t, m.asked(), 2, name)

		m = newModel(t, says(empty))
		requireCode(t, wire.CodeProviderFailed, m.ask(t).err)
		require.Len(t, m.asked(), 2, name)
	}
}

// A model that has spoken before its calls may say nothing after them.
func TestSilenceAfterCallsIsAnEndIfTheAnswerHasText(t *testing.T) {
	t.Parallel()
	m := newModel(t, says(first(), ends("stop")))
	said := withTools(round("I do it now.", outcome("c1", "order", "{}", "done")))
	got := read(t, m.provider(t).Answer(t.Context(), said))
	require.NoError(t, got.err)
	require.Len(t, m.asked(), 1)
}
