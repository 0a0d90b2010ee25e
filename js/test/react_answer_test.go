package test_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

func TestReactStopsAnAnswer(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	service := suite.Service(t, model.Env()...)
	config := service.Config(t, "ada")
	p := reactPage(t, service.Origin, config)
	chatID := newChat(p, "hello")
	show(p, map[string]any{"chatId": chatID})
	hasStatus(p, "ready")
	for _, how := range []struct{ name, begin string }{
		{"that was sent", `globalThis.sent = chat.send("slow")`},
		{"that is regenerated", `globalThis.sent = chat.regenerate()`},
	} {
		answer := pace(model, "slow", "one ", "two")
		p.Do(how.begin)
		lastIs(p, "writing", "one ")
		p.Do(`await chat.stop()`)
		<-answer.left
		lastIs(p, "stopped", "one ")
		hasStatus(p, "ready")
		require.Equal(t, "stopped one ", test.Eval[string](p, `const { finish_reason, content } = await sent; return finish_reason + " " + content`), how.name)
		require.Len(t, rows(p), 4, how.name)
	}

	answer := pace(model, "slow", "one ", "two")
	p.Do(`chat.regenerate()`)
	lastIs(p, "writing", "one ")
	p.Reload()
	startReact(p, config)
	show(p, map[string]any{"chatId": chatID})
	lastIs(p, "writing", "one ")
	p.Do(`await chat.stop(); await chat.stop()`)
	<-answer.left
	lastIs(p, "stopped", "one ")
	hasStatus(p, "ready")
	require.Equal(t, []string{"sent hello", "stop hello", "sent slow", "stopped one "}, rows(p))
	stored := historyOf(p, chatID).Messages
	require.Equal(t, []string{"one ", "stopped"}, []string{stored[3].Content, stored[3].FinishReason})
}

func TestReactRegeneratesAnAnswer(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	service := suite.Service(t, model.Env()...)
	p := reactPage(t, service.Origin, service.Config(t, "ada"))
	model.On("why?", func(a *test.Answer) { a.Text("the old").Finish("stop") })
	show(p, map[string]any{})
	hasStatus(p, "ready")
	require.Contains(t, test.Eval[string](p, `return (await kit.failure(chat.regenerate())).message`), "is not an answer")
	p.Do(`await chat.send("why?")`)
	lastIs(p, "stop", "the old")
	key := test.Eval[string](p, `return chat.messages[1].key`)

	gate := make(chan struct{})
	model.On("why?", func(a *test.Answer) {
		a.Wait(gate)
		a.Text("half").Cut()
	})
	p.Do(`globalThis.again = chat.regenerate()`)
	hasStatus(p, "submitted")
	lastIs(p, "stop", "the old")
	close(gate)
	hasStatus(p, "error")
	lastIs(p, "stop", "the old")
	require.Nil(t, test.Eval[any](p, `return again`))

	answer := pace(model, "why?", "the ", "new")
	p.Do(`globalThis.again = chat.retry()`)
	lastIs(p, "writing", "the ")
	close(answer.gates[1])
	lastIs(p, "stop", "the new")
	require.Equal(t, []any{"the new", key, 2.0}, test.Eval[[]any](p, `return [(await again).content, chat.messages[1].key, chat.messages.length]`))
	require.Equal(t, test.Eval[string](p, `return chat.messages[1].id`), historyOf(p, test.Eval[string](p, `return chat.chatId`)).Messages[1].ID)
}

// An interrupted answer is looked up at the service, and regenerated only if the service gave it up.
func TestReactGoesOnWithABrokenAnswer(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "it takes the page offline, but not a worker")
	model := test.NewModel(t)
	model.On("busy", func(a *test.Answer) { a.Text("half").Cut() })
	service := suite.Service(t, model.Env()...)
	config := service.Config(t, "ada")
	config["resumeTimeout"] = 0
	p := reactPage(t, service.Origin, config)
	show(p, map[string]any{})
	hasStatus(p, "ready")
	p.Do(`await chat.send("busy")`)
	hasStatus(p, "error")
	lastIs(p, "error", "half")
	model.On("busy", func(a *test.Answer) { a.Text("whole").Finish("stop") })
	p.Do(`await chat.retry()`)
	lastIs(p, "stop", "whole")
	require.Equal(t, []string{"sent busy", "stop whole"}, rows(p))

	answer := pace(model, "slow", "one ", "two")
	p.Do(`chat.send("slow")`)
	lastIs(p, "writing", "one ")
	p.Offline(true)
	service.Break()
	hasStatus(p, "error")
	lastIs(p, "error", "one ")
	p.Do(`await chat.retry()`)
	hasStatus(p, "error")
	lastIs(p, "error", "one ")
	p.Offline(false)
	p.Do(`void chat.retry()`)
	lastIs(p, "writing", "one ")
	close(answer.gates[1])
	lastIs(p, "stop", "one two")
	require.Equal(t, int32(1), answer.asked.Load())
}

// A component that unmounts stops nothing, not even what it sent a moment ago.
func TestReactUnmountsInMidAnswer(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	answer := pace(model, "slow", "one ", "two")
	asked := make(chan struct{})
	model.On("quick", func(a *test.Answer) { close(asked); a.Text("yes").Finish("stop") })
	service := suite.Service(t, model.Env()...)
	p := reactPage(t, service.Origin, service.Config(t, "ada"))
	chatID := newChat(p, "hello")
	show(p, map[string]any{"chatId": chatID})
	hasStatus(p, "ready")
	p.Do(`void chat.send("slow")`)
	lastIs(p, "writing", "one ")
	show(p, nil)
	p.Until(`!document.querySelector("main")`)
	close(answer.gates[1])
	show(p, map[string]any{"chatId": chatID})
	lastIs(p, "stop", "one two")
	hasStatus(p, "ready")

	p.Do(`globalThis.sent = chat.send("quick"); kit.react.show(null)`)
	<-asked
	require.Nil(t, test.Eval[any](p, `return sent`))
	show(p, map[string]any{"chatId": chatID})
	lastIs(p, "stop", "yes")
	for _, call := range service.Calls() {
		require.NotContains(t, call, "/stop")
	}
}
