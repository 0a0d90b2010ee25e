package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
)

const importUsage = `service import [flags] FOLDER

Puts the files of a folder, and of those in it, into the project's documents: plain text, Markdown, HTML and PDF. Files
whose name begins with a dot are passed over. A file that was imported before and is the same is left alone, and one
that has changed replaces its document. A service that runs on DATA is asked to do it; else DATA itself is opened. The
flags are those of the service, see service -h.
`

// importFolder is the subcommand import.
func importFolder(ctx context.Context, args []string, env func(string) (string, bool), stdout, stderr io.Writer) error {
	if len(args) == 1 && (args[0] == "-h" || args[0] == "-help" || args[0] == "--help") {
		_, err := io.WriteString(stdout, importUsage)
		return err
	}
	s, rest, err := parseSettings(args, env, stdout)
	switch {
	case err != nil:
		return err
	case len(rest) != 1:
		return fmt.Errorf("import: %d arguments, want one FOLDER; see import -h", len(rest))
	}
	files, err := walk(rest[0])
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	return onService(ctx, s, stderr, func(address string) error {
		to, err := newImporter(s, address, stdout)
		if err != nil {
			return err
		}
		defer to.close()
		return to.report(to.run(ctx, files))
	})
}

// walk lists the files of a folder, read when it is their turn.
func walk(folder string) (files []importFile, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		hidden := path != folder && strings.HasPrefix(entry.Name(), ".")
		switch {
		case err != nil:
			return err
		case hidden && entry.IsDir():
			return fs.SkipDir
		case hidden || !entry.Type().IsRegular():
			return nil
		}
		inside, err := filepath.Rel(folder, path)
		files = append(files, importFile{path: filepath.ToSlash(inside), open: path})
		return err
	})
	return files, err
}

// onService does something with the address of the service that runs on DATA,
// and where none does, of one that runs meanwhile, for this machine alone.
func onService(ctx context.Context, s *settings, stderr io.Writer, do func(address string) error) error {
	unlock, err := lock(s.data)
	if errors.Is(err, errServed) {
		address, err := announced(s.data)
		if err != nil {
			return fmt.Errorf("import: %s: %w", s.data, err)
		}
		return do(address)
	}
	if err != nil {
		return err
	}
	if err := unlock(); err != nil {
		return err
	}
	own := *s
	own.addr, own.demo, own.quiet = "127.0.0.1:0", false, true
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	listening, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- serve(ctx, &own, addressOf(listening), stderr) }()
	select {
	case err := <-ended:
		return err
	case address := <-listening:
		err := do(address)
		stop()
		return errors.Join(err, <-ended)
	}
}

// addressOf takes the line that a service prints when it listens.
type addressOf chan<- string

// Write implements io.Writer.
func (a addressOf) Write(line []byte) (int, error) {
	if address, found := strings.CutPrefix(string(line), "listening on "); found {
		a <- strings.TrimSpace(address)
	}
	return len(line), nil
}
