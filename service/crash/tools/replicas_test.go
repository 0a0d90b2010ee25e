//go:build unix

package tools_test

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/crash/witness"
	"github.com/chatsdk/chatsdk/service/internal/cluster"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// between is how long all replicas run at least before the next kill. A replica ends the answers of
// another only after it has reached the database for 12 s.
const between = 3 * time.Second

// One of three replicas on PostgreSQL is killed at random moments, and restarted.
func TestReplicasKilledWhileToolsAreCalled(t *testing.T) {
	t.Parallel() // -parallel 1 runs both tests one after the other
	w := newWorld(t)
	log := witness.OpenLog(t, "tools")
	c, err := cluster.Start(t.Context(), cluster.Config{
		Binary: binary, Names: []string{"one", "two", "three"}, Env: w.env(),
		Log: func(name string) io.Writer { return cluster.Named(name, log) },
	})
	pgtest.Need(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	w.client.Address, w.client.Key, w.client.Secret = c.Proxy.Address, cluster.APIKey, cluster.APISecret
	w.begin()
	for range *replicaKills {
		if t.Context().Err() != nil {
			break
		}
		time.Sleep(between)
		w.watch.wait(draw(w.random))
		r := c.Replicas[w.random.IntN(len(c.Replicas))]
		r.Kill()
		require.NoError(t, r.Start())
		w.ledger.Add("kills", 1)
	}
	w.finish(2 * time.Minute)
	for _, r := range c.Replicas {
		require.NoError(t, r.Stop())
	}
	w.report("three replicas on PostgreSQL")
}
