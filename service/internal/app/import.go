package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/config"
	"github.com/chatsdk/chatsdk/service/internal/importer"
)

// Import imports files into the service that listens at base.
func Import(ctx context.Context, s *config.Settings, base string, files []importer.File, out io.Writer) (missing int, err error) {
	key, secrets, err := config.Credentials(s)
	if err != nil {
		return 0, err
	}
	config := importer.Config{BaseURL: base, ProjectID: s.Project, APIKey: key, APISecret: secrets[0], Out: out}
	return importer.Run(ctx, config, files)
}

// OnService calls do with the address of the service that uses DATA. If none runs, it runs one
// meanwhile, for this machine only.
func OnService(ctx context.Context, s *config.Settings, env config.Lookup, stderr io.Writer, do func(address string) error) error {
	if s.DatabaseURL == "" { // with a database, this process may be one more replica
		unlock, err := lock(s.Data)
		if errors.Is(err, errServed) {
			address, err := announced(s.Data)
			if err != nil {
				return fmt.Errorf("%s: %w", s.Data, err)
			}
			return do(address)
		}
		if err != nil {
			return err
		}
		if err := unlock(); err != nil {
			return err
		}
	}
	own := *s
	own.Addr, own.Demo, own.Quiet = "127.0.0.1:0", false, true
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	listening, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- Serve(ctx, &own, env, addressOf(listening), stderr) }()
	select {
	case err := <-ended:
		return err
	case address := <-listening:
		err := do(address)
		stop()
		return errors.Join(err, <-ended)
	}
}

// addressOf receives the line that a service prints when it listens.
type addressOf chan<- string

// Write implements io.Writer.
func (a addressOf) Write(line []byte) (int, error) {
	if address, found := strings.CutPrefix(string(line), "listening on "); found {
		a <- strings.TrimSpace(address)
	}
	return len(line), nil
}
