//go:build unix

package cluster_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/cluster"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// start starts a cluster that ends with the test.
func start(t *testing.T, names ...string) *cluster.Cluster {
	t.Helper()
	c, err := cluster.Start(t.Context(), cluster.Config{Binary: binary, Names: names})
	pgtest.Need(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// get returns the status of an answer, 0 if there is none.
func get(t *testing.T, address, path string) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	require.NoError(t, err)
	request.Header.Set("X-Api-Key", cluster.APIKey)
	request.Header.Set("X-Api-Secret", cluster.APISecret)
	request.Close = true
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return 0
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

const chats = "/project/demo/chat"

func TestTheProxySkipsReplicasThatAreDown(t *testing.T) {
	t.Parallel()
	c := start(t, "one", "two")
	for range 4 {
		require.Equal(t, http.StatusOK, get(t, c.Proxy.Address(), chats))
	}
	c.Replicas[0].Kill()
	for range 4 {
		require.Equal(t, http.StatusOK, get(t, c.Proxy.Address(), chats))
	}
	require.NoError(t, c.Replicas[0].Start())
	require.Eventually(t, func() bool { return c.Proxy.Ready() == 2 }, 10*time.Second, 10*time.Millisecond)
	for _, r := range c.Replicas {
		require.NoError(t, r.Stop())
	}
	require.Eventually(t, func() bool { return get(t, c.Proxy.Address(), chats) == http.StatusServiceUnavailable }, 10*time.Second, 10*time.Millisecond)
}

func TestAReplicaThatIsCutOffGetsNoRequests(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]cluster.Cut{"refused": cluster.Refused, "hanging": cluster.Hanging} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t, "one", "two")
			c.Replicas[1].Link.Set(cut)
			require.Eventually(t, func() bool { return c.Proxy.Ready() == 1 }, 10*time.Second, 10*time.Millisecond)
			for range 4 {
				require.Equal(t, http.StatusOK, get(t, c.Proxy.Address(), chats))
			}
			c.Replicas[1].Link.Set(cluster.Whole)
			require.Eventually(t, func() bool { return c.Proxy.Ready() == 2 }, 20*time.Second, 10*time.Millisecond)
			require.Equal(t, http.StatusOK, get(t, c.Replicas[1].Address(), chats))
		})
	}
}

// A request that was sent may have been carried out.
func TestTheProxySendsNothingTwice(t *testing.T) {
	t.Parallel()
	c := start(t, "one", "two")
	c.Proxy.StopLooking() // else it may notice the suspended replica first
	require.Equal(t, 2, c.Proxy.Ready())
	require.NoError(t, c.Replicas[0].Signal(syscall.SIGSTOP))
	got := make(chan int, 2)
	for range cap(got) { // one of them goes to the suspended replica
		go func() { got <- get(t, c.Proxy.Address(), chats) }()
	}
	require.Equal(t, http.StatusOK, <-got)
	require.Eventually(t, func() bool { return c.Proxy.Connected() == 2 }, time.Minute, time.Millisecond)
	c.Replicas[0].Kill()
	require.Equal(t, http.StatusBadGateway, <-got)
}

// Nothing may outlive the program, whatever ends it.
func TestAClusterEndsWithAProgramThatIsKilled(t *testing.T) {
	t.Parallel()
	if os.Getenv("CLUSTER_CHILD") != "" {
		c, err := cluster.Start(t.Context(), cluster.Config{Binary: os.Getenv("CLUSTER_CHILD"), Names: []string{"one"}})
		require.NoError(t, err)
		require.NoError(t, c.Replicas[0].Signal(syscall.SIGSTOP))
		fmt.Printf("\ncluster %d %s\n", c.Replicas[0].PID(), c.Database)
		select {} // until it is killed
	}
	pgtest.New(t) // skips if PostgreSQL is missing
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAClusterEndsWithAProgramThatIsKilled$")
	child.Env = append(os.Environ(), "CLUSTER_CHILD="+binary)
	output, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	lines := bufio.NewScanner(output)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "cluster ") {
	}
	var pid int
	var database string
	_, err = fmt.Sscanf(lines.Text(), "cluster %d %s", &pid, &database)
	require.NoError(t, err)
	require.NoError(t, child.Process.Kill())
	_ = child.Wait() // it was killed
	address, err := url.Parse(database)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := os.Stat(address.Query().Get("host"))
		return errors.Is(err, fs.ErrNotExist) && !runs(pid)
	}, 20*time.Second, 20*time.Millisecond, "PostgreSQL, its data and the replica are gone")
}

// runs reports whether a process exists and has not ended: an ended process whose parent
// doesn't wait for it stays in the process table.
func runs(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(status), ") Z ")
}
