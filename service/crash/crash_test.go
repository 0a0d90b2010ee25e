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

// drainEvery is how often, in kills, the queue is emptied and every message is checked. In between,
// the next kill meets queued messages.
const drainEvery = 5

// A killed service loses no decision that it reported to a client, doubles none, and leaves no
// message unexamined.
func TestKilledAtRandomMoments(t *testing.T) {
	t.Logf("-seed %d", *seed)
	tallies := make([]*tally, len(variants))
	t.Run("of", func(t *testing.T) {
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

// story is what happens to one data folder.
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

// tell lets the service live and die. A service that is killed right after its start is not checked
// in between: it works on the data of the previous life.
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

// live lives one life and returns how many decisions were open at its end.
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

// check compares a process that was started after a kill with what clients were told before.
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
	s.ledger.turn(listed)
	faults = append(faults, s.ledger.examined(listed, false)...)
	if drain {
		s.drain(c)
		listed = s.list(c)
		faults = append(faults, s.ledger.compare(listed)...)
		s.ledger.turn(listed)
		faults = append(faults, s.ledger.examined(listed, true)...)
	}
	if len(faults) > 0 {
		require.Failf(s.t, "the service did not keep its word", "killed %s\n%s", m, strings.Join(faults, "\n"))
	}
}

// looks is how often drain looks: for at least ten seconds, while the queue needs a moment.
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
