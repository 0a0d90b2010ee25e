//go:build unix

package replicas_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/cluster"
)

// kind is a kind of fault.
type kind struct {
	name string
	// share is how many faults in a dozen are of this kind.
	share int
	do    func(w *world, r *cluster.Replica, random *rand.Rand)
}

// kinds are all kinds. Slow ones have a small share.
var kinds = []kind{
	{"SIGKILL of a replica", 1, (*world).kill},
	{"SIGSTOP past the lease, then SIGCONT", 1, (*world).sleep},
	{"a cut between a replica and the database", 2, (*world).cut},
	{"PostgreSQL killed and restarted", 2, (*world).crash},
	{"a full pool", 2, (*world).fill},
	{"a clock step", 2, (*world).step},
	{"SIGTERM of a replica, with a drain", 2, (*world).drain},
}

// plan draws faults: one of each kind, and then dozens in which each kind has its share.
func plan(random *rand.Rand, count int) (all []kind) {
	for round := 0; len(all) < count; round++ {
		var some []kind
		for _, k := range kinds {
			for range max(1, min(round, 1)*k.share) {
				some = append(some, k)
			}
		}
		random.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
		all = append(all, some...)
	}
	return all[:count]
}

func between(random *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(random.Int64N(int64(most-least)))
}

// strike lets everybody work for a while, and then causes a fault.
func (w *world) strike(k kind, random *rand.Rand) {
	begun := time.Now()
	time.Sleep(between(random, 300*time.Millisecond, 1500*time.Millisecond)) // the random moment

	r := w.c.Replicas[random.IntN(len(w.c.Replicas))]
	told := fmt.Sprintf("%6.1f s: %s %s", time.Since(w.ledger.Begun).Seconds(), k.name, r.Name)
	fmt.Fprintln(w.log, told)
	w.t.Log(told)
	k.do(w, r, random)
	if w.struck[k.name] == nil {
		w.struck[k.name] = &tally{}
	}
	w.struck[k.name].count++
	w.quiet()
	w.struck[k.name].took += time.Since(begun)
}

const ofReplica = `SELECT count(*) FROM streams WHERE ended_at IS NULL AND owner LIKE $1 || '/%'`

// kill kills a replica, and checks how soon the others end its answers.
func (w *world) kill(r *cluster.Replica, random *rand.Rand) {
	r.Kill()
	died := time.Now()
	w.gate.shut(false)
	for w.number(ofReplica, r.Name) > 0 && time.Since(died) < 30*time.Second {
		time.Sleep(50 * time.Millisecond)
	}
	took := time.Since(died)
	w.worst = max(w.worst, took)
	if took > 15*time.Second {
		w.ledger.Violation(leftOpen, "answers of %s were still open %v after it was killed", r.Name, took)
	}
	require.NoError(w.t, r.Start())
}

func (w *world) sleep(r *cluster.Replica, random *rand.Rand) {
	require.NoError(w.t, r.Signal(syscall.SIGSTOP))
	time.Sleep(between(random, 11*time.Second, 17*time.Second))
	require.NoError(w.t, r.Signal(syscall.SIGCONT))
}

func (w *world) cut(r *cluster.Replica, random *rand.Rand) {
	r.Link.Set([]cluster.Cut{cluster.Refused, cluster.Hanging}[random.IntN(2)])
	most := 4 * time.Second
	if random.IntN(8) == 0 {
		most = 16 * time.Second // usually past the lease
	}
	time.Sleep(between(random, 100*time.Millisecond, most))
	r.Link.Set(cluster.Whole)
}

func (w *world) crash(_ *cluster.Replica, random *rand.Rand) {
	require.NoError(w.t, w.c.Postgres.Kill())
	time.Sleep(between(random, 0, 3*time.Second))
	require.NoError(w.t, w.c.Postgres.Restart())
}

// fill locks a table, so that the connections of the replicas hang, or takes all connections to the
// database.
func (w *world) fill(_ *cluster.Replica, random *rand.Rand) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if random.IntN(2) == 0 {
		conn, err := pgx.Connect(ctx, w.c.Database)
		require.NoError(w.t, err)
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, `BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE`) // from here on, it is idle in a transaction
		require.NoError(w.t, err)
		time.Sleep(between(random, time.Second, 5*time.Second))
		return
	}
	var taken []*pgx.Conn
	defer func() {
		for _, conn := range taken {
			_ = conn.Close(ctx)
		}
	}()
	for range 400 {
		conn, err := pgx.Connect(ctx, w.c.Database)
		if err != nil {
			break // all are taken
		}
		taken = append(taken, conn)
	}
	require.NotEmpty(w.t, taken)
	_, _ = taken[0].Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'chatsdk %'`)
	for range 40 { // take the connections that became free
		conn, err := pgx.Connect(ctx, w.c.Database)
		if err != nil {
			break
		}
		taken = append(taken, conn)
	}
	time.Sleep(between(random, time.Second, 4*time.Second))
}

// step shifts a replica's clock by up to 30 minutes, until the next step of the same replica.
func (w *world) step(r *cluster.Replica, random *rand.Rand) {
	by := between(random, -30*time.Minute, 30*time.Minute)
	file := w.clocks[r.Name]
	require.NoError(w.t, os.WriteFile(file+".new", []byte(by.String()), 0o600))
	require.NoError(w.t, os.Rename(file+".new", file))
	time.Sleep(time.Second)
}

const brokenOff = `
	SELECT count(*) FROM streams JOIN messages ON messages.id = message_id WHERE streams.id = ANY($1) AND finish_reason IN ('', 'error')`

// drain stops a replica as a deployment does, and restarts it. No answer may be interrupted.
func (w *world) drain(r *cluster.Replica, _ *rand.Rand) {
	ctx := context.Background()
	rows, err := w.db.Query(ctx, `SELECT id FROM streams WHERE ended_at IS NULL AND owner LIKE $1 || '/%'`, r.Name)
	require.NoError(w.t, err)
	running, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w.t, err)
	if err := r.Stop(); err != nil {
		w.ledger.Violation(odd, "%s exited with %v", r.Name, err)
	}
	if n := w.number(brokenOff, running); n > 0 {
		w.ledger.Violation(brokenBy, "%d of %d running answers of %s", n, len(running), r.Name)
	}
	w.ledger.Add("answers that ran when a drain began", len(running))
	require.NoError(w.t, r.Start())
}
