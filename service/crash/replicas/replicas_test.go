//go:build unix

package replicas_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/crash/witness"
	"github.com/chatsdk/chatsdk/service/internal/cluster"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

const (
	// poolConnections limits the connections of a replica to the database. It does not count the one on
	// which the replica listens.
	poolConnections = 8
	reviewers       = 3
)

// Whatever fails, the service loses nothing that it acknowledged, does nothing twice, and leaks no
// goroutine and no connection.
func TestReplicasBreakAtRandomMoments(t *testing.T) {
	t.Logf("-seed %d", *seed)
	w := newWorld(t)
	random := rand.New(rand.NewPCG(*seed, 0))
	w.begin(random)
	time.Sleep(time.Second) // of work before the first fault
	w.quiet()
	w.base = w.goroutines()
	for _, k := range plan(random, *faults) {
		if t.Context().Err() != nil || time.Until(w.deadline) < time.Minute {
			break
		}
		w.gate.open()
		w.strike(k, random)
		w.quiet()
		w.check()
	}
	w.end()
	w.report()
}

// world is everything in the test.
type world struct {
	t        *testing.T
	c        *cluster.Cluster
	db       *pgxpool.Pool // without a proxy in between
	model    *model
	ledger   *ledger
	client   *witness.Client
	gate     *gate
	words    atomic.Uint64
	clocks   map[string]string // the file of each replica's clock
	base     int               // the most goroutines that an idle replica had
	deadline time.Time
	working  sync.WaitGroup
	cancel   context.CancelFunc

	struck map[string]*tally
	worst  time.Duration // the longest time that an answer was open after its owner died
	log    *os.File
}

// tally counts one kind of fault.
type tally struct {
	count int
	took  time.Duration
}

func newWorld(t *testing.T) *world {
	folder := t.TempDir()
	agents := filepath.Join(folder, "agents.yaml")
	require.NoError(t, os.WriteFile(agents, []byte("agents: [{id: keeper, memory: {memory_enabled: true, max_memories: 1000}}]"), 0o600))
	w := &world{t: t, model: newModel(t), ledger: newLedger(t.Log), gate: newGate(), clocks: map[string]string{}, struck: map[string]*tally{}}
	var err error
	w.log = witness.OpenLog(t, "replicas")
	names := []string{"one", "two", "three"}
	for _, name := range names {
		w.clocks[name] = filepath.Join(folder, "clock-"+name)
	}
	w.c, err = cluster.Start(t.Context(), cluster.Config{
		Binary: binary, Names: names, PoolConnections: poolConnections,
		Env: []string{
			"AGENTS=" + agents, "OPENAI_BASE_URL=" + w.model.URL + "/v1", "OPENAI_API_KEY=sk-of-the-tests", "MODEL=small", "HEARTBEAT=1s", "DRAIN=20s",
			"STREAM_RETENTION=24h", "SENDS_PER_MINUTE=0", "WRITES_PER_MINUTE=0", "CHATS_PER_MINUTE=0", "UPLOADS_PER_MINUTE=0", "STREAMS_PER_USER=0",
		},
		EnvOf: func(name string) []string { return []string{"CLOCK_STEP=" + w.clocks[name]} },
		Log:   func(name string) io.Writer { return cluster.Named(name, w.log) },
	})
	pgtest.Need(t, err)
	t.Cleanup(func() { require.NoError(t, w.c.Close()) })
	w.db, err = pgxpool.New(t.Context(), w.c.Database)
	require.NoError(t, err)
	t.Cleanup(w.db.Close)
	_, err = w.db.Exec(t.Context(), `CREATE INDEX ON messages USING hash (content)`) // for the checks
	require.NoError(t, err)
	w.client = witness.NewClient(w.ledger.Ledger)
	w.client.Address, w.client.Key, w.client.Secret = w.c.Proxy.Address, cluster.APIKey, cluster.APISecret
	w.client.Again, w.client.Patience = again, patience
	var known bool
	if w.deadline, known = t.Deadline(); !known {
		w.deadline = time.Now().Add(24 * time.Hour)
	}
	return w
}

// begin starts all clients.
func (w *world) begin(random *rand.Rand) {
	var ctx context.Context
	ctx, w.cancel = context.WithCancel(w.t.Context())
	for i := range *clients {
		u := &user{world: w, number: i, id: fmt.Sprint("user-", i), random: rand.New(rand.NewPCG(random.Uint64(), 1))}
		w.working.Go(func() { u.work(ctx) })
	}
	for i := range reviewers {
		r := &reviewer{world: w, number: *clients + 10*i, random: rand.New(rand.NewPCG(random.Uint64(), 2))}
		w.working.Go(func() { r.work(ctx) })
	}
}

