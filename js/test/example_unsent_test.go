package test_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// A message that could not be sent is never lost: it stays, marked, when others are sent after it, and goes out when the
// user says so.
func TestExampleKeepsWhatWasNotSent(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "it takes the page offline, but not a worker")
	model := test.NewModel(t)
	service := suite.Service(t, model.Env()...)
	p := openExample(t, service)
	say(p, "first")
	answered(p, 1)
	p.Offline(true)
	say(p, "offline")
	p.Until(`find(".failure") && find("[data-unsent]")`)
	p.Offline(false)
	say(p, "next")
	answered(p, 2)
	texts := func() []string {
		return test.Eval[[]string](p, `return all("#messages article").map((article) => article.querySelector("[data-part=text]").textContent.trim() + (article.matches("[data-unsent]") ? " (unsent)" : ""))`)
	}
	require.Equal(t, []string{"first", "first", "offline (unsent)", "next", "next"}, texts())
	require.True(t, test.Eval[bool](p, `return find("[data-unsent] [data-part=unsent]").checkVisibility()`))
	p.Point("article:nth-of-type(2)")
	p.Click("article:nth-of-type(2) [data-action=regenerate]")
	answered(p, 1)
	require.Equal(t, []string{"first", "first", "offline (unsent)"}, texts(), "another version of what stands before it")
	say(p, "next")
	answered(p, 2)
	rewrite(p, "1", "uno")
	answered(p, 1)
	require.Equal(t, []string{"offline (unsent)", "uno", "uno"}, texts())
	say(p, "next")
	answered(p, 2)
	p.Click("[data-unsent] [data-action=resend]")
	answered(p, 3)
	require.Equal(t, []string{"uno", "uno", "next", "next", "offline", "offline"}, texts())
	p.Reload()
	answered(p, 3)
	require.Equal(t, []string{"uno", "uno", "next", "next", "offline", "offline"}, texts(), "the service has them in this order")
	require.Equal(t, 1, model.Calls("offline"))
}

// Safari sends the Enter that ends a word of an input method after the composition, with the key code 229.
func TestExampleSendsNoUnfinishedWord(t *testing.T) {
	t.Parallel()
	p := openExample(t, suite.Service(t, test.NewModel(t).Env()...))
	p.Click("#message")
	p.Type("nihon")
	p.Do(`
		const enter = (fields) => find("#message").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...fields }));
		if (!enter({ keyCode: 229 }) || !enter({ isComposing: true })) throw new Error("the page took the key of an input method");`)
	require.Equal(t, "nihon", test.Eval[string](p, `return find("#message").value`))
	require.False(t, test.Eval[bool](p, `return find("article") !== null`))
}
