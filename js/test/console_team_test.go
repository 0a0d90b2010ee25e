package test_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// memoryOf is what a record says about its review.
type memoryOf struct {
	Content  string `json:"memory_content"`
	Original string `json:"original_content"`
	Status   string `json:"status"`
	By       string `json:"decided_by"`
	EditedBy string `json:"edited_by"`
	Origin   string `json:"origin"`
}

// goTo opens a view. Its link moves when the numbers beside it change, away from a mouse.
func goTo(p *test.Page, view string) { p.Do(`find("[data-view=" + $1 + "]").click()`, view) }

// records are the memories of a user, newest first.
func records(admin *test.Page, user string) []memoryOf {
	return test.Eval[[]memoryOf](admin, `return await sdk.listUserMemories("assistant", $1)`, user)
}

func TestConsoleDecidesMany(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t, "CONSOLE=1")
	ids := tell(admin, 2, "ana", aboutAna)
	tell(admin, 3, "bob", "I have two cats.")
	p := openServed(t, service, "bea", "#assistant/review")
	p.Until(`all("#queue [data-state=open]").length === 3`)
	p.Click("#pick-all")
	p.Until(`find("#picked").textContent === "3 of 3 selected"`)
	p.Click("#selection [data-action=approve]")
	p.Until(`find("#confirm").open`)
	require.Contains(t, test.Eval[string](p, `return find("#confirm").innerText`), "3 memories of 2 users.")
	p.Click("#confirm [data-action=cancel]")
	p.Do(`pass(20)`)
	require.Equal(t, "pending", statuses(admin)[short], "a cancelled question decides nothing")

	p.Click("#selection [data-action=approve]")
	p.Click("#confirm [data-action=confirm]")
	p.Until(`all("#queue [data-state=waiting]").length === 3`)
	p.Do(`card("User has two cats").querySelector("[data-action=undo]").click()`)
	admin.Do(`await sdk.rejectMemory($1)`, ids[short])
	p.Until(note+`.startsWith("Already rejected by root, ")`, short)
	p.Do(`pass(10)`)
	p.Until(`find("[data-stat=approved] b").textContent === "1"`)
	require.Equal(t, map[string]string{short: "rejected", hospital: "approved", "User has two cats": "pending"}, statuses(admin))
	by := map[string]string{}
	for _, memory := range records(admin, "ana") {
		by[memory.Content] = memory.By
	}
	require.Equal(t, map[string]string{short: "root", hospital: "bea"}, by)
}

func TestConsoleNamesWhoWasFirst(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t, "CONSOLE=1")
	tell(admin, 2, "ana", aboutAna)
	first, second := openServed(t, service, "bea", ""), openServed(t, service, "cem", "")
	for _, p := range []*test.Page{first, second} {
		p.Until(`all("#queue [data-state=open]").length === 2`)
	}
	second.Do(`globalThis.held = new Promise((resolve) => (globalThis.release = resolve))`) // it gets no updates
	first.Do(`card($1).querySelector("[data-action=approve]").click(); pass(10);`, short)
	first.Until(note+` === "Approved." || !card($1)`, short)
	first.Until(`find("[data-stat=approved] b").textContent === "1"`)
	second.Do(`card($1).querySelector("[data-action=reject]").click(); pass(10);`, short)
	second.Until(note+`.startsWith("Already approved by bea, ")`, short)
	second.Do(`release()`)
	goTo(second, "memories")
	second.Until(`row($1) && inside(row($1), "by") === "by bea"`, short)
}

func TestConsoleEditsBeforeItApproves(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t, "CONSOLE=1")
	tell(admin, 1, "ana", "I have two cats.")
	p := openServed(t, service, "bea", "")
	p.Until(`card("User has two cats")`)
	p.Type("je")
	p.Until(`document.activeElement.dataset.part === "statement" && document.activeElement.value === "User has two cats"`)
	p.Type(" and a dog")
	p.Type(kb.Escape)
	p.Until(`!find("#queue textarea").checkVisibility()`)
	p.Type("e")
	p.Until(`document.activeElement.value === "User has two cats"`)
	p.Type(kb.End + " and a dog")
	p.Click("#queue [data-action=approve]")
	p.Do(`pass(10)`)
	p.Until(`find("#outcome").textContent === "Approved: User has two cats and a dog."`)
	require.Equal(t, []memoryOf{{"User has two cats and a dog", "User has two cats", "approved", "bea", "bea", "user"}}, records(admin, "ana"))
	goTo(p, "memories")
	p.Until(`row("User has two cats and a dog")`)
	require.Regexp(t, `^Edited by bea, .*\. Before: “User has two cats”$`, test.Eval[string](p, `return inside(find("#owners [data-memory]"), "edited")`))
}

