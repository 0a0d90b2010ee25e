package crash_test

import (
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/crash/witness"
)

// variant is a way to run the service.
type variant struct {
	name   string
	model  bool
	events []event
}

var variants = []variant{
	{"embedded detector", false, []event{messageSent, messageAnswered, decisionSent, decisionAnswered, pinged, started}},
	{"slow model", true, []event{messageSent, messageAnswered, decisionSent, decisionAnswered, pinged, started, detectionAsked}},
}

// drainEvery is the number of kills from one full check to the next. A full check waits until the
// queue is empty. The other checks do not, so the next kill finds queued messages.
const drainEvery = 5

// A killed service neither loses nor repeats a decision that it confirmed to a client, and it examines
// every message.
func TestKilledAtRandomMoments(t *testing.T) {
	t.Logf("-seed %d", *seed)
	tallies := make([]*tally, len(variants))
	t.Run("variants", func(t *testing.T) {
		for i, v := range variants {
			tallies[i] = &tally{kinds: map[event]*count{}}
			t.Run(v.name, func(t *testing.T) {
				t.Parallel()
				share := (*kills + i) / len(variants)
				newStory(t, v, uint64(i), tallies[i]).tell(share)
			})
		}
	})
	killed, open := report(t, tallies)
	require.Equal(t, *kills, killed)
	require.GreaterOrEqual(t, 2*open, killed, "too few kills while a job or a decision was open")
}

// story is a series of runs of the service on one data folder.
type story struct {
	t      *testing.T
	folder string
	env    []string
	model  *model
	events []event
	random *rand.Rand
	ledger *ledger
	words  *words
	tally  *tally
}

func newStory(t *testing.T, v variant, number uint64, tally *tally) *story {
	s := &story{
		t: t, folder: newFolder(t), events: v.events, random: rand.New(rand.NewPCG(*seed, number)),
		ledger: newLedger(), words: &words{}, tally: tally,
	}
	if v.model {
		s.model = newModel(t)
		s.env = s.model.env()
	}
	return s
}

// tell starts and kills the service again and again. A run that will be killed right after its start
// is not checked before; the next run checks the same data.
func (s *story) tell(kills int) {
	last := moment{}
	for i := range kills {
		m := draw(s.random, s.events)
		p := start(s.t, s.folder, s.env)
		if m.after != started {
			s.check(p, last, i%drainEvery == 0)
		}
		decisions := s.live(p, m)
		s.tally.add(m.after, openJobs(s.t, s.folder), decisions)
		last = m
	}
	p := start(s.t, s.folder, s.env)
	s.check(p, last, true)
	p.Stop()
	s.tally.close(s.ledger)
}

// live runs users and reviewers until the process is killed. It returns how many decisions were open
// then.
func (s *story) live(p *witness.Process, m moment) int {
	c := newClient(s.t, p)
	defer c.close()
	l := &life{t: s.t, client: c, ledger: s.ledger, words: s.words, end: &countdown{left: m}}
	c.over = l.end.over
	c.happens = func(e event) {
		s.tick()
		l.end.happens(e)
	}
	if s.model != nil {
		s.model.watch(l.end.happens)
		defer s.model.watch(func(event) {})
	}
	return l.live(p, func() *rand.Rand { return rand.New(rand.NewPCG(s.random.Uint64(), 0)) })
}

func (s *story) tick() {
	if s.model != nil {
		s.model.tick()
	}
}

// check compares what a restarted process returns with what clients were told before the kill.
func (s *story) check(p *witness.Process, m moment, drain bool) {
	s.t.Helper()
	c := newClient(s.t, p)
	defer c.close()
	var faults []string
	for _, chat := range s.ledger.unread() {
		history := must[wire.ChatHistoryResponse](c, get("/project/demo/chat/"+chat+"/all"))
		faults = append(faults, s.ledger.checkHistory(chat, history.Messages)...)
	}
	listed := s.list(c)
	faults = append(faults, s.ledger.compare(listed)...)
	s.tally.count(s.ledger, listed)
	s.ledger.excuse()
	s.ledger.reset(listed)
	faults = append(faults, s.ledger.examined(listed, false)...)
	if drain {
		s.drain(c)
		listed = s.list(c)
		faults = append(faults, s.ledger.compare(listed)...)
		s.ledger.reset(listed)
		faults = append(faults, s.ledger.examined(listed, true)...)
	}
	if len(faults) > 0 {
		require.Failf(s.t, "the service broke a promise", "killed %s\n%s", m, strings.Join(faults, "\n"))
	}
}

// looks is how often drain reads the metrics. This takes at least ten seconds; the queue is usually
// empty much sooner.
const looks = 50_000

// drain waits until every message is examined.
func (s *story) drain(c *client) {
	for range looks {
		status, body := c.do(get("/metrics"))
		require.Equal(s.t, http.StatusOK, status)
		if strings.Contains(string(body), "\nchatsdk_memory_backlog 0\n") {
			return
		}
		s.tick()
	}
	require.Fail(s.t, "messages stay in the queue")
}

// list returns every memory by its id.
func (s *story) list(c *client) map[string]wire.Memory {
	s.t.Helper()
	listed := map[string]wire.Memory{}
	for cursor, total := "", 0; ; {
		page := must[wire.ListMemoriesResponse](c, get("/agents/"+agentID+"/memories?limit=1000"+cursor))
		for _, memories := range page.MemoriesByUser {
			for _, memory := range memories {
				listed[memory.ID] = memory
			}
		}
		total += page.TotalMemories
		require.Len(s.t, listed, total, "an id occurs twice")
		if !page.HasMore {
			return listed
		}
		cursor = "&cursor=" + url.QueryEscape(page.NextCursor)
	}
}
