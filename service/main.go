// Command service is the agent service: it keeps chats in a SQLite file or a PostgreSQL database,
// asks a model, and serves the API that openapi.yaml of package httpapi describes. It needs no
// settings; run it with -h for a list of them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// version is the version of package.json; a test compares the two.
const version = "0.1.0"

// invocation is how a command was called; args are the arguments after its name.
type invocation struct {
	args           []string
	env            func(string) (string, bool)
	stdin          io.Reader
	stdout, stderr io.Writer
}

func main() {
	os.Exit(run(invocation{os.Args[1:], os.LookupEnv, os.Stdin, os.Stdout, os.Stderr}))
}

// run runs the command and returns its exit code. An error is one line on stderr.
func run(c invocation) (code int) {
	err := command(c)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(c.stderr, "chatsdk:", strings.ReplaceAll(err.Error(), "\n", "; "))
		return 1
	}
	return 0
}

func command(c invocation) error {
	for _, s := range subcommands() {
		if len(c.args) > 0 && c.args[0] == s.name {
			c.args = c.args[1:]
			if err := s.run(c); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			return nil
		}
	}
	memory := allowedMemory()
	s, err := readSettingsWithin(memory, c.args, c.env, c.stdout)
	switch {
	case err != nil:
		return err
	case s.version:
		fmt.Fprintln(c.stdout, version)
		return nil
	case s.printToken != "":
		return printToken(s, c.stdout)
	}
	boundHeap(memory, c.env)
	return serve(untilSignal(), s, c.env, c.stdout, c.stderr)
}

// untilSignal returns a context that ends at the first signal; a second signal ends the process
// at once.
func untilSignal() context.Context {
	signalled, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, end := context.WithCancel(context.Background())
	context.AfterFunc(signalled, func() {
		stop()
		end()
	})
	return ctx
}
