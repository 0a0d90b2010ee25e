// Package cli is the command: a file for each subcommand, and the service without one.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/chatsdk/chatsdk/service/internal/app"
	"github.com/chatsdk/chatsdk/service/internal/config"
)

// invocation is how a command was called; args are the arguments after its name.
type invocation struct {
	args           []string
	env            config.Lookup
	stdin          io.Reader
	stdout, stderr io.Writer
}

// Run runs the command with the arguments after its name, and returns its exit code. An error is one line on stderr.
func Run(args []string, env config.Lookup, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	err := command(invocation{args, env, stdin, stdout, stderr})
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "chatsdk:", strings.ReplaceAll(err.Error(), "\n", "; "))
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
	memory := app.AllowedMemory()
	s, rest, err := c.settings(memory, c.env)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return fmt.Errorf("unknown argument %q; see -h", rest[0])
	case s.Version:
		fmt.Fprintln(c.stdout, app.Version)
		return nil
	case s.PrintToken != "":
		return printToken(s, c.stdout)
	}
	app.BoundHeap(memory, c.env)
	return app.Serve(untilSignal(), s, c.env, c.stdout, c.stderr)
}

// settings reads the settings and the arguments behind the flags, where this much memory is allowed. It answers a request for help
// with flag.ErrHelp.
func (c invocation) settings(memory int64, env config.Lookup) (*config.Settings, []string, error) {
	s, rest, err := config.Parse(memory, c.args, env)
	if errors.Is(err, flag.ErrHelp) {
		writeHelp(c.stdout)
	}
	return s, rest, err
}

// asksFor writes the help of a subcommand if only that is asked for. It reports whether it was.
func (c invocation) asksFor(usage string) (asked bool, err error) {
	if len(c.args) != 1 || !slices.Contains([]string{"-h", "-help", "--help"}, c.args[0]) {
		return false, nil
	}
	_, err = io.WriteString(c.stdout, usage)
	return true, err
}

// writeHelp lists the subcommands and all settings.
func writeHelp(out io.Writer) {
	fmt.Fprint(out, "service [flags]\nservice SUBCOMMAND [-h]\n\n")
	for _, s := range subcommands() {
		if s.does != "" {
			fmt.Fprintf(out, "  %-12s%s\n", s.name, s.does)
		}
	}
	fmt.Fprintln(out)
	config.WriteHelp(out)
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
