package test_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// paced makes the model answer a question in pieces. Each piece after the first waits for its gate.
// It records how often it was asked, and when the service hung up.
type paced struct {
	gates []chan struct{}
	asked atomic.Int32
	left  chan struct{}
}

func pace(model *test.Model, question string, pieces ...string) *paced {
	a := &paced{gates: make([]chan struct{}, len(pieces)), left: make(chan struct{}, 1)}
	for i := range a.gates {
		a.gates[i] = make(chan struct{})
	}
	model.On(question, func(answer *test.Answer) {
		a.asked.Add(1)
		for i, piece := range pieces {
			if i > 0 && !answer.Wait(a.gates[i]) {
				a.left <- struct{}{}
				return
			}
			answer.Text(piece)
		}
		answer.Finish("stop")
	})
	return a
}

// shows waits until the last answer has this state and this text.
func shows(p *test.Page, state, text string) {
	p.Until(`((last) => last?.dataset.state === $1 && last.querySelector("[data-part=text]").textContent.trim() === $2)(all("[data-role=assistant]").at(-1))`, state, text)
}

// onPage is the text of the last answer in the page, with the marks under it.
func onPage(p *test.Page) string {
	return test.Eval[string](p, `
		const last = all("[data-role=assistant]").at(-1);
		return last.querySelector("[data-part=text]").textContent + "|" + last.querySelector("[data-part=mark]").innerText;`)
}

func TestExampleFollowsAnAnswerAfterAReload(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	answer := pace(model, "slow", "one ", "two ", "three")
	service := suite.Service(t, model.Env()...)
	p := openExample(t, service)
	say(p, "slow")
	shows(p, "writing", "one")
	p.Reload()
	shows(p, "writing", "one")
	close(answer.gates[1])
	shows(p, "writing", "one two")
	p.Reload()
	shows(p, "writing", "one two")
	close(answer.gates[2])
	require.Equal(t, "one two three", answered(p, 1))
	require.Equal(t, 1, test.Eval[int](p, `return all("[data-role=assistant]").length`))
	require.Equal(t, int32(1), answer.asked.Load())
	p.Until(`find("#announcer").textContent === "one two three"`)
}

func TestExampleStopsAnAnswer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		reload bool
		stop   func(p *test.Page)
	}{
		{"with the button", false, func(p *test.Page) { p.Click("#stop") }},
		{"with Escape", false, func(p *test.Page) { p.Type(kb.Escape) }},
		{"after a reload", true, func(p *test.Page) { p.Click("#stop") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			model := test.NewModel(t)
			answer := pace(model, "slow", "one ", "two")
			service := suite.Service(t, model.Env()...)
			p := openExample(t, service)
			require.True(t, test.Eval[bool](p, `return find("#stop").hidden`))
			say(p, "slow")
			shows(p, "writing", "one")
			if tt.reload {
				p.Reload()
				shows(p, "writing", "one")
			}
			tt.stop(p)
			<-answer.left
			shows(p, "stopped", "one")
			p.Until(ready + ` && find("#stop").hidden && !find(".failure")`)
			require.Equal(t, "one|Stopped.", onPage(p))
			require.Contains(t, []string{"message", "messages"}, test.Eval[string](p, `return document.activeElement.id`), "the focus is not lost")
			p.Until(`find("#announcer").textContent === "The answer was stopped."`)

			p.Reload()
			shows(p, "stopped", "one")
			require.Equal(t, "one|Stopped.", onPage(p), "the service stored the same")
		})
	}
}

// A message that never reached the service is put back.
func TestExampleStopsAMessageOnItsWay(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	gate := make(chan struct{})
	t.Cleanup(func() { close(gate) })
	service.Handle("POST /chat/create", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-gate:
		case <-r.Context().Done():
		}
	})
	p := openExample(t, service)
	say(p, "slow")
	p.Until(`find("[data-state=waiting]") && !find("#stop").hidden`)
	p.Click("#stop")
	p.Until(ready + ` && find("#message").value === "slow" && !find("article") && !find(".failure") && find(".empty")`)
}

func TestExampleRegeneratesAnAnswer(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	model.On("why?", func(a *test.Answer) { a.Text("the old").Finish("stop") })
	service := suite.Service(t, model.Env()...)
	p := openExample(t, service)
	say(p, "hello")
	answered(p, 1)
	say(p, "why?")
	require.Equal(t, "the old", answered(p, 2))
	require.Equal(t, []bool{true, true}, test.Eval[[]bool](p, `return all("[data-action=regenerate]").map((button) => button.checkVisibility())`), "any answer")
	regenerate := `article:last-of-type [data-action=regenerate]`

	gate := make(chan struct{})
	model.On("why?", func(a *test.Answer) {
		a.Wait(gate)
		a.Text("half").Cut()
	})
	p.Click(regenerate)
	p.Until(`!find("#stop").hidden && all("[data-part=status]").at(-1).textContent !== ""`)
	shows(p, "complete", "the old")
	close(gate)
	p.Until(`find(".failure") && ` + ready)
	shows(p, "complete", "the old")

	answer := pace(model, "why?", "the ", "new")
	p.Click(regenerate)
	shows(p, "writing", "the")
	p.Reload()
	shows(p, "writing", "the")
	close(answer.gates[1])
	require.Equal(t, "the new", answered(p, 2))
	p.Reload()
	require.Equal(t, "the new", answered(p, 2), "it replaces the old one")
	require.Equal(t, int32(1), answer.asked.Load())

	stopped := pace(model, "why?", "no ", "more")
	p.Click(regenerate)
	shows(p, "writing", "no")
	p.Type(kb.Escape)
	<-stopped.left
	shows(p, "stopped", "no")
	p.Reload()
	shows(p, "stopped", "no")
}

