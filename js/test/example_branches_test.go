package test_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// conversation is what is shown: each message with its place among its versions, "2 of 3 text".
func conversation(p *test.Page) []string {
	return test.Eval[[]string](p, `return all("article").map((article) => {
		const place = article.querySelector(".branches");
		return (place.hidden ? "" : place.innerText.trim() + " ") + article.querySelector("[data-part=text]").textContent;
	})`)
}

// converses waits until these messages are shown and a message can be sent.
func converses(p *test.Page, want ...string) {
	p.Until(`JSON.stringify(all("article").map((article) => {
		const place = article.querySelector(".branches");
		return (place.hidden ? "" : place.innerText.trim() + " ") + article.querySelector("[data-part=text]").textContent;
	})) === JSON.stringify($1) && `+ready, want)
}

// rewrite edits the n-th visible message, a question, from 1.
func rewrite(p *test.Page, n, text string) {
	p.Point("article:nth-of-type(" + n + ")")
	p.Click("article:nth-of-type(" + n + ") [data-action=edit]")
	p.Until(`document.activeElement.closest(".editor")`)
	p.Do(`document.activeElement.value = ""`)
	p.Type(text + kb.Enter)
}

func arrow(p *test.Page, n, action string) {
	p.Click("article:nth-of-type(" + n + ") [data-action=" + action + "]")
}

func TestExampleEditsAQuestion(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := openExample(t, service)
	say(p, "one")
	answered(p, 1)
	say(p, "two")
	answered(p, 2)
	rewrite(p, "1", "uno")
	converses(p, "2 of 2 uno", "uno")
	say(p, "due")
	converses(p, "2 of 2 uno", "uno", "due", "due")
	arrow(p, "1", "before")
	converses(p, "1 of 2 one", "one", "two", "two")
	require.True(t, test.Eval[bool](p, `return document.activeElement === find("[data-action=after]")`), "the focus stays at the arrows")
	rewrite(p, "3", "zwei")
	converses(p, "1 of 2 one", "one", "2 of 2 zwei", "zwei")
	p.Reload()
	converses(p, "1 of 2 one", "one", "2 of 2 zwei", "zwei")
	arrow(p, "1", "after")
	converses(p, "2 of 2 uno", "uno", "due", "due")
	p.Reload()
	converses(p, "2 of 2 uno", "uno", "due", "due")
}

func TestExampleEditsWithoutAMouse(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := openExample(t, service)
	say(p, "one")
	answered(p, 1)
	press := func(selector, key string) {
		p.Do(`find($1).focus()`, selector)
		p.Type(key)
	}
	press("[data-action=edit]", kb.Enter)
	p.Until(`document.activeElement.closest(".editor")`)
	p.Type(" more" + kb.Escape)
	p.Until(`!find(".editor") && document.activeElement === find("[data-action=edit]")`)
	require.Equal(t, []string{"one", "one"}, conversation(p))
	press("[data-action=edit]", kb.Enter)
	p.Until(`document.activeElement.value === "one"`)
	p.Type(" more" + kb.Enter)
	converses(p, "2 of 2 one more", "one more")
	press("[data-role=user] [data-action=before]", kb.Enter)
	converses(p, "1 of 2 one", "one")
	p.Type(kb.ArrowRight)
	converses(p, "2 of 2 one more", "one more")
	p.Type(kb.ArrowLeft)
	converses(p, "1 of 2 one", "one")
	press("[data-action=regenerate]", kb.Enter)
	converses(p, "1 of 2 one", "2 of 2 one")
}

// The messages after an answer stay until a newer version of it begins, and come back if that
// fails.
func TestExampleRegeneratesAnyAnswer(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	service := suite.Service(t, model.Env()...)
	p := openExample(t, service)
	say(p, "one")
	answered(p, 1)
	say(p, "two")
	answered(p, 2)
	regenerate := func() {
		p.Point("article:nth-of-type(2)")
		p.Click("article:nth-of-type(2) [data-action=regenerate]")
	}
	gate := make(chan struct{})
	model.On("one", func(a *test.Answer) {
		a.Wait(gate)
		a.Text("half").Cut()
	})
	regenerate()
	p.Until(`!find("#stop").hidden && all("[data-part=status]")[0].textContent !== ""`)
	require.Equal(t, []string{"one", "one", "two", "two"}, conversation(p))
	close(gate)
	p.Until(`find(".failure") && ` + ready)
	require.Equal(t, []string{"one", "one", "two", "two"}, conversation(p))

	answer := pace(model, "one", "ein", "s")
	regenerate()
	shows(p, "writing", "ein")
	require.Equal(t, []string{"one", "2 of 2 ein"}, conversation(p))
	close(answer.gates[1])
	converses(p, "one", "2 of 2 eins")
	p.Reload()
	converses(p, "one", "3 of 3 eins") // one of them failed
	arrow(p, "2", "before")
	converses(p, "one", "2 of 3 half")
	arrow(p, "2", "before")
	converses(p, "one", "1 of 3 one", "two", "two")

	quiet := pace(model, "one", "", "")
	regenerate()
	require.Eventually(t, func() bool { return quiet.asked.Load() == 1 }, time.Minute, time.Millisecond)
	p.Click("#stop")
	converses(p, "one", "1 of 3 one", "two", "two")
	require.Nil(t, test.Eval[any](p, `return find(".failure")`), "it was stopped before its first word")
}

