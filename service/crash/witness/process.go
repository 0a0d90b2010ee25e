package witness

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Credentials of every Process.
const (
	APIKey    = "key_of_the_tests"
	APISecret = "secret_of_the_tests_of_the_service"
)

// Process is one run of the service on SQLite.
type Process struct {
	// Address is its HOST:PORT.
	Address string

	t      *testing.T
	cmd    *exec.Cmd
	log    bytes.Buffer
	logged func(level, message, line string)
}

// Start starts the service with the data in a folder, on a free port. UntilKilled and Stop call
// logged with each line of its log above INFO.
func Start(t *testing.T, binary, folder string, env []string, logged func(level, message, line string)) *Process {
	t.Helper()
	p := &Process{t: t, cmd: exec.Command(binary, "-addr", "127.0.0.1:0", "-data", "data"), logged: logged}
	p.cmd.Dir = folder
	p.cmd.Env = append([]string{"HOME=" + folder, "API_KEY=" + APIKey, "API_SECRET=" + APISecret, "SENDS_PER_MINUTE=0", "WRITES_PER_MINUTE=0"}, env...)
	p.cmd.Stderr = &p.log
	stdout, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() { p.Kill(); _ = p.cmd.Wait() }) // does nothing if it has exited
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		_ = p.cmd.Wait()
		require.NoError(t, err, "%s", &p.log)
	}
	address, found := strings.CutPrefix(strings.TrimSpace(line), "listening on http://")
	require.True(t, found, line)
	p.Address = address
	return p
}

// Kill sends SIGKILL. Call UntilKilled afterwards.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() }

// UntilKilled waits until a killed process has exited, and reads its log.
func (p *Process) UntilKilled() {
	p.t.Helper()
	_ = p.cmd.Wait()
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	require.Equal(p.t, syscall.SIGKILL, status.Signal(), "%s", &p.log)
	p.readLog()
}

// Stop stops the process with SIGTERM, as an operator would, and reads its log.
func (p *Process) Stop() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(p.t, p.cmd.Wait(), "%s", &p.log)
	p.readLog()
}

func (p *Process) readLog() {
	p.t.Helper()
	lines := strings.Split(p.log.String(), "\n")
	for _, line := range lines[:len(lines)-1] { // the kill may have cut off the last line
		var entry struct{ Level, Msg string }
		require.NoError(p.t, json.Unmarshal([]byte(line), &entry), line)
		if entry.Level != "INFO" {
			p.logged(entry.Level, entry.Msg, line)
		}
	}
}

// OpenLog creates a file for the logs of replicas. It is removed after the test, unless t failed.
func OpenLog(t *testing.T, name string) *os.File {
	t.Helper()
	log, err := os.CreateTemp("", "chatsdk-"+name+"-*.log")
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = log.Close()
		if t.Failed() {
			t.Log("the log of the replicas is ", log.Name())
			return
		}
		_ = os.Remove(log.Name())
	})
	return log
}
