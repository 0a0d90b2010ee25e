package main

import (
	"context"
	"io"
	"log/slog"
	"net/http/httptest"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

var (
	KeptCredentials = keptCredentials
	ReadSettings    = readSettings
	// ReadSettingsWithin reads settings where this much memory is allowed.
	ReadSettingsWithin = readSettingsWithin
	BoundHeap          = boundHeap
	ShutDown           = shutDown
)

// RunTools connects to the tool servers of the agents in a file and returns their tools.
// They work until end is called.
func RunTools(file string, env func(string) (string, bool)) (sets map[string]*tool.Set, end func(), err error) {
	s := defaults()
	s.agents = file
	agents, err := readAgents(&s, env, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	sets = map[string]*tool.Set{}
	for _, agent := range agents.all {
		sets[agent.ID] = agent.Tools
	}
	return sets, runTools(context.Background(), agents.all, nil), nil
}

// RunDemoTools returns the demo's tools, which are served at an address until end is called.
func RunDemoTools(fatal func(...any)) (set *tool.Set, address string, end func()) {
	secret := "secret"
	server := httptest.NewServer(serveDemoTools(secret))
	set, err := newDemoTools(server.URL, secret, slog.New(slog.DiscardHandler))
	if err != nil {
		fatal(err)
	}
	endTools := runTools(context.Background(), []chat.Agent{{Tools: set}}, nil)
	return set, server.URL, func() {
		endTools()
		server.Close()
	}
}

// Run runs the command with nothing in its environment.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	return run(invocation{args, func(string) (string, bool) { return "", false }, stdin, stdout, stderr})
}

// NewDatabaseClock returns the clock of a database, and compares it again when compare is called.
func NewDatabaseClock(
	ctx context.Context, own func() time.Time, read func(context.Context) (time.Time, error), log *slog.Logger,
) (now func() time.Time, compare func(context.Context) error, err error) {
	clock, err := newDatabaseClock(ctx, own, read, log)
	return clock.now, clock.compare, err
}