// What a newer memory of the same selection replaces is superseded, and nobody rejected it. Each edit is shown.
func TestConsoleTellsSupersededApart(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t, "CONSOLE=1")
	ids := tell(admin, 2, "ana", "I live in Paris. I have two cats.")
	tell(admin, 3, "ana", "I live in Lyon now.")
	for _, content := range []string{"User has three cats", "User has two cats"} {
		admin.Do(`await sdk.updateMemory($1, { memoryContent: $2, memoryType: "fact" })`, ids["User has two cats"], content)
	}
	p := openServed(t, service, "bea", "#assistant/review?sort=newest") // the newest wins, whatever the order of the cards
	p.Until(`all("#queue [data-state=open]").length === 3`)
	p.Click("#pick-all")
	p.Click("#selection [data-action=approve]")
	p.Until(`find("#confirm").open`)
	asked := test.Eval[string](p, `return find("#confirm").innerText`)
	require.Contains(t, asked, "Of those that contradict each other, the newest is used, and the others are superseded. These are 1:")
	require.Contains(t, asked, "“User lives in Paris” gives way to “User lives in Lyon now”")
	p.Click("#confirm [data-action=confirm]")
	p.Until(`all("#queue [data-state=waiting]").length === 3`)
	p.Do(`pass(10)`)
	p.Until(`find("#outcome").textContent === "Approved: 2 of 3 memories. 1 was superseded by a newer one of them."`)
	require.Equal(t, map[string]string{"User lives in Paris": "rejected", "User lives in Lyon now": "approved", "User has two cats": "approved"}, statuses(admin))
	p.Until(`find("[data-stat=superseded] b").textContent === "1"`)
	require.Equal(t, map[string]string{"total": "3", "approved": "2", "pending": "0", "rejected": "0", "superseded": "1", "users": "1"},
		test.Eval[map[string]string](p, `return Object.fromEntries(all("[data-stat]").map((link) => [link.dataset.stat, link.querySelector("b").textContent]))`))
	goTo(p, "memories")
	p.Until(`row("User has two cats")`)
	require.Regexp(t, `^Edited by root, .*\. Before: “User has three cats”\nEdited by root, .*\. Before: “User has two cats”$`,
		test.Eval[string](p, `return row("User has two cats").querySelector("[data-part=edited]").textContent`))
	p.Do(`find("[data-stat=superseded]").click()`)
	p.Until(`all("#owners [data-memory]").length === 1 && inside(row("User lives in Paris"), "status") === "Superseded"`)
	p.Do(`find("[data-stat=rejected]").click()`)
	p.Until(`all("#owners [data-memory]").length === 0 && find("#nothing").checkVisibility()`)
}

// What stands for every waiting memory is said once, and a card says only what it has of its own.
func TestConsoleSaysOnceWhyAllWait(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t, "CONSOLE=1")
	tell(admin, 2, "ana", aboutAna)
	p := openServed(t, service, "bea", "")
	p.Until(`all("#queue [data-state=open]").length === 2`)
	require.Equal(t, "Auto Approve is off: every memory that is found waits for a review.", test.Eval[string](p, `return find("#queue-why").textContent`))
	require.Equal(t, []string{"", ""}, test.Eval[[]string](p, `return all("#queue [data-part=waits]").map((why) => why.textContent)`))
	admin.Do(`await sdk.updateMemorySettings("assistant", { autoApprove: true })`)
	p.Until(`find("#queue-why").textContent.startsWith("A memory without a reason waits because Auto Approve was off when it was found")`)
}

// A version of the service before edits were kept has left the first text alone.
func TestConsoleShowsOlderEdits(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, "CONSOLE=1")
	service.Handle("GET /agents/assistant/memories", func(w http.ResponseWriter, _ *http.Request) {
		const memory = `"agent_id":"assistant","user_id":"ana","memory_type":"fact","confidence_score":1,"status":"approved","created_at":1,"updated_at":1,
			"approved_at":1,"origin":"user","original_content":"User has a cat","edited_by":"root","edited_at":2`
		test.Reply(w, 200, "application/json", `{"memories_by_user":{"ana":[
			{"id":"1","memory_content":"Old",`+memory+`},
			{"id":"2","memory_content":"Mixed",`+memory+`,"edits":[{"text":"User has two cats","by":"bea","at":3}]},
			{"id":"3","memory_content":"New",`+memory+`,"edits":[{"text":"User has a cat","by":"bea","at":3}]}
		]},"total_users":1,"total_memories":3,"has_more":false}`)
	})
	p := openServed(t, service, "bea", "#assistant/memories")
	p.Until(`all("#owners [data-memory]").length === 3`)
	edited := func(of string) string {
		return test.Eval[string](p, `return row($1).querySelector("[data-part=edited]").textContent`, of)
	}
	require.Regexp(t, `^Edited by root, .*\. Before: “User has a cat”$`, edited("Old"))
	require.Regexp(t, `^Edited by bea, .*\. Before: “User has two cats”\nEdited\. Before: “User has a cat”$`, edited("Mixed"))
	require.Regexp(t, `^Edited by bea, .*\. Before: “User has a cat”$`, edited("New"))
}

