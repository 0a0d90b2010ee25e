package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"syscall"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

// lastMoment is how long readers have to read the end of their streams after answers were
// ended early.
const lastMoment = time.Second

// lastResort is how long after the grace period the process ends, whatever still waits. It is more
// than the last writes and lastMoment take.
const lastResort = 4 * time.Second

// endWithin runs work until it returns, or until a time after the end of ctx.
func endWithin(ctx context.Context, limit time.Duration, log *slog.Logger, work func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- work() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(limit):
		log.Error("the process ends although its database does not answer; another replica or the next start ends what it had not stored")
		return nil
	}
}

// listen listens at an address from a setting that also has a flag.
func listen(setting, flag, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s: %s is in use by another program; end that one, or choose another address with %s or %s",
			setting, address, setting, flag)
	case err != nil:
		return nil, fmt.Errorf("%s: %w; choose another address with %s or %s", setting, err, setting, flag)
	}
	return listener, nil
}

// serveUntil serves until ctx ends, and then lets running answers continue for a while. It closes
// listener, server and service.
func serveUntil(
	ctx context.Context, listener net.Listener, server *httpapi.Server, service *chat.Service, grace time.Duration, log *slog.Logger,
) error {
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		ShutDown(server, service, 0, log)
		return err
	case <-ctx.Done():
	}
	ShutDown(server, service, grace, log)
	<-failed // http.ErrServerClosed
	return nil
}

// ShutDown accepts no more messages, lets running answers continue for a while, ends the rest
// early, and closes the remaining connections. Until the answers have ended it serves other
// requests: /readyz says that no new messages are accepted, and clients that lost their
// connection can resume.
func ShutDown(server *httpapi.Server, service *chat.Service, grace time.Duration, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	service.Close(ctx)
	if server.Shutdown(ctx) == nil {
		return
	}
	ctx, cancel = context.WithTimeout(context.Background(), lastMoment)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		log.Warn("closed connections that were still open", "error", err)
		_ = server.Close()
	}
}
