package test_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// The README of examples/03-memory-console names the hooks that these tests use.
const consolePath = "/examples/03-memory-console/"

// find and all look for elements in the page, card and row for a memory's elements by its words.
// held is a gate for requests of the queue; while isAway is set, no request gets through. The
// console's seconds only pass when pass is called: no decision is sent while a slow test looks.
const inConsole = find + `
	const holding = (selector, text) => all(selector).find((element) => element.querySelector("[data-part=content]").textContent === text);
	globalThis.card = (text) => holding("#queue [data-memory]", text);
	globalThis.row = (text) => holding("#owners [data-memory]", text);
	globalThis.inside = (element, name) => element?.querySelector("[data-part=" + name + "]").textContent;
	const [{ now }, every] = [Date, globalThis.setInterval];
	let [later, tick] = [0, () => undefined];
	Date.now = () => now() + later * 1000;
	globalThis.setInterval = (work, time) => (time === 1000 ? ((tick = work), 0) : every(work, time));
	globalThis.pass = (seconds) => {
		later += seconds;
		tick();
	};
	const toService = globalThis.fetch;
	globalThis.fetch = async (address, options) => {
		if (globalThis.isAway) throw new TypeError("Failed to fetch");
		if (String(address).includes("/memory-approvals/pending")) await globalThis.held;
		return toService(address, options);
	};`

// openConsole opens the page that make demo serves for reviewers, at the hash.
func openConsole(t *testing.T, service *test.Service, hash string) *test.Page {
	t.Helper()
	p := suite.Page(t, service.URL+consolePath+hash, inConsole)
	p.Until(`find("#main[aria-busy=false]")`)
	return p
}

// remembering starts a service with an agent whose memory is on, and gives a page the SDK of an
// administrator.
func remembering(t *testing.T, env ...string) (*test.Service, *test.Page) {
	t.Helper()
	service := suite.Service(t, env...)
	admin := signIn(t, service, "root", "admin")
	admin.Do(`await sdk.updateMemorySettings("assistant", { memoryEnabled: true })`)
	return service, admin
}

// tell sends a user's message, and waits until the agent has this many memories. It returns their
// ids by their words.
func tell(admin *test.Page, total int, user, text string) map[string]string {
	return test.Eval[map[string]string](admin, `
		const headers = { "content-type": "application/json" };
		const answer = await fetch("/demo/token", { method: "POST", headers, body: JSON.stringify({ user_id: $2 }) });
		const { access_token } = await answer.json();
		const user = new ChatSDK({ baseUrl: location.origin, projectId: "demo", accessToken: access_token });
		await user.sendMessage($3);
		let list;
		do {
			list = await sdk.listMemories("assistant");
		} while (list.total_memories < $1);
		return Object.fromEntries(Object.values(list.memories_by_user).flat().map((m) => [m.memory_content, m.id]));`, total, user, text)
}

// statuses are the statuses of all memories by their words.
func statuses(admin *test.Page) map[string]string {
	return test.Eval[map[string]string](admin, `
		const { memories_by_user } = await sdk.listMemories("assistant");
		return Object.fromEntries(Object.values(memories_by_user).flat().map((m) => [m.memory_content, m.status]));`)
}

// queued are the words of the memories that can be decided in the console.
func queued(p *test.Page) []string {
	return test.Eval[[]string](p, `return all("#queue [data-state=open] [data-part=content]").map((content) => content.textContent)`)
}

// This message results in two memories.
const (
	aboutAna = "I prefer short answers, and I work at a hospital."
	short    = "User prefers short answers"
	hospital = "User works at a hospital"
)

// withQueue starts a service in which Ana's two memories wait, and opens the
// console.
func withQueue(t *testing.T) (p, admin *test.Page, ids map[string]string) {
	t.Helper()
	service, admin := remembering(t)
	ids = tell(admin, 2, "ana", aboutAna)
	p = openConsole(t, service, "")
	p.Until(`all("#queue [data-state=open]").length === 2`)
	return p, admin, ids
}

