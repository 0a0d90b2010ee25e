//go:build unix

package tools_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"syscall"

	"github.com/stretchr/testify/require"
)

const (
	apiKey    = "key_of_the_tests"
	apiSecret = "secret_of_the_tests_of_the_service"
)

// process is one run of the service on SQLite.
type process struct {
	*world
	cmd     *exec.Cmd
	address string // http://HOST:PORT
	log     bytes.Buffer
}

// start starts the service on the data of a folder, on a free port.
func (w *world) start(folder string) *process {
	p := &process{world: w, cmd: exec.Command(binary, "-addr", "127.0.0.1:0", "-data", "data")}
	p.cmd.Dir = folder
	p.cmd.Env = append(w.env(), "HOME="+folder, "API_KEY="+apiKey, "API_SECRET="+apiSecret)
	p.cmd.Stderr = &p.log
	stdout, err := p.cmd.StdoutPipe()
	require.NoError(w.t, err)
	require.NoError(w.t, p.cmd.Start())
	w.t.Cleanup(func() { _ = p.cmd.Process.Kill(); _ = p.cmd.Wait() }) // does nothing where it has ended
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		_ = p.cmd.Wait()
		require.NoError(w.t, err, "%s", &p.log)
	}
	address, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	require.True(w.t, found, line)
	p.address = address
	return p
}

// kill ends the process at once, and reads its log.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	require.Equal(p.t, syscall.SIGKILL, status.Signal(), "%s", &p.log)
	p.checkLog()
}

// stop ends the process as an operator would.
func (p *process) stop() {
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(p.t, p.cmd.Wait(), "%s", &p.log)
	p.checkLog()
}

// checkLog finds what went wrong inside. That tools break off, and that a kill breaks answers
// off, is a warning at most.
func (p *process) checkLog() {
	lines := strings.Split(p.log.String(), "\n")
	for _, line := range lines[:len(lines)-1] { // what follows the last line end was cut off by the kill
		var entry struct{ Level, Msg string }
		require.NoError(p.t, json.Unmarshal([]byte(line), &entry), line)
		switch entry.Level {
		case "INFO":
		case "WARN":
			p.ledger.add("log: "+entry.Msg, 1)
		default:
			p.ledger.violation(odd, "the service has logged: %s", line)
		}
	}
}
