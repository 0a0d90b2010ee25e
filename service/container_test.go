package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
)

const containerBytes = 512 << 20

// contain makes a command run in a control group with the memory of a container. Where none can be made, as in most
// containers, it gets the settings that the service would choose in one: TestBytesInFlightFitTheMemory.
func contain(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	for _, version := range []struct{ folder, file string }{{"memory", "memory.limit_in_bytes"}, {"", "memory.max"}} {
		group := filepath.Join("/sys/fs/cgroup", version.folder, fmt.Sprint("chatsdk-test-", os.Getpid()))
		if os.Mkdir(group, 0o755) != nil {
			continue
		}
		t.Cleanup(func() {
			for err := os.Remove(group); err != nil && !os.IsNotExist(err); err = os.Remove(group) {
				time.Sleep(time.Millisecond) // until the last process in it has ended
			}
		})
		limit, err := os.OpenFile(filepath.Join(group, version.file), os.O_WRONLY, 0) // which is there if this is a control group
		if err == nil {
			_, err = fmt.Fprint(limit, containerBytes)
			err = errors.Join(err, limit.Close())
		}
		if err == nil {
			cmd.Args = append([]string{"sh", "-c", `echo $$ >"$0" && exec "$@"`, filepath.Join(group, "cgroup.procs")}, cmd.Args...)
			cmd.Path = "/bin/sh"
			return
		}
	}
	t.Log("no control group can be made here: the service gets the settings that it would choose in one")
	cmd.Env = append(cmd.Env, fmt.Sprint("BYTES_IN_FLIGHT=", containerBytes/4), fmt.Sprint("GOMEMLIMIT=", containerBytes/10*7))
}

// largeForm is a form with files.
func largeForm(t *testing.T, field string, count int, file []byte, fields ...string) (contentType string, body []byte) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for i := 0; i < len(fields); i += 2 {
		require.NoError(t, w.WriteField(fields[i], fields[i+1]))
	}
	for n := range count {
		part, err := w.CreateFormFile(field, fmt.Sprint(n, ".md"))
		require.NoError(t, err)
		_, err = part.Write(file)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return w.FormDataContentType(), form.Bytes()
}

// The largest requests, many at once, leave a service in a container of 512 MiB below that, and alive. Each is answered.
func TestTheLargestRequestsFitAContainer(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("only Linux reports the peak memory of a process")
	}
	folder := t.TempDir()
	fillChat(t, folder, "chat_long")
	cmd := command(folder, env{"ADDR": "127.0.0.1:0", "SENDS_PER_MINUTE": "0", "READS_PER_MINUTE": "0"}.with(keyed()))
	contain(t, cmd)
	p := startCommand(t, cmd)
	picture := imagetest.PNG(640, 480)
	pictures, images := largeForm(t, wire.FieldImages, 10, append(picture, make([]byte, 10<<20-len(picture))...),
		wire.FieldProjectID, "demo", wire.FieldMessage, "What is this?")
	documents, document := largeForm(t, "file", 1, longText("zebra", 24<<20), wire.FieldProjectID, "demo")
	messages, message := largeForm(t, "", 0, nil, wire.FieldProjectID, "demo", wire.FieldChatID, "chat_long", wire.FieldMessage, factsOf(1))
	requests := []struct {
		method, path, contentType string
		body                      []byte
	}{
		{http.MethodPost, "/v3/chat/message", pictures, images},
		{http.MethodPost, "/v3/project/knowledge/add/file", documents, document},
		{http.MethodPost, "/v3/chat/message", messages, message},
		{http.MethodGet, "/project/demo/chat/chat_long/all", "", nil},
	}
	var mu sync.Mutex
	statuses := map[string]int{}
	var asking sync.WaitGroup
	for n := range 12 {
		asking.Go(func() {
			for step := range len(requests) {
				one := requests[(n+step)%len(requests)]
				user := ann // whose chat it is
				if len(one.body) > 1<<20 {
					user = fmt.Sprint("user", n)
				}
				status, retryAfter := p.large(one.method, one.path, user, one.contentType, one.body)
				assert.Contains(t, []int{200, 413, 429, 503}, status, one.path)
				assert.Equal(t, status == 429 || status == 503, retryAfter != "", "%s: %d", one.path, status)
				mu.Lock()
				statuses[fmt.Sprint(one.path, " ", len(one.body)>>20, " MB: ", status)]++
				mu.Unlock()
			}
		})
	}
	asking.Wait()
	require.Equal(t, http.StatusOK, p.upload("long.md", longText("zebra", 9<<20)).status)
	require.Equal(t, wire.DocumentSynced, p.documents()["long.md"].Status)
	t.Log(p.peak(), "KB at most;", statuses)
	require.Less(t, p.peak(), containerBytes>>10, "KB")
	require.Equal(t, http.StatusOK, p.send("Hi").status)
}

// large does a request of a user, past the proxy that checks them, which reads bodies as a whole.
func (p *process) large(method, path, user, contentType string, body []byte) (status int, retryAfter string) {
	request, err := http.NewRequest(method, "http://"+p.address+path, bytes.NewReader(body))
	if err != nil {
		return 0, ""
	}
	request.Header = http.Header{"X-Api-Key": {apiKey}, "X-Api-Secret": {apiSecret}, "X-User-Id": {user}, "Content-Type": {contentType}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Error(err)
		return 0, ""
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return 0, ""
	}
	return response.StatusCode, response.Header.Get("Retry-After")
}
