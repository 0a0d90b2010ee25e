// Command bench prints how long the frequent operations of the service take, a
// table for each subject, in a temporary database. The figures hold for this
// machine at this moment: judge by the ratios, which compare runs that
// alternated.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
)

// sections are the subjects, in the order of the output. Each works in an empty
// folder.
var sections = []struct {
	name  string
	print func(ctx context.Context, folder string, to io.Writer) error
}{
	{"memories", memories}, {"documents", documents}, {"writer", writerHeld}, {"sends", sends}, {"first-events", firstEvents}, {"open-streams", openStreams},
	{"stacks", compareStacks}, {"replicas", betweenReplicas}, {"distance", fromAfar},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// command is one of the child commands, which this program starts, or the sections that args name;
// without args, all sections.
func command(ctx context.Context, args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case read.Subcommand: // documents are read in a child process, as in the service
			return read.Serve(os.Stdin, os.Stdout)
		case serveSubcommand:
			return serve(args[1:], os.Stdin, os.Stdout)
		}
	}
	return run(ctx, args, os.Stdout)
}

func run(ctx context.Context, names []string, to io.Writer) error {
	known := []string{}
	for _, section := range sections {
		known = append(known, section.name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("there is no section %q, want some of %s", name, strings.Join(known, ", "))
		}
	}
	for _, section := range sections {
		if len(names) > 0 && !slices.Contains(names, section.name) {
			continue
		}
		if err := inFolder(func(folder string) error { return section.print(ctx, folder, to) }); err != nil {
			return fmt.Errorf("%s: %w", section.name, err)
		}
	}
	return nil
}

func inFolder(do func(folder string) error) error {
	folder, err := os.MkdirTemp("", "chatsdk-bench-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	return do(folder)
}