// When the page closes, waiting decisions are sent in requests that outlive it.
func TestConsoleSendsWaitingDecisionsWhenItCloses(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "it tests requests of a closing page")
	service, admin := remembering(t, "CONSOLE=1")
	tell(admin, 2, "ana", aboutAna)
	tell(admin, 3, "bob", "I have two cats.")
	p := openServed(t, service, "bea", "")
	p.Until(`all("#queue [data-state=open]").length === 3`)
	p.Do(`
		card($1).querySelector("[data-action=approve]").click();
		card($2).querySelector("[data-action=approve]").click();
		const other = card("User has two cats");
		other.querySelector("[data-action=edit]").click();
		other.querySelector("textarea").value = "User has three cats";
		other.querySelector("[data-action=approve]").click();`, short, hospital)
	p.Until(`all("#queue [data-state=waiting]").length === 3`)
	p.Open(service.URL + test.BlankPage)
	admin.Do(`while ((await sdk.getMemoryStats("assistant")).approved < 3);`)
	require.Equal(t, map[string]string{short: "approved", hospital: "approved", "User has three cats": "approved"}, statuses(admin))
	require.Equal(t, "bea", records(admin, "ana")[0].By)
}

func TestConsoleWritesByHand(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t, "CONSOLE=1")
	p := openServed(t, service, "bea", "#assistant/memories")
	p.Click("#add")
	p.Until(`find("#editor").open && document.activeElement.name === "user"`)
	p.Type(kb.Enter)
	p.Until(`find("#editor [data-part=error]").textContent === "Write what the agent should remember."`)
	p.Type("User has\n two cats")
	p.Click("#editor [type=submit]")
	p.Until(`find("#editor [data-part=error]").textContent.startsWith("Name the user")`)
	p.Type("ana" + kb.Enter)
	p.Until(`!find("#editor").open && row("User has two cats")`)
	require.Equal(t, []memoryOf{{"User has two cats", "", "approved", "bea", "", "administrator"}}, records(admin, "ana"))
	require.Equal(t, "written by an administrator", test.Eval[string](p, `return inside(row("User has two cats"), "origin")`))

	// The service reports an existing memory, and the typed text stays.
	p.Click("[data-user=ana] [data-action=add-to]")
	p.Type("User has two cats" + kb.Tab)
	p.Click("#editor [type=submit]")
	p.Until(`find("#editor [data-part=error]").textContent.includes("says the same")`)
	p.Click("#editor [data-action=cancel]")

	p.Click("#owners [data-action=change]")
	p.Do(`find("#editor textarea").value = "User has three cats"`)
	p.Click("#editor [type=submit]")
	p.Until(`row("User has three cats")`)
	require.Equal(t, []memoryOf{{"User has three cats", "User has two cats", "approved", "bea", "bea", "administrator"}}, records(admin, "ana"))
}

// One message is undone at once, and the memory that it replaced is used again.
func TestConsoleUndoesAMessage(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t, "CONSOLE=1")
	ids := tell(admin, 1, "ana", "I live in Paris.")
	admin.Do(`await sdk.approveMemory($1)`, ids["User lives in Paris"])
	ids = tell(admin, 3, "ana", "I live in Lyon now, and I work at a hospital.")
	admin.Do(`await sdk.approveMemory($1)`, ids["User lives in Lyon now"])
	p := openServed(t, service, "bea", "")
	p.Until(`card($1)`, hospital)
	p.Click("#queue [data-action=source]")
	p.Until(`find("#source").checkVisibility() && all("#source-list [data-memory]").length === 2 && all("#replaced-list [data-memory]").length === 1`)
	require.Equal(t, "I live in Lyon now, and I work at a hospital.", test.Eval[string](p, `return find("#source-message").textContent`))
	p.Click("#source [data-action=delete-source]")
	p.Until(`find("#confirm").open`)
	p.Click("#confirm [data-action=confirm]")
	p.Until(`all("#source-list [data-memory]").length === 0 && find("#source-text").textContent.includes("any more")`)
	p.Click("#replaced-list [data-action=restore]")
	p.Until(`find("#outcome").textContent === "Approved again: User lives in Paris"`)
	require.Equal(t, map[string]string{"User lives in Paris": "approved"}, statuses(admin))

	goTo(p, "erasures")
	p.Until(`all("#erasure-list li").length === 2`)
	require.Equal(t, []string{"A memory was deleted", "by bea", "1 memory deleted"}, test.Eval[[]string](p, `
		return ["kind", "by", "counts"].map((name) => inside(find("#erasure-list li"), name))`))
}

