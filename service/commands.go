package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
)

// A subcommand reads lines of JSON and writes one line for each. It stands
// before all flags, serves nothing, and ends with its input or at any signal.
type subcommand struct {
	name, does string
	reads      string // what a line of standard input holds
	writes     string // and one of standard output
	work       func(stdin io.Reader, stdout io.Writer) error
}

func subcommands() []subcommand {
	return []subcommand{
		{"detect", "find what messages say about their writers, with the embedded detector",
			`{"id", "text"}`, `{"id", "memories": [{"type", "content", "confidence", "span": {"start", "end"}}]}`, detect},
		{"duplicates", "tell which pairs of statements would be stored as one memory",
			`{"id", "a", "b"}`, `{"id", "duplicate": true or false}`, duplicates},
	}
}

// runSubcommand gives the exit code; ok is false where args name none.
func runSubcommand(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int, ok bool) {
	if len(args) == 0 {
		return 0, false
	}
	all := append(subcommands(), readDocument)
	at := slices.IndexFunc(all, func(s subcommand) bool { return s.name == args[0] })
	if at < 0 {
		return 0, false
	}
	if err := all[at].run(args[1:], stdin, stdout); err != nil {
		fmt.Fprintf(stderr, "chatsdk: %s: %v\n", args[0], err)
		return 1, true
	}
	return 0, true
}

func (s subcommand) run(args []string, stdin io.Reader, stdout io.Writer) error {
	flags := flag.NewFlagSet(s.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		_, err = fmt.Fprintf(stdout, "service %s: %s\n\nIt takes no flags. Each line of JSON is answered by one; other fields are passed over.\n\n"+
			"  standard input   %s\n  standard output  %s\n", s.name, s.does, s.reads, s.writes)
		return err
	case len(args) > 0:
		return fmt.Errorf("argument %q, want none: it reads standard input", args[0])
	}
	return s.work(stdin, stdout)
}

// maxLine is what one line of input may hold, in bytes.
const maxLine = 1 << 20

// eachLine answers every line of input by one of output, until one fails. An
// answer is written before the next line is read.
func eachLine(stdin io.Reader, stdout io.Writer, answer func(line []byte) (any, error)) error {
	lines := bufio.NewScanner(stdin)
	lines.Buffer(nil, maxLine)
	encoder := json.NewEncoder(stdout)
	encoder.SetEscapeHTML(false)
	n := 0
	for lines.Scan() {
		n++
		result, err := answer(lines.Bytes())
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := encoder.Encode(result); err != nil {
			return fmt.Errorf("standard output: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w; want at most %d bytes", n+1, err, maxLine-1)
	}
	return nil
}
