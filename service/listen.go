package main

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

// lastMoment is how long the readers of answers that were broken off have to get the end
// of their streams.
const lastMoment = time.Second

// listen listens at an address that a setting gave, which has a flag too.
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

// serveUntil serves until ctx ends, and then lets running answers finish for a
// while. It closes listener, server and service.
func serveUntil(
	ctx context.Context, listener net.Listener, server *httpapi.Server, service *chat.Service, grace time.Duration, log *slog.Logger,
) error {
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		shutDown(server, service, 0, log)
		return err
	case <-ctx.Done():
	}
	shutDown(server, service, grace, log)
	<-failed // http.ErrServerClosed
	return nil
}

// shutDown takes no more messages, lets running answers go on for a while,
// breaks off the rest, and closes what is left of the connections. Until the answers have
// ended requests are served: /readyz says that nothing new is taken, and who lost its
// connection reads on.
func shutDown(server *httpapi.Server, service *chat.Service, grace time.Duration, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	service.Close(ctx)
	if server.Shutdown(ctx) == nil {
		return
	}
	ctx, cancel = context.WithTimeout(context.Background(), lastMoment)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		log.Warn("connections closed that were still open", "error", err)
		_ = server.Close()
	}
}
