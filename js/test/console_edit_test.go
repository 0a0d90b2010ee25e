package test_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An edit only counts with an approval: a rejection rejects the original, even if the page closes
// before the decision is sent.
func TestConsoleRejectsAnEditedCard(t *testing.T) {
	t.Parallel()
	p, admin, _ := withQueue(t)
	words := queued(p)
	for i, leave := range []bool{false, true} {
		p.Do(`
			const one = card($1);
			one.querySelector("[data-action=edit]").click();
			one.querySelector("textarea").value = "User keeps bees";
			one.querySelector("[data-action=reject]").click();`, words[i])
		p.Until(note+` === "Rejected: sending in 10 s"`, words[i])
		if leave {
			p.Do(`dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))`)
		} else {
			p.Do(`pass(10)`)
			p.Until(note+` === "Rejected."`, words[i])
		}
	}
	require.Eventually(t, func() bool { return statuses(admin)[words[1]] == "rejected" }, time.Minute, 10*time.Millisecond)
	require.Equal(t, map[string]string{short: "rejected", hospital: "rejected"}, statuses(admin))

	// The same page comes back, and finds out the result.
	p.Do(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`)
	p.Until(`card($1) === undefined || card($1).dataset.state === "settled"`, words[1])
}

func TestConsoleDoesNotApproveAnEmptyStatement(t *testing.T) {
	t.Parallel()
	p, admin, _ := withQueue(t)
	words := queued(p)
	p.Do(`
		card($1).querySelector("[data-action=edit]").click();
		card($1).querySelector("textarea").value = " ";
		card($1).querySelector("[data-action=approve]").click();`, words[0])
	p.Until(`inside(card($1), "error").startsWith("The statement is empty.") && card($1).dataset.state === "open"`, words[0])
	p.Do(`pass(20)`)
	require.Equal(t, map[string]string{short: "pending", hospital: "pending"}, statuses(admin))

	p.Do(`
		card($1).querySelector("textarea").value = $2;
		card($1).querySelector("[data-action=approve]").click();`, words[0], words[1])
	p.Do(`pass(10)`)
	p.Until(`inside(card($1), "error").includes("says the same") && card($1).dataset.state === "open"`, words[0])
	p.Until(`find("#outcome").textContent.startsWith("Not approved: " + $1)`, words[0])
}
