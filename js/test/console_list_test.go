package test_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// showRows gives the page rows: the words of the memories in the list, sorted.
const showRows = `globalThis.rows = () => all("#owners [data-part=content]").map((content) => content.textContent).sort().join("\n")`

func TestConsoleFilters(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t)
	ids := tell(admin, 2, "ana", aboutAna)
	admin.Do(`await sdk.approveMemory($1)`, ids[hospital])
	tell(admin, 3, "bob", "I have two cats.")
	p := openConsole(t, service, "")
	p.Click("[data-view=memories]")
	p.Until(`all("#owners [data-memory]").length === 3`)
	require.Equal(t, "3 memories of 2 users", test.Eval[string](p, `return find("#count").textContent`))
	require.Equal(t, []string{"ana", "bob"}, test.Eval[[]string](p, `return all("#owners h3 [data-part=user]").map((user) => user.textContent)`))
	require.Equal(t, []string{"ana", "bob"}, test.Eval[[]string](p, `return all("#users option").map((user) => user.value)`))

	p.Do(showRows)
	choose := func(name, value string, want ...string) {
		t.Helper()
		p.Do(`
			const field = find("#filters").elements[$1];
			field.value = $2;
			field.dispatchEvent(new Event("change", { bubbles: true }));`, name, value)
		p.Until(`rows() === $1`, strings.Join(want, "\n"))
		require.Contains(t, test.Eval[string](p, `return location.hash`), name+"="+value)
	}
	choose("type", "fact", "User has two cats", hospital)
	choose("status", "approved", hospital)
	p.Reload()
	p.Until(`all("#owners [data-memory]").length === 1`)
	p.Do(showRows)
	require.Equal(t, []string{"fact", "approved"}, test.Eval[[]string](p, `return ["type", "status"].map((name) => find("#filters").elements[name].value)`))
	choose("status", "pending", "User has two cats")
	p.Do(`find("#filters").elements.user.focus()`)
	p.Type("ana" + kb.Enter)
	if test.Browser() == "webkit" {
		p.Type(kb.Enter) // the first Enter took the suggestion
	}
	p.Until(`!find("#nothing").hidden && find("#nothing").innerText.includes("Nothing matches")`)
	p.Click("#filters [type=reset]")
	p.Until(`all("#owners [data-memory]").length === 3`)
	require.Equal(t, []string{"", "", ""}, test.Eval[[]string](p, `return ["user", "type", "status"].map((name) => find("#filters").elements[name].value)`))
	p.Click("[data-stat=approved]")
	p.Until(`all("#owners [data-memory]").length === 1 && find("#filters").elements.status.value === "approved"`)
}

func TestConsoleAsksBeforeItDeletes(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t)
	tell(admin, 2, "ana", aboutAna)
	tell(admin, 3, "bob", "I have two cats.")
	p := openConsole(t, service, "#assistant/memories")
	p.Until(`all("#owners [data-memory]").length === 3`)
	press := func(words string) {
		p.Do(`row($1).querySelector("[data-action=delete]").focus()`, words)
		p.Type(kb.Enter)
		p.Until(`find("#confirm").open`)
		require.Contains(t, test.Eval[string](p, `return find("#confirm").innerText`), words)
	}
	press(short)
	p.Type(kb.Escape)
	p.Until(`!find("#confirm").open && document.activeElement === row($1).querySelector("[data-action=delete]")`, short)
	press(short)
	p.Click("#confirm [data-action=cancel]")
	p.Until(`!find("#confirm").open`)
	require.Len(t, statuses(admin), 3)

	press(short)
	p.Click("#confirm [data-action=confirm]")
	p.Until(`!row($1)`, short)
	p.Until(`row($1).contains(document.activeElement)`, hospital)
	require.NotContains(t, statuses(admin), short)
	press(hospital)
	admin.Do(`await sdk.deleteUserMemories("assistant", "ana")`)
	p.Click("#confirm [data-action=confirm]")
	// The list below moves up when it is updated.
	p.Until(`find("#outcome").textContent === "Already deleted elsewhere" && !row($1)`, hospital)

	p.Click(`[data-user=bob] [data-action=delete-all]`)
	p.Until(`find("#confirm").open`)
	require.Contains(t, test.Eval[string](p, `return find("#confirm").innerText`), "bob")
	p.Click("#confirm [data-action=confirm]")
	p.Until(`find("#outcome").textContent === "1 memory of bob deleted" && !find("#nothing").hidden`)
	require.Empty(t, statuses(admin))
}

// form returns the settings in the form.
const form = `
	const { memory_enabled, auto_approve, max_memories, memory_types } = find("#settings-form").elements;
	return {
		memory_enabled: memory_enabled.checked, auto_approve: auto_approve.checked, max_memories: max_memories.valueAsNumber,
		memory_types: [...memory_types].filter((box) => box.checked).map((box) => box.value),
	};`

// settings are the four settings of an agent.
type settings struct {
	Enabled bool     `json:"memory_enabled"`
	Auto    bool     `json:"auto_approve"`
	Max     int      `json:"max_memories"`
	Types   []string `json:"memory_types"`
}

