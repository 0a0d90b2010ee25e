package crash_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// tally counts the results of a story.
type tally struct {
	kinds                                   map[event]*count
	told, unanswered, done                  int
	messages, excused, memories, superseded int
	gone                                    int
}

// count counts the kills after one kind of event, and how many of them happened while a job, a
// decision, or either was open.
type count struct{ kills, job, decision, either int }

func (t *tally) add(after event, jobs, decisions int) {
	c := t.kinds[after]
	if c == nil {
		c = &count{}
		t.kinds[after] = c
	}
	c.kills++
	c.job += min(jobs, 1)
	c.decision += min(decisions, 1)
	c.either += min(jobs+decisions, 1)
}

// count counts the decisions since the last check: those that were answered, those that were not, and
// how many of the unanswered ones were carried out.
func (t *tally) count(l *ledger, listed map[string]wire.Memory) {
	for _, d := range l.decisions {
		now, there := listed[d.memory.ID]
		switch {
		case d.status == http.StatusOK:
			t.told++
		case d.status == 0 && d.sent:
			t.unanswered++
			if !there || now.Status != wire.MemoryPending {
				t.done++
			}
		}
	}
}

// close counts what is stored at the end.
func (t *tally) close(l *ledger) {
	t.messages, t.memories, t.gone = len(l.messages), len(l.lastListed), len(l.gone)
	for _, m := range l.messages {
		if m.excused && !m.settled {
			t.excused++
		}
	}
	for _, memory := range l.lastListed {
		if memory.RejectReason == wire.RejectedSuperseded {
			t.superseded++
		}
	}
}

// report logs the tallies. It returns the number of kills, and how many of them came while a job or a
// decision was open.
func report(t *testing.T, tallies []*tally) (kills, open int) {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "variant\tkilled after\tkills\tjob open\tdecision open\teither")
	for i, tally := range tallies {
		for _, after := range variants[i].events {
			c := tally.kinds[after]
			if c == nil {
				continue
			}
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\n", variants[i].name, after, c.kills, c.job, c.decision, c.either)
			kills += c.kills
			open += c.either
		}
	}
	fmt.Fprintf(w, "all\t\t%d\t\t\t%d\n", kills, open)
	_ = w.Flush() // writing to a builder never fails
	for i, tally := range tallies {
		fmt.Fprintf(&text, "%s: %d messages, %d of them perhaps removed from the queue by a deletion; %d memories, %d of them superseded, and %d deleted; "+
			"%d decisions with status 200; %d without a response, %d of them carried out\n",
			variants[i].name, tally.messages, tally.excused, tally.memories, tally.superseded, tally.gone, tally.told, tally.unanswered, tally.done)
	}
	t.Logf("\n%s", &text)
	return kills, open
}
