package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// A subcommand reads lines of JSON and writes one line for each. It stands
// before all flags, serves nothing, and ends with its input or at any signal.
type subcommand func(stdin io.Reader, stdout io.Writer) error

var subcommands = map[string]subcommand{
	"detect":     detect,
	"duplicates": duplicates,
}

// runSubcommand gives the exit code; ok is false where args name none.
func runSubcommand(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int, ok bool) {
	if len(args) == 0 {
		return 0, false
	}
	work, ok := subcommands[args[0]]
	if !ok {
		return 0, false
	}
	var err error
	if len(args) > 1 {
		err = fmt.Errorf("argument %q, want none: it reads standard input", args[1])
	} else {
		err = work(stdin, stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "chatsdk: %s: %v\n", args[0], err)
		return 1, true
	}
	return 0, true
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