// All tabs of a chat show the same, whatever they did before.
func TestExampleInTwoTabs(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	answer := pace(model, "slow", "one ", "two ", "three")
	service := suite.Service(t, model.Env()...)
	p := openExample(t, service)
	withChats(p, service, "shared")
	p.Click(`[data-chat] a`)
	p.Until(`find("#title").textContent === "shared" && ` + ready)
	address := test.Eval[string](p, `return location.href`)
	idle := p.Tab(address, find)
	idle.Until(`find("#title").textContent === "shared" && ` + ready)

	say(p, "slow")
	shows(p, "writing", "one")
	shows(idle, "writing", "one")
	late := p.Tab(address, find)
	shows(late, "writing", "one")
	tabs := []*test.Page{p, idle, late}
	close(answer.gates[1])
	for _, tab := range tabs {
		shows(tab, "writing", "one two")
	}
	late.Click("#stop")
	<-answer.left
	for _, tab := range tabs {
		shows(tab, "stopped", "one two")
		tab.Until(ready)
		require.Equal(t, "one two|Stopped.", onPage(tab))
		require.Equal(t, 2, test.Eval[int](tab, `return all("article").length`))
	}
	require.Equal(t, int32(1), answer.asked.Load())
}

// When a user goes to another chat, the service finishes the answer. The user finds it when coming
// back.
func TestExampleLeavesAnAnswerToTheService(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	answer := pace(model, "slow", "one ", "two ", "three")
	service := suite.Service(t, model.Env()...)
	p := openExample(t, service)
	withChats(p, service, "other", "shown")
	open := func(chat, name string) {
		p.Click(`[data-chat]:nth-child(` + chat + `) a`)
		p.Until(`find("#title").textContent === $1 && find(".view:not([data-state=loading])")`, name)
	}
	open("1", "shown")
	say(p, "slow")
	shows(p, "writing", "one")
	require.Equal(t, 1, test.Eval[int](p, `return all("[data-chat][data-writing]").length`))
	open("2", "other")
	p.Until(ready + ` && !find("[data-writing]")`)
	say(p, "hello")
	require.Equal(t, "hello", answered(p, 1), "another chat can be used meanwhile")
	open("2", "shown")
	shows(p, "writing", "one")
	close(answer.gates[1])
	shows(p, "writing", "one two")
	open("1", "other")
	p.Until(ready)
	close(answer.gates[2])
	open("2", "shown")
	require.Equal(t, "one two three", answered(p, 1))
	require.Equal(t, int32(1), answer.asked.Load())
	require.Zero(t, count(service.Calls(), "POST /v3/chat/stop"))
}

// An offline page says so, keeps what arrived, and continues by itself. A message that could not be
// sent is sent again.
func TestExampleGoesOnAfterAnOutage(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "it takes the page offline, but not a worker")
	model := test.NewModel(t)
	answer := pace(model, "slow", "one ", "two")
	service := suite.Service(t, model.Env()...)
	p := openExample(t, service)
	say(p, "slow")
	shows(p, "writing", "one")
	p.Offline(true)
	service.Break()
	p.Until(`all("[data-part=status]").at(-1).textContent.startsWith("Reconnecting")`)
	p.Offline(false)
	close(answer.gates[1])
	require.Equal(t, "one two", answered(p, 1))
	require.Equal(t, int32(1), answer.asked.Load())

	p.Offline(true)
	say(p, "hello")
	p.Until(`find(".failure") || all("[data-state=complete]").length > 1`)
	require.Contains(t, test.Eval[string](p, `return find("#messages").innerText`), "No connection.")
	p.Offline(false)
	p.Click(".failure [data-action=retry]")
	require.Equal(t, "hello", answered(p, 2))
	require.Equal(t, []string{"slow", "hello"}, test.Eval[[]string](p, `return all("[data-role=user] [data-part=text]").map((question) => question.textContent)`))
}

// "Try again" regenerates an answer that the service gave up.
func TestExampleTriesAgain(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	model.On("busy", func(a *test.Answer) { a.Refuse(http.StatusServiceUnavailable) })
	service := suite.Service(t, model.Env()...)
	p := openExample(t, service)
	say(p, "busy")
	p.Until(`find(".failure")?.innerText.includes("The model is busy") && ` + ready)
	model.On("busy", func(a *test.Answer) { a.Text("free").Finish("stop") })
	p.Click(".failure [data-action=retry]")
	require.Equal(t, "free", answered(p, 1))
	p.Reload()
	require.Equal(t, "free", answered(p, 1))
	require.Equal(t, 2, test.Eval[int](p, `return all("article").length`))
	require.Len(t, strings.Fields(strings.Join(test.Eval[[]string](p, `return all("[data-role=user]").map((question) => question.innerText)`), " ")), 1)
}

// The demo tells a story without a model, so slowly that it can be reloaded and stopped in the middle.
func TestExampleTellsAStory(t *testing.T) {
	t.Parallel()
	p := openExample(t, suite.Service(t))
	says := func(state, text string) {
		p.Until(`((last) => last?.dataset.state === $1 && last.innerText.includes($2))(all("[data-role=assistant]").at(-1))`, state, text)
	}
	p.Click(`[data-action=suggest]:last-of-type`)
	says("writing", "The ferry that answered")
	p.Reload()
	says("writing", "On the northern side")
	p.Click("#stop")
	says("stopped", "The ferry that answered")
	require.NotContains(t, onPage(p), "waited for the letters")
	require.Equal(t, 2, test.Eval[int](p, `return all("article").length`))
}