func TestConsoleShowsWhatWaits(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t)
	ids := tell(admin, 1, "ana", "I live in Paris.")
	admin.Do(`await sdk.approveMemory($1)`, ids["User lives in Paris"])
	tell(admin, 2, "ana", "😀 Hello! I live in Lyon now. What is on there?")
	p := openConsole(t, service, "")
	p.Until(`card("User lives in Lyon now")`)
	got := test.Eval[map[string]string](p, `
		const shown = card("User lives in Lyon now");
		const part = (name) => inside(shown, name);
		return {
			type: part("type"), sure: part("confidence"), left: part("left"), user: part("user"), message: part("message"),
			marked: shown.querySelector("mark").textContent, replaces: shown.querySelector("[data-relation=conflict] [data-part=there]").textContent,
		}`)
	require.Equal(t, map[string]string{
		"type": "fact", "sure": "90 % sure", "left": "7 days left", "user": "ana", "message": "😀 Hello! I live in Lyon now. What is on there?",
		"marked": "I live in Lyon now", "replaces": "User lives in Paris",
	}, got)
	require.Equal(t, map[string]string{"total": "2", "approved": "1", "pending": "1", "rejected": "0", "superseded": "0", "users": "1"},
		test.Eval[map[string]string](p, `return Object.fromEntries(all("[data-stat]").map((link) => [link.dataset.stat, link.querySelector("b").textContent]))`))
	require.Equal(t, "(1) Memory console", test.Eval[string](p, `return document.title`))

	p.Click("#queue [data-action=approve]")
	p.Do(`pass(10)`)
	p.Until(`find("#outcome").textContent.includes("It replaces another memory")`)
	require.Equal(t, map[string]string{"User lives in Paris": "rejected", "User lives in Lyon now": "approved"}, statuses(admin))
}

// The remaining time runs, even if nothing comes from the service.
func TestConsoleLetsTheTimeRun(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t)
	tell(admin, 1, "ana", "I have two cats.")
	p := suite.Page(t, service.URL+consolePath, inConsole)
	p.Until(`card("User has two cats")`)
	p.Do(`globalThis.held = new Promise(() => {})`)
	for _, step := range []struct {
		seconds int
		want    string
	}{{3 * 86400, "4 days left"}, {3 * 86400, "24 hours left"}, {86400 - 600, "10 minutes left"}, {600, "expired"}} {
		p.Do(`pass($1)`, step.seconds)
		p.Until(`inside(card("User has two cats"), "left") === $1`, step.want)
	}
}

func TestConsoleDecidesByKey(t *testing.T) {
	t.Parallel()
	p, admin, _ := withQueue(t)
	words := queued(p)
	p.Type("a")
	p.Until(`find("#outcome").textContent.includes("press j")`)
	require.Equal(t, map[string]string{short: "pending", hospital: "pending"}, statuses(admin), "a key decides nothing that is not in focus")

	p.Type("jj")
	p.Until(`card($1).contains(document.activeElement)`, words[1])
	p.Type("k")
	p.Until(`card($1).contains(document.activeElement)`, words[0])
	p.Type("a")
	p.Until(`card($1).contains(document.activeElement)`, words[1])
	require.Equal(t, map[string]string{short: "pending", hospital: "pending"}, statuses(admin), "nothing is sent yet")
	p.Do(`pass(10)`)
	p.Until(`find("#outcome").textContent === $1`, "Approved: "+words[0]+".")
	p.Type("r")
	p.Do(`pass(10)`)
	p.Until(`!find("#reviewed").hidden && document.activeElement === find("#review-title")`)
	require.Equal(t, map[string]string{words[0]: "approved", words[1]: "rejected"}, statuses(admin))
	p.Until(`find("#outcome").textContent === $1`, "Rejected: "+words[1]+".")
}

func TestConsoleKeysCanBeOff(t *testing.T) {
	t.Parallel()
	p, admin, _ := withQueue(t)
	p.Click("#keys-on")
	p.Reload()
	p.Until(`all("#queue [data-state=open]").length === 2`)
	p.Do(`find("#queue li").focus()`)
	p.Type("a")
	require.Empty(t, test.Eval[string](p, `return find("#outcome").textContent`))
	require.Equal(t, map[string]string{short: "pending", hospital: "pending"}, statuses(admin))
}

func TestConsoleDecidesByButton(t *testing.T) {
	t.Parallel()
	p, admin, _ := withQueue(t)
	words := queued(p)
	p.Click("#queue [data-memory]:first-child [data-action=reject]")
	p.Do(`pass(10)`)
	p.Until(`card($1)?.dataset.state === "settled"`, words[0])
	require.Equal(t, words[1:], queued(p), "what is next stays where it is, under the mouse")
	p.Until(`find("[data-stat=rejected] b").textContent === "1"`)
	require.NotNil(t, test.Eval[any](p, `return card($1) ? true : null`, words[0]), "while the mouse is near")
	p.Point("h1")
	p.Until(`!card($1) && find("[data-stat=pending] b").textContent === "1"`, words[0])
	require.Equal(t, map[string]string{words[0]: "rejected", words[1]: "pending"}, statuses(admin))
}