func TestConsoleRejectsTheWaitingMemoriesOfAMessage(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t, "CONSOLE=1")
	tell(admin, 2, "ana", aboutAna)
	p := openServed(t, service, "bea", "")
	p.Until(`card($1)`, hospital)
	p.Click("#queue [data-action=source]")
	p.Until(`all("#source-list [data-memory]").length === 2`)
	p.Click("#source [data-action=whole-chat]")
	p.Until(`find("#source-title").textContent === "Everything from this chat" && all("#source-list [data-memory]").length === 2`)
	p.Click("#source [data-action=reject-source]")
	p.Click("#confirm [data-action=confirm]")
	p.Until(`find("#outcome").textContent === "Rejected: 2 memories"`)
	require.Equal(t, map[string]string{short: "rejected", hospital: "rejected"}, statuses(admin))
}

func TestConsoleShowsWhereAMemoryWasUsed(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t, "CONSOLE=1")
	ids := tell(admin, 1, "ana", "I have two cats.")
	admin.Do(`await sdk.approveMemory($1)`, ids["User has two cats"])
	used := test.Eval[[]string](admin, `
		const headers = { "content-type": "application/json" };
		const answer = await fetch("/demo/token", { method: "POST", headers, body: JSON.stringify({ user_id: "ana" }) });
		const { access_token } = await answer.json();
		const user = new ChatSDK({ baseUrl: location.origin, projectId: "demo", accessToken: access_token });
		const { chat_id, message_id, message } = await user.sendMessage("What pets do I have?");
		return [chat_id, message_id ?? message.id];`)
	p := openServed(t, service, "bea", "#assistant/memories")
	p.Until(`row("User has two cats")`)
	p.Do(`row("User has two cats").querySelector("[data-part=answers] summary").click()`)
	p.Until(`inside(row("User has two cats"), "told") === "It was in the prompt of 1 answer:"`)
	require.Equal(t, fmt.Sprintf("message %s in chat %s", used[1], used[0]), test.Eval[string](p, `return find("[data-part=answers] li").textContent`))
}

// Long lists come in pages.
func TestConsoleShowsMore(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t, "CONSOLE=1", "WRITES_PER_MINUTE=0")
	admin.Do(`
		await sdk.updateMemorySettings("assistant", { maxMemories: 1000 });
		for (let n = 0; n < 130; n++) {
			await sdk.createMemory("assistant", "ana", { memoryContent: "User keeps the number " + n, memoryType: "fact" });
		}`)
	p := openServed(t, service, "bea", "#assistant/memories")
	p.Until(`all("#owners [data-memory]").length === 100 && find("#count").textContent === "The newest 100 memories of 1 user"`)
	p.Click("#owners-more")
	p.Until(`all("#owners [data-memory]").length === 130 && find("#owners-more").hidden && find("#count").textContent === "130 memories of 1 user"`)
	p.Do(`
		const make = URL.createObjectURL;
		URL.createObjectURL = (blob) => ((globalThis.saved = blob.text()), make.call(URL, blob));
		HTMLAnchorElement.prototype.click = () => undefined;`)
	p.Click("[data-action=export]")
	p.Until(`find("#outcome").textContent === "Exported: 130 memories of ana"`)
	require.Equal(t, 130, test.Eval[int](p, `return JSON.parse(await saved).memories.length`))
}

// narrowAgents is an agents file with one agent whose prompt has little room for memories.
func narrowAgents(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agents.yaml")
	require.NoError(t, os.WriteFile(path, []byte("agents:\n- {id: assistant, name: Assistant, window: 2048, memory: {memory_enabled: true}}\n"), 0o600))
	return path
}

