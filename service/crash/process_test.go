package crash_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	apiKey    = "key_of_the_tests"
	apiSecret = "secret_of_the_tests_of_the_service"
	agentID   = "keeper"
)

// agents has an agent whose limit no user reaches, so that a memory gives way
// to what contradicts it and to nothing else.
const agents = "agents: [{id: " + agentID + ", memory: {memory_enabled: true, max_memories: 1000}}]"

// process is one run of the service.
type process struct {
	t       *testing.T
	cmd     *exec.Cmd
	address string // HOST:PORT
	stderr  bytes.Buffer
}

// newFolder gives a folder to start the service in.
func newFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "agents.yaml"), []byte(agents), 0o600))
	return folder
}

// start starts the service on the data of a folder, on a free port.
func start(t *testing.T, folder string, env []string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(binary, "-addr", "127.0.0.1:0", "-agents", "agents.yaml", "-data", "data")}
	p.cmd.Dir = folder
	p.cmd.Env = append([]string{"HOME=" + folder, "API_KEY=" + apiKey, "API_SECRET=" + apiSecret, "SENDS_PER_MINUTE=0", "WRITES_PER_MINUTE=0"}, env...)
	p.cmd.Stderr = &p.stderr
	stdout, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() { _ = p.cmd.Process.Kill(); _ = p.cmd.Wait() }) // does nothing where it has ended
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		_ = p.cmd.Wait()
		require.NoError(t, err, "%s", &p.stderr)
	}
	address, found := strings.CutPrefix(strings.TrimSpace(line), "listening on http://")
	require.True(t, found, line)
	p.address = address
	return p
}

// untilKilled waits for the end of a process that was killed, and reads its log.
func (p *process) untilKilled() {
	p.t.Helper()
	_ = p.cmd.Wait()
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	require.Equal(p.t, syscall.SIGKILL, status.Signal(), "%s", &p.stderr)
	p.checkLog()
}

// stop ends the process as an operator would.
func (p *process) stop() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(p.t, p.cmd.Wait(), "%s", &p.stderr)
	p.checkLog()
}

// checkLog finds what went wrong inside. A kill breaks answers off, and that
// alone.
func (p *process) checkLog() {
	p.t.Helper()
	lines := strings.Split(p.stderr.String(), "\n")
	for _, line := range lines[:len(lines)-1] { // what follows the last line end was cut off by the kill
		var entry struct{ Level, Msg string }
		require.NoError(p.t, json.Unmarshal([]byte(line), &entry), line)
		if entry.Level != "INFO" && entry.Msg != "answers that the last run broke off" {
			p.t.Errorf("the service has logged: %s", line)
		}
	}
}
