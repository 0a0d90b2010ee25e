package bundlers_test

import (
	"bufio"
	"io"
	"net"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is a failsafe: nothing waits for it unless something hangs.
const patience = 60 * time.Second

var localAddress = regexp.MustCompile(`http://(?:localhost|127\.0\.0\.1):\d+`)

// start runs a server of the example until the test ends, and returns the address
// that it prints when it is ready.
func (e example) start(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	command := exec.Command(name, args...)
	command.Dir, command.Env = e.folder, append(e.environment(), env...)
	// npm runs a shell that runs the server: they are ended together.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	reader, writer := io.Pipe()
	command.Stdout, command.Stderr = writer, writer
	require.NoError(t, command.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = command.Wait()
		_ = writer.Close()
	}()
	printed := watch(reader)
	t.Cleanup(func() {
		end(command.Process.Pid, ended)
		if t.Failed() {
			t.Logf("%s %s printed:\n%s", name, strings.Join(args, " "), printed.text())
		}
	})
	select {
	case address := <-printed.address:
		return address
	case <-ended:
		require.Fail(t, "the server ended before it printed an address")
	case <-time.After(patience):
		require.Fail(t, "the server printed no address")
	}
	return ""
}

// end ends a process with all that it started, as an operator would, and kills what
// does not end.
func end(pid int, ended <-chan struct{}) {
	_ = syscall.Kill(-pid, syscall.SIGTERM)
	timer := time.AfterFunc(patience, func() { _ = syscall.Kill(-pid, syscall.SIGKILL) })
	defer timer.Stop()
	<-ended
}

// output is what a server prints.
type output struct {
	address chan string

	mu    sync.Mutex
	lines []string
}

func watch(reader io.Reader) *output {
	o := &output{address: make(chan string, 1)}
	go func() {
		found := false
		for lines := bufio.NewScanner(reader); lines.Scan(); {
			o.add(lines.Text())
			if address := localAddress.FindString(lines.Text()); address != "" && !found {
				o.address <- address
				found = true
			}
		}
	}()
	return o
}

func (o *output) add(line string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lines = append(o.lines, line)
}

func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.lines, "\n")
}

// freePort is a port that nobody listens on. Vite 6 treats 0 as no port at all,
// and the service must know the port of Next.js before it starts.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	return port
}