func TestConsoleWarnsBeforeMemoriesNoLongerFit(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t, "CONSOLE=1", "AGENTS="+narrowAgents(t))
	write := func(n int) {
		admin.Do(`
			const memoryContent = "User keeps the number " + $1 + " " + "and more of it ".repeat(10);
			await sdk.createMemory("assistant", "ana", { memoryContent, memoryType: "fact" });`, n)
	}
	room := func() []int {
		return test.Eval[[]int](admin, `
			const { room } = await sdk.getMemoryStats("assistant", { userId: "ana" });
			return [room.used_bytes, room.room_bytes, room.left_out];`)
	}
	p := openServed(t, service, "bea", "#assistant/memories?user=ana")
	write(0)
	p.Until(`all("#owners [data-memory]").length === 1`)
	require.Empty(t, test.Eval[string](p, `return find("#owners .room").textContent`))
	n := 1
	for ; room()[0]*10 < room()[1]*9; n++ {
		write(n)
	}
	tell(admin, n+1, "ana", "I have two cats.")
	p.Until(`find("#owners .room").textContent.includes("of their room in the prompt")`)
	goTo(p, "review")
	p.Until(`card("User has two cats") && inside(card("User has two cats"), "room").includes("of their room in the prompt")`)
	for ; room()[2] == 0; n++ {
		write(n)
	}
	p.Until(`inside(card("User has two cats"), "room").startsWith("1 memory of this user no longer fits")`)
}

// Each card shows its failed decision, which can be tried again.
func TestConsoleTriesAgain(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t, "CONSOLE=1")
	tell(admin, 2, "ana", aboutAna)
	p := openServed(t, service, "bea", "")
	p.Until(`all("#queue [data-state=open]").length === 2`)
	p.Do(`
		const toService = fetch;
		globalThis.fetch = (address, options) => String(address).endsWith("/actions")
			? Promise.resolve(new Response("{}", { status: 400, headers: { "content-type": "application/json" } })) : toService(address, options);`)
	p.Click("#pick-all")
	p.Click("#selection [data-action=reject]")
	p.Click("#confirm [data-action=confirm]")
	p.Until(`all("#queue [data-state=waiting]").length === 2`)
	p.Do(`pass(10)`)
	p.Until(`all("#queue [data-part=error]").filter((error) => error.textContent.startsWith("Not rejected. ")).length === 2`)
	p.Do(`for (const button of all("#queue [data-action=again]")) button.click()`)
	p.Until(`find("[data-stat=rejected] b").textContent === "2"`)
	require.Equal(t, map[string]string{short: "rejected", hospital: "rejected"}, statuses(admin))
}

// The next person who signs in may be somebody else: nothing is sent in their name.
func TestConsoleSendsNothingForSomebodyElse(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t, "CONSOLE=1")
	tell(admin, 2, "ana", aboutAna)
	p := openServed(t, service, "bea", "")
	p.Until(`all("#queue [data-state=open]").length === 2`)
	p.Do(`card($1).querySelector("[data-action=approve]").click()`, short)
	p.Do(`
		globalThis.through = fetch;
		globalThis.fetch = async () => new Response('{"status_code":401,"error":{"code":"TOKEN_EXPIRED","message":"The token has expired"}}',
			{ status: 401, headers: { "content-type": "application/json" } });`)
	p.Until(`find("#sign-in").checkVisibility()`)
	p.Do(`fetch = through; pass(20);`)
	enter(p, adminToken(t, "cem"))
	p.Until(`card($1)?.checkVisibility() && inside(card($1), "error").startsWith("Not approved. You were signed out.")`, short)
	p.Do(`pass(20)`)
	require.Equal(t, map[string]string{short: "pending", hospital: "pending"}, statuses(admin))
}

func TestConsoleShowsWhatAMemoryIsCloseTo(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t, "CONSOLE=1")
	tell(admin, 1, "ana", "I am allergic to penicillin and nuts.")
	admin.Do(`
		const { approvals: [first] } = await sdk.listPendingMemories();
		await sdk.approveMemory(first.id);`)
	tell(admin, 2, "ana", "I am allergic to penicillin, nuts and eggs.")
	p := openServed(t, service, "bea", "#assistant/review?waits_for=close")
	p.Until(`find("#queue [data-relation=close] [data-part=there]")`)
	require.Equal(t, []string{
		"It waits because it is close to another memory, but not the same.", "User is allergic to penicillin and nuts", "eggs",
	}, test.Eval[[]string](p, `
		return ["waits", "there"].map((name) => inside(find("#queue li"), name)).concat(find("[data-part=here] mark:last-of-type").textContent)`))
	require.Regexp(t, `^Approved by root$`, test.Eval[string](p, `return inside(find("#queue .other"), "status")`))
}