// An answer on a branch that the user leaves continues, and is followed when the user comes back.
func TestExampleLeavesABranchThatIsBeingWritten(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	answer := pace(model, "slow", "a ", "b ", "c")
	service := suite.Service(t, model.Env()...)
	p := openExample(t, service)
	say(p, "one")
	answered(p, 1)
	rewrite(p, "1", "slow")
	shows(p, "writing", "a")
	arrow(p, "1", "before")
	converses(p, "1 of 2 one", "one")
	close(answer.gates[1])
	say(p, "two")
	converses(p, "1 of 2 one", "one", "two", "two")
	arrow(p, "1", "after")
	shows(p, "writing", "a b")
	close(answer.gates[2])
	converses(p, "2 of 2 slow", "a b c")
	require.Equal(t, int32(1), answer.asked.Load())
	require.Zero(t, count(service.Calls(), "POST /v3/chat/stop"))
}

// Two tabs that edit one question at the same time lose nothing, and a question goes to the branch
// that its user reads.
func TestExampleBranchesInTwoTabs(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	left, right := pace(model, "left", "l", "eft"), pace(model, "right", "r", "ight")
	service := suite.Service(t, model.Env()...)
	p := openExample(t, service)
	say(p, "one")
	answered(p, 1)
	other := p.Tab(test.Eval[string](p, `return location.href`), find)
	converses(other, "one", "one")
	p.Point("article")
	p.Click("[data-action=edit]")
	other.Point("article")
	other.Click("[data-action=edit]")
	for tab, text := range map[*test.Page]string{p: "left", other: "right"} {
		tab.Do(`document.activeElement.value = ""`)
		tab.Type(text + kb.Enter)
	}
	shows(p, "writing", "l")
	shows(other, "writing", "r")
	close(left.gates[1])
	close(right.gates[1])
	p.Until(`all("[data-role=assistant][data-state=complete]").length === 1 && ` + ready)
	other.Until(`all("[data-role=assistant][data-state=complete]").length === 1 && ` + ready)
	say(p, "goes on")
	p.Until(`all("[data-role=assistant][data-state=complete]").length === 2 && ` + ready)
	got := conversation(p)
	require.Equal(t, []string{"left", "goes on", "goes on"}, got[1:])
	require.Regexp(t, `^\d of \d left$`, got[0])

	p.Reload()
	p.Until(`all("article").length === 4 && ` + ready)
	require.Regexp(t, `^[23] of 3 left$`, conversation(p)[0])
	var seen []string
	for range 2 {
		arrow(p, "1", "before")
		p.Until(`find(".view").dataset.state === "ready"`)
		seen = append(seen, conversation(p)[1])
		if test.Eval[bool](p, `return find("[data-action=before]").disabled`) {
			break
		}
	}
	require.Contains(t, seen, "one")
}

// An edited question that was not delivered is sent again, or edited further.
func TestExampleKeepsAnEditThatWasNotSent(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "it takes the page offline, but not a worker")
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := openExample(t, service)
	say(p, "one")
	answered(p, 1)
	say(p, "two")
	answered(p, 2)
	p.Offline(true)
	rewrite(p, "1", "uno")
	p.Until(`find(".failure [data-action=edit]")`)
	require.Equal(t, []string{"uno"}, conversation(p))
	p.Click(".failure [data-action=edit]")
	p.Until(`document.activeElement.closest(".editor") && document.activeElement.value === "uno"`)
	require.Equal(t, []string{"one", "one", "two", "two"}, conversation(p), "what was there is shown again")
	p.Type("!" + kb.Enter)
	p.Until(`find(".failure [data-action=retry]")`)
	p.Offline(false)
	p.Click(".failure [data-action=retry]")
	converses(p, "2 of 2 uno!", "uno!")
}
