package test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/apitest"
)

// Project is the project of every service here.
const Project = "demo"

// Credentials of the services that Suite.Service starts.
const (
	APIKey    = "key-of-the-tests"
	APISecret = "secret-of-the-tests-which-is-long-enough"
)

// Service is a running service behind a proxy, which checks every answer against the service's own
// description.
type Service struct {
	*Origin
	// Address is the service's own, HOST:PORT, without the proxy.
	Address string

	process *exec.Cmd
	log     bytes.Buffer // to be read once the process has ended
	ended   chan struct{}
	once    sync.Once
}

// Service starts the service in its demo mode, with the demo's documents and no chats, and with the
// settings of env, such as "MODEL=m". It ends with the test.
func (s *Suite) Service(t testing.TB, env ...string) *Service {
	database, err := s.database()
	require.NoError(t, err)
	data := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(data, databaseFile), database, 0o600))
	service, err := s.startService(data, env...)
	require.NoError(t, err)
	t.Cleanup(func() {
		service.Stop()
		if t.Failed() {
			t.Logf("log of the service:\n%s", service.log.Bytes())
		}
	})
	service.Origin = s.origin(t, readWhole(apitest.Handler(t, proxy(&url.URL{Scheme: "http", Host: service.Address}))))
	return service
}

// Anywhere starts the service in an empty folder, without its demo. It ends with the test.
func (s *Suite) Anywhere(t testing.TB, env ...string) *Service {
	folder := t.TempDir()
	service, err := s.startServiceIn(folder, filepath.Join(folder, "data"), env...)
	require.NoError(t, err)
	t.Cleanup(service.Stop)
	return service
}

// startService starts the service on a folder of data, without the proxy.
func (s *Suite) startService(data string, env ...string) (*Service, error) {
	return s.startServiceIn(s.Root, data, append([]string{"DEMO=1"}, env...)...)
}

// startServiceIn starts the service in a working directory.
func (s *Suite) startServiceIn(folder, data string, env ...string) (*Service, error) {
	process := exec.Command(s.service, "-addr", "127.0.0.1:0", "-data", data)
	process.Dir = folder
	process.Env = append([]string{"PATH=" + os.Getenv("PATH"), "API_KEY=" + APIKey, "API_SECRET=" + APISecret}, env...)
	service := &Service{process: process, ended: make(chan struct{})}
	process.Stderr = &service.log
	output, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, err
	}
	address := listening(output)
	go func() {
		defer close(service.ended)
		_, _ = io.Copy(io.Discard, output)
		_ = process.Wait()
	}()
	if address == nil {
		service.Stop()
		return nil, fmt.Errorf("the service did not start:\n%s", service.log.Bytes())
	}
	service.Address = address.Host
	return service, nil
}

// databaseFile is the service's database in its folder of data.
const databaseFile = "chatsdk.db"

// readDatabase returns the database of a demo that has read its documents. To read them again for
// each test would take a tenth of the processor's time.
func (s *Suite) readDatabase() ([]byte, error) {
	data := filepath.Join(s.folder, "data")
	service, err := s.startService(data)
	if err != nil {
		return nil, err
	}
	err = s.waitForDocuments(service)
	service.Stop()
	if err != nil {
		return nil, fmt.Errorf("waiting for the demo's documents: %w", err)
	}
	return os.ReadFile(filepath.Join(data, databaseFile))
}

// waitForDocuments waits until a service has read the README, the pages of docs and an article.
func (s *Suite) waitForDocuments(service *Service) error {
	pages, err := filepath.Glob(s.File("docs/*.md"))
	if err != nil {
		return err
	}
	client, err := nethttp.NewClient(sdk.Config{BaseURL: "http://" + service.Address, ProjectID: Project, APIKey: APIKey, APISecret: APISecret})
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	queued := func(d wire.ListedDocument) bool { return d.Status == wire.DocumentQueued }
	for {
		list, err := client.ListDocuments(ctx, sdk.ListDocumentsOptions{Limit: 100})
		if err != nil {
			return err
		}
		if list.Total == len(pages)+2 && !slices.ContainsFunc(list.Docs, queued) {
			return nil
		}
	}
}

// listening reads the output up to the address; nil if there is none.
func listening(output io.Reader) *url.URL {
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			address, err := url.Parse(text)
			if err == nil {
				return address
			}
		}
	}
	return nil
}

// readWhole reads a request before it is passed on. A proxy that reads the body while the answer
// begins would find it closed at the end, take that for a failed request and cut the answer.
func readWhole(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler) // the page has left
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		next.ServeHTTP(w, r)
	})
}

// proxy passes requests on. If the service is gone, it breaks the connection, as the service's own
// address would.
func proxy(address *url.URL) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(address)
			r.Out.Host = r.In.Host
		},
		FlushInterval: -1,
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:      log.New(io.Discard, "", 0),
	}
}

// Stop ends the process as an operator would, and kills it if it does not end.
func (s *Service) Stop() {
	s.once.Do(func() {
		_ = s.process.Process.Signal(syscall.SIGTERM)
		timer := time.AfterFunc(patience, func() { _ = s.process.Process.Kill() })
		defer timer.Stop()
		<-s.ended
	})
}

// Kill ends the process at once, as a crash would.
func (s *Service) Kill() {
	s.once.Do(func() {
		_ = s.process.Process.Kill()
		<-s.ended
	})
}

// Token returns an access token for a user.
func (s *Service) Token(t testing.TB, user string) string {
	response, err := http.Post(s.URL+"/demo/token", "application/json", strings.NewReader(`{"user_id":"`+user+`"}`))
	require.NoError(t, err)
	defer response.Body.Close()
	var answer struct {
		AccessToken string `json:"access_token"`
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
	require.NotEmpty(t, answer.AccessToken)
	return answer.AccessToken
}

// Config is the configuration of an SDK in a page, for a user.
func (s *Service) Config(t testing.TB, user string) Config {
	return Config{"baseUrl": s.URL, "projectId": Project, "accessToken": s.Token(t, user), "maxRetries": 0}
}

// Config is a ChatSDKConfig.
type Config map[string]any
