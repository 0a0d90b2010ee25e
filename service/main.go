// Command service is the agent service: it keeps chats in a SQLite file, asks
// a model, and serves the API that openapi.yaml of package httpapi describes.
// It needs nothing set; run it with -h for its settings.
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

// version is that of package.json; a test holds the two together.
const version = "0.1.0"

func main() {
	if code, ok := runSubcommand(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); ok {
		os.Exit(code)
	}
	signalled, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, end := context.WithCancel(context.Background())
	context.AfterFunc(signalled, func() {
		stop() // from here on a second signal ends the process at once
		end()
	})
	os.Exit(run(ctx, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr))
}

// run runs the command and gives its exit code. It ends when ctx does. What
// failed is one line on stderr.
func run(ctx context.Context, args []string, env func(string) (string, bool), stdout, stderr io.Writer) int {
	err := command(ctx, args, env, stdout, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "chatsdk:", strings.ReplaceAll(err.Error(), "\n", "; "))
		return 1
	}
	return 0
}

func command(ctx context.Context, args []string, env func(string) (string, bool), stdout, stderr io.Writer) error {
	if len(args) > 0 && args[0] == "import" {
		return importFolder(ctx, args[1:], env, stdout, stderr)
	}
	s, err := readSettings(args, env, stdout)
	if err != nil {
		return err
	}
	switch {
	case s.version:
		fmt.Fprintln(stdout, version)
		return nil
	case s.printToken != "":
		return printToken(s, stdout)
	}
	return serve(ctx, s, stdout, stderr)
}
