package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Words that the tests send. None of them may be in a log.
const (
	apiKey    = "key_of_the_tests"
	apiSecret = "secret_of_the_tests_of_the_service"
	openaiKey = "sk-of-the-tests"
	ann       = "ann-of-the-tests"
	word      = "marmalade"
)

// env is the environment of a process; there is nothing else in it.
type env map[string]string

// with is e with more in it.
func (e env) with(more env) env {
	all := env{}
	for _, one := range []env{e, more} {
		for name, value := range one {
			all[name] = value
		}
	}
	return all
}

// keyed are the credentials of the tests.
func keyed() env { return env{"API_KEY": apiKey, "API_SECRET": apiSecret} }

func command(folder string, e env, args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir = folder
	cmd.Env = []string{"HOME=" + folder}
	for name, value := range e {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// output runs the command in a folder to its end.
func output(t *testing.T, folder string, e env, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := command(folder, e, args...)
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	err := cmd.Run()
	if _, ended := err.(*exec.ExitError); !ended {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errors.String()
}

// fails runs the command, which must end with exit code 1 and one line on
// stderr, and returns that line.
func fails(t *testing.T, folder string, e env, args ...string) string {
	t.Helper()
	code, stdout, stderr := output(t, folder, e, args...)
	require.Equal(t, 1, code, stderr)
	require.Empty(t, stdout)
	require.Regexp(t, `\Achatsdk: [^\n]+\n\z`, stderr)
	for _, secret := range []string{apiSecret, openaiKey} {
		require.NotContains(t, stderr, secret)
	}
	return stderr
}

// process is the running service.
type process struct {
	t       *testing.T
	cmd     *exec.Cmd
	address string   // HOST:PORT
	url     string   // of a proxy that checks the traffic
	stdout  *logbook // after the first line
	stderr  *logbook
	exited  chan struct{}
}

// start starts the service in a new folder, on a free port and with the
// credentials of the tests.
func start(t *testing.T, e env, args ...string) *process {
	t.Helper()
	return startIn(t, t.TempDir(), e, args...)
}

// startIn starts the service in a folder, which keeps its data.
func startIn(t *testing.T, folder string, e env, args ...string) *process {
	t.Helper()
	return startCommand(t, command(folder, env{"ADDR": "127.0.0.1:0"}.with(keyed()).with(e), args...))
}

func startCommand(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{
		t: t, cmd: cmd,
		stdout: &logbook{}, stderr: &logbook{}, exited: make(chan struct{}),
	}
	p.cmd.Stderr = p.stderr
	stdout, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(p.kill)
	lines := bufio.NewReader(stdout)
	line, err := lines.ReadString('\n')
	go func() {
		defer close(p.exited)
		_, _ = io.Copy(p.stdout, lines)
		_ = p.cmd.Wait()
	}()
	require.NoError(t, err, "%s", p.stderr)
	address, found := strings.CutPrefix(strings.TrimSpace(line), "listening on http://")
	require.True(t, found, line)
	p.address = address
	p.url = checked(t, "http://"+address)
	return p
}

func (p *process) signal(signal os.Signal) {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(signal))
}

// kill ends the process as a crash would, and checks its log.
func (p *process) kill() {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Error(err)
	}
	<-p.exited
	p.checkLog()
}

// stop ends the process as an operator would.
func (p *process) stop() {
	p.t.Helper()
	p.signal(syscall.SIGTERM)
	p.untilExit()
}

// untilExit waits for the end of a process that was told to end.
func (p *process) untilExit() {
	p.t.Helper()
	<-p.exited
	require.Equal(p.t, 0, p.cmd.ProcessState.ExitCode(), "%s", p.stderr)
}

// untilDraining waits until the service says that it accepts no new messages.
func (p *process) untilDraining() {
	for p.do("GET", "/readyz", nil, "").status == http.StatusOK {
		time.Sleep(time.Millisecond)
	}
}

func (p *process) metrics() string {
	return string(p.do(http.MethodGet, "/metrics", http.Header{"X-User-Id": nil}, "").body)
}

// untilCounted waits until the metrics have the line.
func (p *process) untilCounted(line string) {
	for !strings.Contains(p.metrics(), "\n"+line+"\n") {
		time.Sleep(time.Millisecond)
	}
}

// checkLog requires every line of the log to be JSON, and the log to have no
// secrets and no words of users. Only the line of an answer that failed names the user.
func (p *process) checkLog() {
	log := p.stderr.String()
	for line := range strings.Lines(log) {
		var told struct {
			Msg    string `json:"msg"`
			UserID string `json:"user_id"`
		}
		if err := json.Unmarshal([]byte(line), &told); err != nil {
			p.t.Errorf("a line of the log is not JSON: %s", line)
		}
		if told.Msg == "answer failed" && told.UserID == ann {
			log = strings.Replace(log, `"user_id":"`+ann+`"`, "", 1)
		}
	}
	for _, sent := range []string{apiKey, apiSecret, openaiKey, ann, word, "eyJ"} {
		if strings.Contains(log, sent) {
			p.t.Errorf("%q is in the log: %s", sent, log)
		}
	}
}

// logbook holds what was written to it.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