// end stops all clients, checks everything, and stops the replicas.
func (w *world) end() {
	w.gate.close(true)
	w.working.Wait()
	w.cancel()
	w.checkAll()
	for _, r := range w.c.Replicas {
		if err := r.Stop(); err != nil {
			w.ledger.Violation(odd, "%s exited with %v", r.Name, err)
		}
	}
	w.checkConnections("at the end", "", 0)
	w.client.HTTP.CloseIdleConnections()
	verdict, _ := porcupine.CheckOperationsVerbose(onceModel, w.ledger.history, time.Minute)
	if verdict != porcupine.Ok {
		w.findTwice()
	}
}

// findTwice records each subject that was done twice, with its operations.
func (w *world) findTwice() {
	for _, part := range onceModel.Partition(w.ledger.history) {
		if porcupine.CheckOperations(onceModel, part) {
			continue
		}
		text := ""
		for _, op := range part {
			text += fmt.Sprintf(" [%d to %d: %+v]", op.Call/1e6, op.Return/1e6, op.Output)
		}
		w.ledger.Violation(twice, "%s", text)
	}
}

// report logs the counts, and fails the test if a promise was broken.
func (w *world) report() {
	var text strings.Builder
	fmt.Fprintf(&text, "-seed %d, %d clients, %.0f s\n\n", *seed, *clients, time.Since(w.ledger.Begun).Seconds())
	fmt.Fprintf(&text, "| fault | count | seconds each, including its check |\n| --- | ---: | ---: |\n")
	total := 0
	for _, k := range kinds {
		if s := w.struck[k.name]; s != nil {
			total += s.count
			fmt.Fprintf(&text, "| %s | %d | %.1f |\n", k.name, s.count, s.took.Seconds()/float64(s.count))
		}
	}
	table, found := w.ledger.Table(promises)
	fmt.Fprintf(&text, "| all | %d | |\n\n%s\nAfter a kill, the last answer was ended within %.1f s. "+
		"%d operations on keys and decisions were checked against the model.\n\n%s\n",
		total, table, w.worst.Seconds(), len(w.ledger.history), w.ledger.Counts())
	w.t.Logf("\n%s", &text)
	require.Empty(w.t, found)
	require.Positive(w.t, w.ledger.Count("answers"))
}

// gate lets clients work until it is closed.
type gate struct {
	mu     sync.Mutex
	may    *sync.Cond
	closed bool
	over   bool
	inside int
}

func newGate() *gate {
	g := &gate{}
	g.may = sync.NewCond(&g.mu)
	return g
}

// enter waits while the gate is closed, and reports whether to continue at all.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.closed && !g.over {
		g.may.Wait()
	}
	if g.over {
		return false
	}
	g.inside++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	g.may.Broadcast()
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = false
	g.may.Broadcast()
}

// close closes the gate, forever if the test is over, and waits until all have left.
func (g *gate) close(over bool) {
	g.shut(over)
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.inside > 0 {
		g.may.Wait()
	}
}

// shut closes the gate without waiting.
func (g *gate) shut(over bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed, g.over = true, over
	g.may.Broadcast()
}

// reviewer decides on memories, sometimes several times at once on the same memory.
type reviewer struct {
	*world
	number int
	random *rand.Rand
}

func (r *reviewer) work(ctx context.Context) {
	for r.gate.enter() {
		r.review(ctx)
		r.gate.leave()
		witness.Pause(ctx, again)
	}
}

func (r *reviewer) review(ctx context.Context) {
	status, body, _ := r.client.Once(ctx, witness.Get("", "/memory-approvals/pending?limit=20"))
	if status != http.StatusOK {
		return
	}
	pending := parse[wire.ListPendingMemoriesResponse](r.world, body)
	if len(pending.Approvals) == 0 {
		return
	}
	memory := pending.Approvals[r.random.IntN(len(pending.Approvals))]
	var all sync.WaitGroup
	for i := range 1 + r.random.IntN(3) {
		action := []string{wire.ActionApprove, wire.ActionReject}[r.random.IntN(2)]
		all.Go(func() { r.decide(ctx, r.number+i, memory.ID, action) })
	}
	all.Wait()
}

func (r *reviewer) decide(ctx context.Context, number int, id, action string) {
	begun := time.Now()
	status, body, _ := r.client.Once(ctx, witness.With(http.MethodPost, "", "/memory-approvals/"+id+"/action", wire.MemoryActionRequest{Action: action}))
	op := operation{subject: "memory " + id}
	switch {
	case status == http.StatusOK:
		op.result, op.first = action, true
	case status == http.StatusNotFound:
		return // it was deleted with its chat
	case status == http.StatusConflict:
		op.result = refused
	case !witness.TryAgain(status):
		r.ledger.Violation(odd, "decide: status %d: %.200s", status, body)
	}
	r.ledger.told(number, begun, op)
	r.ledger.Add("decisions", 1)
}
