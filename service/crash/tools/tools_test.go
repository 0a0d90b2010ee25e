//go:build unix

package tools_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/crash/witness"
	"github.com/chatsdk/chatsdk/service/tooltest"
)

// world is everything in the test besides the service.
type world struct {
	t      *testing.T
	model  *tooltest.Model
	tools  *tooltest.Tools
	ledger *ledger
	client *witness.Client
	watch  *watch
	agents string // path of the agents file
	number atomic.Int64

	random    *rand.Rand
	working   sync.WaitGroup // users
	deciding  sync.WaitGroup // people and pages
	finishing atomic.Bool    // ask no more questions
	ctx       context.Context
	cancel    context.CancelFunc
}

func newWorld(t *testing.T) *world {
	t.Logf("-seed %d", *seed)
	w := &world{
		t: t, model: tooltest.NewModel(), tools: tooltest.NewTools("book"), ledger: newLedger(t.Log), watch: &watch{}, random: rand.New(rand.NewPCG(*seed, 0)),
		agents: filepath.Join(t.TempDir(), "agents.yaml"),
	}
	t.Cleanup(w.model.Close)
	t.Cleanup(w.tools.Close)
	w.model.Pace = time.Millisecond
	w.model.Happens = func() { w.watch.happens(modelAsked) }
	w.tools.Happens = func() { w.watch.happens(toolAsked) }
	require.NoError(t, os.WriteFile(w.agents, []byte(agents(w.tools.URL)), 0o600))
	w.client = witness.NewClient(w.ledger.Ledger)
	w.client.Again = 30 * time.Millisecond
	w.ctx, w.cancel = context.WithCancel(t.Context())
	t.Cleanup(w.cancel)
	return w
}

// env returns environment variables of the service.
func (w *world) env() []string {
	return append(w.model.Env(), "AGENTS="+w.agents, "TOOL_SECRET="+tooltest.Secret, "HEARTBEAT=1s", "STREAM_RETENTION=24h",
		"SENDS_PER_MINUTE=0", "WRITES_PER_MINUTE=0", "CHATS_PER_MINUTE=0", "STREAMS_PER_USER=0")
}

// begin starts all clients.
func (w *world) begin() {
	for i := range *users {
		u := &user{world: w, id: nameOf(i), random: rand.New(rand.NewPCG(w.random.Uint64(), 1)), sdk: i%3 == 2}
		if u.sdk {
			p := w.newProgram(u)
			w.working.Go(func() { p.work(w.ctx) })
			continue
		}
		w.working.Go(func() { u.work(w.ctx) })
	}
}

// finish stops new questions, waits until all answers have ended or the time most has passed, and
// checks everything.
func (w *world) finish(most time.Duration) {
	w.finishing.Store(true)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.working.Wait()
		w.deciding.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(most):
		for _, a := range w.ledger.open() {
			w.ledger.Violation(stuck, "%s, %s: %s", a.script.ID, a.streamID, w.describeCalls(a))
		}
		w.cancel()
		<-ended
	}
	w.check()
}

// describeCalls describes the states of an answer's calls, and what pages did about unsettled ones.
func (w *world) describeCalls(a *answer) (text string) {
	w.ledger.Lock()
	defer w.ledger.Unlock()
	for id, call := range w.ledger.calls {
		if call.answer != a {
			continue
		}
		text += fmt.Sprintf("%s %s %s", id, call.last.Name, call.last.Status)
		if !settled(call.last.Status) {
			for _, r := range w.ledger.runs[id] {
				text += fmt.Sprintf(", run at %.1f s with status %d", r.begun.Sub(w.ledger.Begun).Seconds(), r.status)
			}
			for _, told := range w.ledger.claims[id] {
				text += ", " + told
			}
		}
		text += "; "
	}
	return text
}

// report logs the counts, and fails the test if a promise was broken.
func (w *world) report(title string) {
	table, found := w.ledger.Table(promises)
	w.t.Logf("\n-seed %d, %s, %d users, %.0f s\n\n%s\n%s\n", *seed, title, *users, time.Since(w.ledger.Begun).Seconds(), table, w.ledger.Counts())
	require.Empty(w.t, found)
	require.Positive(w.t, w.ledger.Count("calls carried out"))
}

// A service on SQLite is killed at random moments, and restarted on the same data.
func TestKilledWhileToolsAreCalled(t *testing.T) {
	t.Parallel() // -parallel 1 runs both tests one after the other
	w := newWorld(t)
	folder := t.TempDir()
	p := w.start(folder)
	var address atomic.Value
	address.Store(p.Address)
	w.client.Address = func() string { return address.Load().(string) }
	w.client.Key, w.client.Secret = witness.APIKey, witness.APISecret
	w.begin()
	for range *kills {
		if t.Context().Err() != nil {
			break
		}
		w.watch.wait(draw(w.random))
		p.Kill()
		p.UntilKilled()
		p = w.start(folder)
		address.Store(p.Address)
		w.ledger.Add("kills", 1)
	}
	w.finish(time.Minute)
	p.Stop()
	w.report("SQLite")
}