// Two reviewers click at once: the second is told, and nothing else happens.
func TestConsoleTellsTheSecondReviewer(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t)
	tell(admin, 2, "ana", aboutAna)
	tell(admin, 3, "bob", "I have two cats.")
	first, second := openConsole(t, service, ""), openConsole(t, service, "")
	for _, p := range []*test.Page{first, second} {
		p.Until(`all("#queue [data-state=open]").length === 3`)
		p.Type("j")
	}
	words := queued(second)
	second.Do(`globalThis.held = new Promise((resolve) => (globalThis.release = resolve))`) // it gets no updates
	first.Type("a")
	first.Do(`pass(10)`)
	first.Until(`card($1).contains(document.activeElement)`, words[1])
	second.Type("r")
	second.Do(`pass(10)`)
	second.Until(`inside(card($1), "note").startsWith("Already approved")`, words[0])
	second.Until(`find("#outcome").textContent.includes("Already approved")`)
	require.True(t, test.Eval[bool](second, `return find("#notice").hidden && card($1).contains(document.activeElement)`, words[1]), "calmly")
	require.Equal(t, "approved", statuses(admin)[words[0]])
	second.Do(`release()`)
	second.Do(`pass(10)`)
	second.Until(`!card($1)`, words[0])
	require.Equal(t, words[1:], queued(second))

	admin.Do(`await sdk.deleteMemory((await sdk.listPendingMemories()).approvals.at(-1).id)`)
	second.Until(`inside(card($1), "note") === "Already deleted elsewhere."`, words[1])
	require.True(t, test.Eval[bool](second, `return card($1).contains(document.activeElement)`, words[1]), "a key pressed now decides nothing else")
}

func TestConsoleShowsWhatOthersDo(t *testing.T) {
	t.Parallel()
	p, admin, ids := withQueue(t)
	words := queued(p)
	p.Do(`
		card($1).kept = true;
		card($1).querySelector("[data-action=reject]").focus();`, words[0])
	tell(admin, 3, "bob", "I have two cats.")
	p.Until(`card("User has two cats")`)
	require.Equal(t, append(words, "User has two cats"), queued(p), "what comes in moves nothing")
	admin.Do(`await sdk.approveMemory($1)`, ids[words[1]])
	p.Until(`!card($1) && find("[data-stat=approved] b").textContent === "1"`, words[1])
	require.True(t, test.Eval[bool](p, `return card($1).kept && document.activeElement === card($1).querySelector("[data-action=reject]")`, words[0]))

	p.Click("[data-view=memories]")
	p.Until(`row($1) && inside(row($1), "status") === "Approved"`, words[1])
	p.Do(`
		row($1).kept = true;
		row($1).querySelector("summary").focus();
		row($1).querySelector("details").open = true;`, words[0])
	admin.Do(`await sdk.rejectMemory($1)`, ids[words[0]])
	p.Until(`inside(row($1), "status") + " " + inside(row($1), "by") === "Rejected by root"`, words[0])
	require.True(t, test.Eval[bool](p, `
		return row($1).kept && row($1).querySelector("details").open && document.activeElement === row($1).querySelector("summary")`, words[0]))
}

// The figures and the settings have the names of the document.
func TestConsoleNamesFiguresAndSettings(t *testing.T) {
	t.Parallel()
	p := openConsole(t, suite.Service(t), "")
	p.Until(`find("[data-stat=total] b").textContent !== ""`)
	require.Equal(t, []string{"Total", "Approved", "Pending", "Users"}, test.Eval[[]string](p, `
		return ["total", "approved", "pending", "users"].map((stat) => find("[data-stat=" + stat + "] span").textContent);`))
	require.Equal(t, []string{"Enable Memory", "Auto Approve", "Max Memories, per user", "Memory Types"}, test.Eval[[]string](p, `
		const labels = ["memory_enabled", "auto_approve", "max_memories"].map((name) => find("[name=" + name + "]").closest("label"));
		return [...labels, ...all("legend").filter((legend) => legend.textContent.startsWith("Memory"))].map((name) => name.textContent.trim());`))
}
