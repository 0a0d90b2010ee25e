// Command bench prints how long the service takes for what it does often, a
// table for each subject, in a database of its own that it removes. The figures
// are of this machine at this moment: judge by the ratios, which compare runs
// that alternated.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
)

// sections are the subjects, in the order of the output. Each works in an empty
// folder.
var sections = []func(ctx context.Context, folder string, to io.Writer) error{
	memories, documents,
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == read.Subcommand { // documents are read in a child, as in the service
		if err := read.Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, to io.Writer) error {
	for _, section := range sections {
		if err := inFolder(func(folder string) error { return section(ctx, folder, to) }); err != nil {
			return err
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
