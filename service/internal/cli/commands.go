package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
)

// A subcommand comes before all flags. The help lists it only if does is set.
type subcommand struct {
	name, does string
	run        func(invocation) error
}

func subcommands() []subcommand {
	return []subcommand{
		lines("detect", "find what messages say about their writers, with the embedded detector",
			`{"id", "text"}`, `{"id", "memories": [{"type", "content", "confidence", "span": {"start", "end"}}]}`, detect),
		lines("duplicates", "say which pairs of statements would be stored as one memory",
			`{"id", "a", "b"}`, `{"id", "duplicate": true or false}`, duplicates),
		{"import", "put the files of a folder into the project's documents", importFolder},
		{"move-data", "copy the folder DATA into an empty database DATABASE_URL", moveData},
		// The child process in which the service reads documents.
		{read.Subcommand, "", func(c invocation) error { return read.Serve(c.stdin, c.stdout) }},
	}
}

// lines makes a subcommand that answers each line of JSON with one line. It does not start the
// service, and ends with its input or at any signal.
func lines(name, does, reads, writes string, work func(stdin io.Reader, stdout io.Writer) error) subcommand {
	return subcommand{name, does, func(c invocation) error {
		flags := flag.NewFlagSet(name, flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		switch err := flags.Parse(c.args); {
		case errors.Is(err, flag.ErrHelp):
			_, err = fmt.Fprintf(c.stdout, "service %s: %s\n\nIt takes no flags. Each line of JSON is answered by one; other fields are ignored.\n\n"+
				"  standard input   %s\n  standard output  %s\n", name, does, reads, writes)
			return err
		case len(c.args) > 0:
			return fmt.Errorf("argument %q, want none: it reads standard input", c.args[0])
		}
		return work(c.stdin, c.stdout)
	}}
}

// maxLine is the largest size of one line of input, in bytes.
const maxLine = 1 << 20

// eachLine answers every line of input with one line of output, until one fails. It writes an
// answer before it reads the next line.
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
