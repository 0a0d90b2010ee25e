package test_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// note is what a card says about its decision.
const note = `inside(card($1), "note")`

func TestConsoleUndoes(t *testing.T) {
	t.Parallel()
	p, admin, _ := withQueue(t)
	words := queued(p)
	undecided := map[string]string{short: "pending", hospital: "pending"}
	p.Click("#queue [data-memory]:first-child [data-action=approve]")
	p.Until(note+` === "Approved: sending in 10 s"`, words[0])
	p.Do(`pass(4)`)
	p.Until(note+` === "Approved: sending in 6 s"`, words[0])
	p.Click("#queue [data-memory]:first-child [data-action=undo]")
	p.Until(`card($1).dataset.state === "open" && `+note+` === ""`, words[0])
	p.Do(`pass(20)`)
	require.Equal(t, undecided, statuses(admin))

	p.Do(`card($1).focus()`, words[0])
	p.Type("r")
	p.Until(`card($1).contains(document.activeElement)`, words[1])
	p.Type("a")
	p.Until(note+` === "Approved: sending in 10 s"`, words[1])
	p.Type("u")
	p.Until(`card($1).dataset.state === "open" && card($1) === document.activeElement`, words[1])
	p.Type("u")
	p.Until(`card($1).dataset.state === "open" && find("#outcome").textContent === "Undone: " + $1`, words[0])
	p.Do(`pass(20)`)
	require.Equal(t, undecided, statuses(admin))
}

// A decision that is not sent yet stays visible in every view.
func TestConsoleKeepsWhatWaitsInSight(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t)
	tell(admin, 2, "ana", aboutAna)
	tell(admin, 3, "bob", "I have two cats.")
	p := openConsole(t, service, "")
	p.Until(`all("#queue [data-state=open]").length === 3`)
	p.Do(`card($1).querySelector("[data-action=approve]").click()`, short)
	p.Do(`location.hash = "#assistant/review?user=bob"`)
	p.Until(`all("#queue li").length === 2 && card("User has two cats") && `+note+` === "Approved: sending in 10 s"`, short)
	p.Do(`location.hash = "#assistant/memories"`)
	p.Until(`row($1) && inside(row($1), "status") === "Pending"`, short)
	p.Do(`pass(10)`)
	p.Until(`inside(row($1), "status") === "Approved"`, short)
	require.Equal(t, map[string]string{short: "approved", hospital: "pending", "User has two cats": "pending"}, statuses(admin))
}

func TestConsoleFiltersAndSortsTheQueue(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t)
	tell(admin, 1, "bob", "I have two cats.")
	tell(admin, 3, "ana", aboutAna)
	p := openConsole(t, service, "#assistant/review")
	p.Until(`all("#queue [data-state=open]").length === 3`)
	choose := func(name, value string, want ...string) {
		t.Helper()
		p.Do(`
			const field = find("#review-filters").elements[$1];
			field.value = $2;
			field.dispatchEvent(new Event("change", { bubbles: true }));`, name, value)
		p.Until(`JSON.stringify(all("#queue [data-part=content]").map((content) => content.textContent)) === JSON.stringify($1 ?? [])`, want)
	}
	choose("type", "fact", "User has two cats", hospital)
	choose("sort", "newest", hospital, "User has two cats")
	choose("user", "ana", hospital)
	p.Reload()
	p.Until(`all("#queue [data-state=open]").length === 1`)
	require.Equal(t, "#assistant/review?user=ana&type=fact&sort=newest", test.Eval[string](p, `return location.hash`))
	require.Equal(t, []string{"ana", "fact", "", "newest"}, test.Eval[[]string](p, `
		return ["user", "type", "waits_for", "sort"].map((name) => find("#review-filters").elements[name].value)`))
	choose("type", "context")
	p.Until(`find("#reviewed").innerText.includes("No waiting memory matches")`)
	p.Click("#review-filters [type=reset]")
	p.Until(`all("#queue [data-state=open]").length === 3`)
}

// The memories of a user are saved as the service returns them, all pages.
func TestConsoleExports(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t)
	tell(admin, 2, "ana", aboutAna)
	tell(admin, 3, "bob", "I have two cats.")
	p := openConsole(t, service, "#assistant/memories")
	p.Until(`all("#owners [data-memory]").length === 3`)
	p.Do(`
		const make = URL.createObjectURL;
		URL.createObjectURL = (blob) => ((globalThis.saved = blob.text()), make.call(URL, blob));
		HTMLAnchorElement.prototype.click = function () {
			globalThis.fileName = this.download;
		};`)
	p.Click("[data-user=ana] [data-action=export]")
	p.Until(`find("#outcome").textContent === "Exported: 2 memories of ana"`)
	got := test.Eval[struct {
		User     string `json:"user_id"`
		Memories []struct {
			Content string `json:"memory_content"`
			Message string `json:"triggering_message"`
		}
	}](p, `return JSON.parse(await saved)`)
	require.Equal(t, "ana", got.User)
	require.Len(t, got.Memories, 2)
	require.Equal(t, aboutAna, got.Memories[0].Message)
	require.Equal(t, "memories-assistant-ana.json", test.Eval[string](p, `return fileName`))
}
