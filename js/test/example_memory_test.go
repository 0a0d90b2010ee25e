package test_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// withUsed opens the chat page as a user with two approved memories, who then gets an answer with
// both in its prompt.
func withUsed(t *testing.T) (p, admin *test.Page, ids map[string]string) {
	t.Helper()
	service, admin := remembering(t)
	p = openExample(t, service)
	user := test.Eval[string](p, `return localStorage.getItem("chatsdk-demo-user")`)
	ids = tell(admin, 2, user, aboutAna)
	admin.Do(`for (const id of $1) await sdk.approveMemory(id)`, []string{ids[short], ids[hospital]})
	say(p, "What is new?")
	answered(p, 1)
	p.Until(`!find(".used").hidden`)
	return p, admin, ids
}

// used are the memories under the answer.
func used(p *test.Page) []string {
	return test.Eval[[]string](p, `return all(".used [data-part=memory]").map((memory) => memory.textContent).sort()`)
}

// The embedded agent answers from approved memories. The page does not distinguish whether an
// answer used a memory or only had it in its prompt: a model does not say.
func TestExampleAnswersFromMemories(t *testing.T) {
	t.Parallel()
	p, _, _ := withUsed(t)
	say(p, "Where do I work?")
	answered(p, 2)
	require.Contains(t, test.Eval[string](p, `return all("[data-role=assistant] [data-part=text]").at(-1).textContent`), "You work at a hospital.")
	require.Equal(t, "2 memories at hand", test.Eval[string](p, `return all(".used summary").at(-1).textContent`))
}

func TestExampleShowsWhichMemoriesAnAnswerHad(t *testing.T) {
	t.Parallel()
	p, admin, ids := withUsed(t)
	require.Equal(t, "2 memories at hand", test.Eval[string](p, `return find(".used summary").textContent`))
	p.Click(".used summary")
	p.Until(`all(".used [data-memory]").length === 2`)
	require.Equal(t, []string{short, hospital}, used(p))

	press := `[data-memory="` + ids[short] + `"] [data-action=forget]`
	p.Click(".used " + press)
	p.Until(`find("#confirm").open`)
	require.Contains(t, test.Eval[string](p, `return find("#confirm").innerText`), short)
	p.Click("#confirm [data-action=cancel]")
	p.Until(`!find("#confirm").open`)
	require.Equal(t, "approved", statuses(admin)[short])
	p.Click(".used " + press)
	p.Until(`find("#confirm").open`)
	p.Click("#confirm [data-action=confirm]")
	p.Until(`find(".used [data-state=deleted]")`)
	require.Equal(t, []string{hospital, "deleted"}, used(p))
	require.Equal(t, map[string]string{hospital: "approved"}, statuses(admin))

	admin.Do(`await sdk.deleteMemory($1)`, ids[hospital])
	p.Reload()
	answered(p, 1)
	p.Click(".used summary")
	p.Until(`all(".used [data-state=deleted]").length === 2`)
	require.Equal(t, []string{"deleted", "deleted"}, used(p))
	say(p, "And now?")
	answered(p, 2)
	require.True(t, test.Eval[bool](p, `return all(".used").at(-1).hidden`), "an answer without memories shows nothing")
}

func TestExampleLetsPeopleDeleteTheirMemories(t *testing.T) {
	t.Parallel()
	p, admin, _ := withUsed(t)
	tell(admin, 3, "somebody-else", "I have two cats.")
	p.OnAPhone()
	p.Reload()
	answered(p, 1)
	p.Click("#menu")
	p.Until(`find("#menu").ariaExpanded === "true"`)
	p.Do(`
		await Promise.all(find("#sidebar").getAnimations().map((animation) => animation.finished));
		find("#remembered").focus();`)
	p.Type(kb.Enter)
	p.Until(`all("#memories-list [data-memory]").length === 2`)
	require.ElementsMatch(t, []string{short, hospital}, test.Eval[[]string](p, `return all("#memories-list [data-part=memory]").map((memory) => memory.textContent)`))
	require.True(t, test.Eval[bool](p, `
		const { left, right, bottom } = find("#memories").getBoundingClientRect();
		return left >= 0 && right <= 360 && bottom <= 640 && document.documentElement.scrollWidth <= 360;`))
	p.Prefer("prefers-color-scheme", "dark")
	require.Empty(t, test.Eval[legibility](p, contrasts).Low)

	first := test.Eval[string](p, `return find("#memories-list [data-part=memory]").textContent`)
	p.Do(`find("#memories-list [data-action=forget]").focus()`)
	p.Type(kb.Enter)
	p.Until(`find("#confirm").open && document.activeElement.dataset.action === "cancel"`)
	p.Type(kb.Tab + kb.Enter)
	p.Until(`find("#memories-list [data-state=deleted]")`)
	require.True(t, test.Eval[bool](p, `return find("#memories").open && find("#memories-list").contains(document.activeElement)`))
	require.NotContains(t, statuses(admin), first)
	require.Len(t, statuses(admin), 2)
	p.Type(kb.Escape)
	p.Until(`!find("#memories").open`)
	require.Equal(t, "menu", test.Eval[string](p, `return document.activeElement.id`))
}