func TestConsoleChangesSettings(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t)
	p := openConsole(t, service, "#assistant/settings")
	all := []string{"preference", "fact", "context"}
	require.Equal(t, settings{true, false, 50, all}, test.Eval[settings](p, form))
	stored := func() settings { return test.Eval[settings](admin, `return await sdk.getMemorySettings("assistant")`) }
	typeMax := func(keys string) {
		p.Do(`find("[name=max_memories]").select()`)
		p.Type(keys)
	}
	typeMax("7")
	p.Click(`#settings [value=context]`)
	p.Click(`[name=auto_approve]`)
	p.Click(`#settings-form [type=submit]`)
	p.Until(`find("#outcome").textContent === "Settings saved"`)
	require.Equal(t, settings{true, true, 7, all[:2]}, stored())

	for _, wrong := range []string{"0", "1001", "1.5", kb.Backspace} {
		typeMax(wrong + kb.Enter)
		p.Until(`find("#max-error").textContent.includes("from 1 to 1000") && find("[name=max_memories]").ariaInvalid === "true"`)
		require.Equal(t, 7, stored().Max, "nothing is changed")
		require.True(t, test.Eval[bool](p, `return document.activeElement === find("[name=max_memories]")`))
	}
	typeMax("9")
	admin.Do(`await sdk.updateMemorySettings("assistant", { autoApprove: false })`)
	p.Until(`!find("[name=auto_approve]").checked || null`)
	require.Equal(t, 9, test.Eval[settings](p, form).Max, "what is being typed stays")
	p.Click(`#settings-form [type=reset]`)
	require.Equal(t, settings{true, false, 7, all[:2]}, test.Eval[settings](p, form))
	require.Empty(t, test.Eval[string](p, `return find("#max-error").textContent`))

	// The service refuses what the form accepted.
	service.Handle("PUT /agents/assistant/memory-settings", func(w http.ResponseWriter, _ *http.Request) {
		test.Reply(w, http.StatusBadRequest, "application/json",
			`{"status_code":400,"error":{"code":"VALIDATION_ERROR","message":"memory_types is scripted","invalid_fields":["memory_types"]}}`)
	})
	p.Click(`#settings [value=fact]`)
	p.Click(`#settings-form [type=submit]`)
	p.Until(`find("#types-error").textContent.includes("memory_types is scripted")`)
	require.Equal(t, settings{true, false, 7, all[:1]}, test.Eval[settings](p, form), "what was chosen stays")
	require.True(t, test.Eval[bool](p, `return find("fieldset").contains(document.activeElement)`))
	require.Equal(t, settings{true, false, 7, all[:2]}, stored())
}

// A new user finds out what to do.
func TestConsoleWelcomes(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openConsole(t, service, "")
	require.True(t, test.Eval[bool](p, `return !find("#off").hidden && find("#reviewed [data-part=try]").hidden`))
	p.Click("#off button")
	p.Until(`find("#off").hidden && !find("#reviewed [data-part=try]").hidden`)
	require.Equal(t, "Memory is on", test.Eval[string](p, `return find("#outcome").textContent`))

	said := test.Eval[string](p, `return find("#reviewed q").textContent`)
	p.Open(test.Eval[string](p, `return find("#reviewed a").href`))
	p.Until(ready)
	say(p, said)
	answered(p, 1)
	p.Open(test.Eval[string](p, `return find("#sidebar footer a").href`))
	p.Until(`all("#queue [data-state=open]").length === 2`)
	require.ElementsMatch(t, []string{short, hospital}, queued(p))
}

func TestConsoleChoosesAnAgent(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, "AGENTS="+agentsFile(t))
	admin := signIn(t, service, "root", "admin")
	p := openConsole(t, service, "#second%2Fone/settings")
	require.Equal(t, "Settings of The second", test.Eval[string](p, `return find("#settings-title").textContent`))
	require.Equal(t, []string{"The first", "The second"}, test.Eval[[]string](p, `return [...find("#agent").options].map((option) => option.text)`))
	p.Click(`[name=memory_enabled]`)
	p.Click(`#settings-form [type=submit]`)
	p.Until(`find("#outcome").textContent === "Settings saved"`)
	require.Equal(t, []bool{false, true}, test.Eval[[]bool](admin, `
		const settings = await Promise.all(["first", "second/one"].map((agent) => sdk.getMemorySettings(agent)));
		return settings.map(({ memory_enabled }) => memory_enabled);`))
	p.Do(`
		find("#agent").value = "first";
		find("#agent").dispatchEvent(new Event("change"));`)
	p.Until(`find("#settings-title").textContent === "Settings of The first" && !find("[name=memory_enabled]").checked || null`)
}

// A browser reports a closed dialog a moment later: that is not an answer to the next question.
func TestConsoleAsksAgainAtOnce(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t)
	tell(admin, 1, "ana", "I have two cats.")
	p := openConsole(t, service, "#assistant/memories")
	p.Until(`row("User has two cats")`)
	p.Do(`
		const dialog = find("#confirm");
		const press = () => row("User has two cats").querySelector("[data-action=delete]").click();
		press();
		const closed = new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true })); // after the page's own listener
		dialog.close();
		press();
		await closed;
		dialog.querySelector("[data-action=confirm]").click();`)
	p.Until(`!row("User has two cats")`)
	require.Empty(t, statuses(admin))
}
