package main

import (
	"context"
	"io"
	"net/http/httptest"
	"time"
)

// Times are times.
type Times = times

// Rival is a rival.
type Rival = rival

var (
	Alternate       = alternate
	ReadMemories    = readMemories
	ImportDocuments = importDocuments
	SendMany        = sendMany
	AwaitFirst      = awaitFirst
	HoldOpen        = holdOpen
	FollowElsewhere = followElsewhere
	CountEvents     = countEvents
	SendFromAfar    = sendFromAfar
	Pair            = pair
	NewUser         = newUser
	Run             = run
)

// Question is what is asked.
const Question = question

// Close ends it.
func (r *rival) Close() error { return r.close() }

// Ask sends a message and returns the events of its answer.
func (r *rival) Ask(ctx context.Context, from user, question string) ([]byte, error) {
	return r.ask(ctx, from, question)
}

// InProcess starts a rival in this process.
func InProcess(_ context.Context, kind, folder string) (*rival, error) {
	handler, done, err := newHandler(kind, folder)
	if err != nil {
		return nil, err
	}
	server := httptest.NewServer(handler)
	return &rival{url: server.URL, client: newClient(), stop: func() error {
		server.Close()
		done()
		return nil
	}}, nil
}

// HeldBySmall measures for how long operations far below their limits hold the writer.
func HeldBySmall(ctx context.Context, folder string, to io.Writer) error {
	return heldBy(ctx, folder, to, scale{
		fileBytes: 1 << 20, textBytes: 20_000, images: 2, imageBytes: 1 << 20, messages: 20, messageBytes: 100,
		calls: 2, argumentBytes: 1 << 10, resultBytes: 1 << 10, memories: 100, open: 100,
	})
}

// Stack is a stack.
type Stack = stack

// OnSQLite is the service on SQLite, Nowhere a stack that lacks something.
var (
	OnSQLite = stack{"the service on SQLite", startOnSQLite}
	Nowhere  = stack{"a rival", func(context.Context, string, string) (*running, error) { return nil, missing{"what it needs"} }}
	// OnPostgres are three replicas.
	OnPostgres = stack{"three of it", startOnPostgres(3)}
)

// Tabulate compares stacks on a small scale.
func Tabulate(ctx context.Context, folder string, to io.Writer, stacks ...stack) error {
	little := extent{rounds: 1, sends: 20, inFlight: 4, streams: 3, open: 3, kills: 1, window: 1200 * time.Millisecond}
	return tabulate(ctx, folder, to, InProcess, stacks, little)
}
