package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"github.com/gofrs/flock"

	"github.com/chatsdk/chatsdk/service/internal/agent/embedded"
	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
	"github.com/chatsdk/chatsdk/service/internal/sqlite"
)

const (
	// grace is how long running answers may go on after a signal to end.
	grace = 10 * time.Second
	// demoPace makes the embedded agent's words appear one by one in the demo.
	demoPace = 20 * time.Millisecond
)

// serve serves until ctx ends, and then lets running answers finish for a while.
func serve(ctx context.Context, s *settings, stdout, stderr io.Writer) (err error) {
	agents, err := readAgents(s)
	if err != nil {
		return err
	}
	provider, closeProvider, err := newProvider(s)
	if err != nil {
		return err
	}
	defer closeProvider()
	unlock, err := lock(s.data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	key, secrets, err := credentials(s)
	if err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, filepath.Join(s.data, "chatsdk.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()

	log := newLog(s, stderr)
	if broken, err := store.EndBrokenTurns(ctx); err != nil {
		return err
	} else if broken > 0 {
		log.Warn("answers that the last run broke off", "count", broken)
	}
	set := metrics.NewSet()
	service := chat.New(chat.Config{
		Store: store, Provider: provider, Agents: agents, Model: s.model, Limits: s.chatLimits,
		ErrorBody: httpapi.ErrorBody, Log: log, Ended: httpapi.CountAnswers(set),
	})
	config := httpapi.Config{
		Chat: service, ProjectID: s.project, APIKey: key, APISecrets: secrets,
		Limits:  httpapi.Limits{JSONBytes: int64(s.jsonBytes), MessageCharacters: s.chatLimits.MessageCharacters},
		Origins: s.origins, Heartbeat: s.heartbeat, Log: log, Ready: store.Ping, Metrics: set, Version: version,
	}
	handler, err := newHandler(s, config)
	if err != nil {
		return err
	}
	return listen(ctx, s, service, handler, log, stdout)
}

// newProvider gives the model that is configured, else the embedded agent.
func newProvider(s *settings) (provider chat.Provider, done func(), err error) {
	if !s.hasProvider() {
		agent := embedded.Agent{}
		if s.demo {
			agent.Pace = demoPace
		}
		return agent, func() {}, nil
	}
	base := s.openaiURL
	if base == "" {
		base = "https://api.openai.com/v1"
	}
	model, err := openai.New(openai.Config{BaseURL: base, APIKey: s.openaiKey, Timeout: s.providerTimeout})
	if err != nil {
		return nil, nil, fmt.Errorf("OPENAI_BASE_URL: %w", err)
	}
	return model, model.Close, nil
}

// lock makes the data folder and takes hold of it, since two processes on one
// database would each take the other's running answers for broken ones.
func lock(folder string) (unlock func() error, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("DATA: %w; choose another folder with DATA or -data", err)
	}
	file := flock.New(filepath.Join(folder, "lock"), flock.SetPermissions(0o600))
	locked, err := file.TryLock()
	if err != nil {
		return nil, fmt.Errorf("DATA: %s cannot be written: %w; choose another folder with DATA or -data", folder, err)
	}
	if !locked {
		return nil, fmt.Errorf("DATA: %s is served by another process; end that one, or choose another folder with DATA or -data", folder)
	}
	return file.Unlock, nil
}

// newLog writes JSON lines; the demo, which people watch, only what went wrong.
func newLog(s *settings, stderr io.Writer) *slog.Logger {
	if s.demo {
		return slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	return slog.New(slog.NewJSONHandler(stderr, nil))
}

// demoFiles are what the demo serves; make demo builds the last three.
var demoFiles = []string{"examples/01-script-tag/index.html", "dist/chatsdk.js", "dist/chatsdk.mjs", "dist/chatsdk.wasm"}

func newHandler(s *settings, config httpapi.Config) (http.Handler, error) {
	if !s.demo {
		return httpapi.New(config), nil
	}
	root, err := os.OpenRoot(".")
	if err != nil {
		return nil, fmt.Errorf("DEMO: %w", err)
	}
	for _, name := range demoFiles {
		if _, err := fs.Stat(root.FS(), name); err != nil {
			return nil, fmt.Errorf("DEMO: %s is missing in the working directory; run make demo in the project's folder", name)
		}
	}
	return httpapi.Demo(config, root.FS()), nil
}

// listen serves until ctx ends.
func listen(ctx context.Context, s *settings, service *chat.Service, handler http.Handler, log *slog.Logger, stdout io.Writer) error {
	listener, err := net.Listen("tcp", s.addr)
	if err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			return fmt.Errorf("ADDR: %s is in use by another program; end that one, or choose another address with ADDR or -addr", s.addr)
		}
		return fmt.Errorf("ADDR: %w", err)
	}
	server := httpapi.Server(handler)
	server.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	address := "http://" + listener.Addr().String()
	fmt.Fprintln(stdout, "listening on", address)
	if s.demo {
		fmt.Fprintf(stdout, "\n  Open %s/ to chat. Ctrl-C ends it.\n\n", address)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		service.Close(cancelled())
		return err
	case <-ctx.Done():
	}
	shutDown(server, service, log)
	<-served
	return nil
}

// shutDown takes no more requests, lets running answers go on for a while,
// breaks off the rest, and closes what is left of the connections.
func shutDown(server *http.Server, service *chat.Service, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	answers := make(chan struct{})
	go func() {
		defer close(answers)
		service.Close(ctx)
	}()
	if err := server.Shutdown(ctx); err != nil {
		<-answers // the readers get the end of their streams before the connections go
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			log.Warn("connections closed that were still open", "error", err)
			server.Close()
		}
	}
	<-answers
}

// cancelled is a context that has ended, for what must not wait.
func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
