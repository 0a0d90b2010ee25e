package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/importer"
)

const importUsage = `service import [flags] FOLDER

Puts the files of a folder and its subfolders into the project's documents: plain text, Markdown, HTML and PDF. Files
whose names begin with a dot are skipped. A file that has not changed since it was imported is not imported again, and one
that has changed replaces its document once the service has read it. A service that runs on DATA is asked to do it; else DATA
itself is opened, or the database of DATABASE_URL. The flags are those of the service, see service -h.
`

// importFolder is the subcommand import.
func importFolder(c invocation) error {
	if len(c.args) == 1 && (c.args[0] == "-h" || c.args[0] == "-help" || c.args[0] == "--help") {
		_, err := io.WriteString(c.stdout, importUsage)
		return err
	}
	ctx := untilSignal()
	s, rest, err := parseSettings(0, c.args, c.env, c.stdout)
	switch {
	case err != nil:
		return err
	case len(rest) != 1:
		return fmt.Errorf("%d arguments, want one FOLDER; see import -h", len(rest))
	}
	files, err := importer.Folder(rest[0])
	if err != nil {
		return err
	}
	return onService(ctx, s, c.env, c.stderr, func(address string) error {
		missing, err := importInto(ctx, s, address, files, c.stdout)
		if err == nil && missing > 0 {
			err = fmt.Errorf("%d files were not imported, see above", missing)
		}
		return err
	})
}

// importInto imports files into the service that listens at base.
func importInto(ctx context.Context, s *settings, base string, files []importer.File, out io.Writer) (missing int, err error) {
	key, secrets, err := credentials(s)
	if err != nil {
		return 0, err
	}
	config := importer.Config{BaseURL: base, ProjectID: s.project, APIKey: key, APISecret: secrets[0], Out: out}
	return importer.Run(ctx, config, files)
}

// onService calls do with the address of the service that uses DATA. If none runs, it runs one
// meanwhile, for this machine only.
func onService(ctx context.Context, s *settings, env lookup, stderr io.Writer, do func(address string) error) error {
	if s.databaseURL == "" { // with a database, this process may be one more replica
		unlock, err := lock(s.data)
		if errors.Is(err, errServed) {
			address, err := announced(s.data)
			if err != nil {
				return fmt.Errorf("%s: %w", s.data, err)
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
	own.addr, own.demo, own.quiet = "127.0.0.1:0", false, true
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	listening, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- serve(ctx, &own, env, addressOf(listening), stderr) }()
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
