//go:build unix

package compat_test

import (
	"bufio"
	"bytes"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	apiKey    = "key_of_the_tests"
	apiSecret = "secret_of_the_tests_of_the_service"
	memoryKey = "key_of_the_hashes_of_the_tests_of_the_service"
	agentID   = "assistant"
)

// process is one run of the service.
type process struct {
	t       *testing.T
	cmd     *exec.Cmd
	address string // http://HOST:PORT
	log     bytes.Buffer
	ended   sync.Once
}

// start starts the service with the data in a folder. env has additional environment variables.
func start(t *testing.T, v version, folder string, m *model, env ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(v.service, "-addr", "127.0.0.1:0", "-data", "data")}
	p.cmd.Dir = folder
	p.cmd.Env = append([]string{
		"HOME=" + folder, "API_KEY=" + apiKey, "API_SECRET=" + apiSecret, "MEMORY_KEY=" + memoryKey, "SENDS_PER_MINUTE=0", "HEARTBEAT=1s",
		"OPENAI_BASE_URL=" + m.URL + "/v1", "OPENAI_API_KEY=sk-of-the-tests", "MODEL=small",
	}, env...)
	p.cmd.Stderr = &p.log
	stdout, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() {
		p.end(syscall.SIGKILL)
		if t.Failed() {
			t.Logf("the log of the %s service:\n%s", v.name, &p.log)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		p.end(syscall.SIGKILL)
		require.NoError(t, err, "%s", &p.log)
	}
	address, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	require.True(t, found, line)
	p.address = address
	return p
}

// end sends the process a signal and waits until it has exited. Only the first call has an effect.
func (p *process) end(signal syscall.Signal) {
	p.ended.Do(func() {
		_ = p.cmd.Process.Signal(signal)
		_ = p.cmd.Wait()
	})
}
