package test_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// A message that never reached the service is put back.
func TestReactStopsAMessageBeforeItIsSent(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := reactPage(t, service.Origin, service.Config(t, "ada"))
	show(p, map[string]any{})
	hasStatus(p, "ready")
	require.Nil(t, test.Eval[any](p, `
		const sent = chat.send("no");
		await chat.stop();
		return sent;`))
	hasStatus(p, "ready")
	require.Empty(t, rows(p))
	require.Zero(t, count(service.Calls(), "POST /v3/chat/message"))
}

// A message that was not delivered is sent again unchanged with its key.
func TestReactSendsAFailedMessageAgain(t *testing.T) {
	t.Parallel()
	keys := make(chan string, 10)
	works := func(w http.ResponseWriter, r *http.Request) {
		keys <- r.Header.Get("Idempotency-Key") + " " + r.FormValue("message")
		test.NewStream(w).Chunk("yes").Complete()
	}
	fails := func(w http.ResponseWriter, r *http.Request) {
		keys <- r.Header.Get("Idempotency-Key") + " " + r.FormValue("message")
		test.Reply(w, 503, "application/json", `{"status_code":503,"error":{"code":"UNAVAILABLE","message":"busy"}}`)
	}
	service := suite.Fake(t, fails)
	p := reactPage(t, service.Origin, service.Config())
	show(p, map[string]any{})
	hasStatus(p, "ready")
	require.Nil(t, test.Eval[any](p, `return chat.send("one")`))
	p.Until(`document.querySelector("main").dataset.error === "UNAVAILABLE"`)
	require.Equal(t, []string{"unsent one"}, rows(p))
	p.Do(`await chat.retry()`)
	hasStatus(p, "error")
	service.Play(works)
	require.Equal(t, "yes", test.Eval[string](p, `return (await chat.retry()).content`))
	hasStatus(p, "ready")
	require.Equal(t, []string{"sent one", "stop yes"}, rows(p))
	first := <-keys
	require.Equal(t, []string{first, first}, []string{<-keys, <-keys})
	require.Nil(t, test.Eval[any](p, `return chat.retry()`), "nothing failed")
	require.Empty(t, keys)

	service.Play(fails)
	p.Do(`await chat.send("two")`)
	service.Play(works)
	p.Do(`await chat.send("three", { idempotencyKey: "mine" })`)
	second := <-keys
	require.NotEqual(t, first, second)
	require.Equal(t, "mine three", <-keys)
	hasStatus(p, "ready")
	require.Equal(t, []string{"sent one", "stop yes", "unsent two", "sent three", "stop yes"}, rows(p), "nothing is lost")

	// It is sent again with its key, behind what was sent since.
	key := `chat.messages.find(({ content }) => content === "two").key`
	require.True(t, test.Eval[bool](p, `return chat.messages.find(({ content }) => content === "two").unsent`))
	service.Play(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "m1", r.FormValue("parent_id"))
		works(w, r)
	})
	p.Do(`await chat.resend(` + key + `)`)
	require.Equal(t, second, <-keys)
	require.Equal(t, []string{"sent one", "stop yes", "sent three", "stop yes", "sent two", "stop yes"}, rows(p))
	require.Regexp(t, "no message with the key .* is marked unsent", test.Eval[string](p, `return chat.resend(`+key+`).then(() => "", (error) => error.message)`))

	// A message that can't be sent may be given up.
	service.Play(fails)
	p.Do(`await chat.send("four")`)
	<-keys
	require.Contains(t, rows(p), "unsent four")
	p.Do(`chat.discard(chat.messages.at(-1).key)`)
	hasStatus(p, "ready")
	require.Len(t, rows(p), 6)
}

// A message that was not sent outlives another version of what stands before it, and giving it up disturbs no message that is on its way.
func TestReactKeepsAnUnsentMessageApart(t *testing.T) {
	t.Parallel()
	works := func(w http.ResponseWriter, _ *http.Request) { test.NewStream(w).Chunk("yes").Complete() }
	fails := func(w http.ResponseWriter, _ *http.Request) {
		test.Reply(w, 503, "application/json", `{"status_code":503,"error":{"code":"UNAVAILABLE","message":"busy"}}`)
	}
	service := suite.Fake(t, works)
	p := reactPage(t, service.Origin, service.Config())
	show(p, map[string]any{})
	hasStatus(p, "ready")
	p.Do(`await chat.send("one")`)
	service.Play(fails)
	p.Do(`await chat.send("two")`)
	p.Do(`await chat.regenerate()`)
	require.Equal(t, []string{"sent one", "stop yes", "unsent two"}, rows(p), "the old answer is back")
	service.Play(works)
	p.Do(`await chat.regenerate()`)
	require.Equal(t, []string{"sent one", "stop yes", "unsent two"}, rows(p))
	p.Do(`await chat.send("next")`)
	p.Do(`await chat.regenerate()`)
	require.Equal(t, []string{"sent one", "stop yes", "unsent two", "sent next", "stop yes"}, rows(p), "an unsent question before it stays, too")

	gate := make(chan struct{})
	service.Play(func(w http.ResponseWriter, r *http.Request) {
		<-gate
		works(w, r)
	})
	p.Do(`globalThis.three = chat.send("three")`)
	hasStatus(p, "submitted")
	p.Do(`chat.discard(chat.messages.find(({ unsent }) => unsent).key)`)
	hasStatus(p, "submitted")
	close(gate)
	p.Do(`await three`)
	require.Equal(t, []string{"sent one", "stop yes", "sent next", "stop yes", "sent three", "stop yes"}, rows(p))
}
