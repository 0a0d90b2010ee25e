package runtimes_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// worker is a running workerd.
type worker struct {
	url string
	// log is what the worker writes.
	log *bufio.Scanner
}

// startWorker serves a configuration of a folder. It ends with the test.
func startWorker(t *testing.T, service *test.Service, folder, configuration string) *worker {
	command := exec.Command(tool(t, "@cloudflare/workerd-linux-64/bin/workerd"), "serve", configuration, "--socket-addr", "http=127.0.0.1:0", "--control-fd=3")
	command.Dir = filepath.Join(installed, folder)
	command.Env = environment(service)
	reader, writer := pipe(t)
	command.ExtraFiles = append(command.ExtraFiles, writer)
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	var problems bytes.Buffer
	command.Stderr = &problems
	require.NoError(t, command.Start())
	require.NoError(t, writer.Close())
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
		if t.Failed() {
			t.Logf("workerd wrote:\n%s", problems.Bytes())
		}
	})
	return &worker{url: "http://127.0.0.1:" + listening(t, reader), log: bufio.NewScanner(output)}
}

func ask(t *testing.T, address, body string) *http.Response {
	return askFor(t.Context(), t, address, body)
}

// askFor ends with the context: from Go 1.27 on, a closed body is still read for 50 ms.
func askFor(ctx context.Context, t *testing.T, address, body string) *http.Response {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "text/plain")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func textOf(t *testing.T, response *http.Response) string {
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(text)
}

// At the oldest compatibility date fetch can bypass caches, and there is no
// FinalizationRegistry yet.
func TestAWorkerGoesThroughTheSteps(t *testing.T) {
	t.Parallel()
	config, err := os.ReadFile(filepath.Join(installed, "runtimes", "worker.capnp"))
	require.NoError(t, err)
	for _, date := range []string{"2024-11-11", "2025-05-05"} {
		t.Run(date, func(t *testing.T) {
			t.Parallel()
			dated := regexp.MustCompile(`\d{4}-\d\d-\d\d`).ReplaceAll(config, []byte(date))
			require.NoError(t, os.WriteFile(filepath.Join(installed, "runtimes", date+".capnp"), dated, 0o600))
			s := newStage(t)
			w := startWorker(t, s.Service, "runtimes", date+".capnp")
			require.Equal(t, steps, s.read(ask(t, w.url+"/steps", "").Body))
			<-s.stopped
		})
	}
}

// When a request ends, workerd drops its timers. A call of another request must
// not wait for them: with one core for both it would never time out.
func TestARequestThatIsLeftHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	gone := make(chan struct{})
	model.On("endless", func(a *test.Answer) {
		a.Text("part").Wait(gone)
		a.Text("more").Wait(nil) // workerd notices when it writes that it is left
	})
	w := startWorker(t, suite.Service(t, model.Env()...), "runtimes", "worker.capnp")
	ctx, leave := context.WithCancel(t.Context())
	left := askFor(ctx, t, w.url+"/left", "")
	first, err := bufio.NewReader(left.Body).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "part\n", first)
	leave()
	close(gone)
	require.True(t, w.log.Scan())
	require.Equal(t, "left", w.log.Text())

	silence := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-silence }))
	defer silent.Close()
	defer close(silence)
	require.Equal(t, "TIMEOUT", textOf(t, ask(t, w.url+"/late?silent="+silent.URL, "")))
}

func TestTheExampleForWorkerd(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	w := startWorker(t, service, "14-workerd", "config.capnp")
	for range 3 {
		require.Equal(t, "What is said?", textOf(t, ask(t, w.url, "What is said?")))
	}
}
