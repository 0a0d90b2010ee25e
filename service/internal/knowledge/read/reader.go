package read

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// Reader reads files in a child process each, so that a file that takes all time
// or memory, or crashes what reads it, costs only itself. Its zero value runs
// the program that it is part of, which must hand over to Serve when its
// arguments are Subcommand. It is safe for use at once; each call may take
// Memory, so that the caller bounds how many run.
//
// The child gets nothing of the environment. Its memory is bounded by the system
// on Linux; elsewhere it watches itself.
type Reader struct {
	Command []string      // the program and its arguments; the default is this program with Subcommand
	Time    time.Duration // for one file; 0 is 20 s
	Memory  int64         // for one file, in bytes; 0 is 512 MiB
	Bytes   int           // what a file may have; 0 is 25 MiB
}

// Subcommand is the argument that makes this program the child of a Reader.
const Subcommand = "read-document"

// Limits of a Reader where it sets none.
const (
	defaultTime   = 20 * time.Second
	defaultMemory = 512 << 20
	defaultBytes  = 25 << 20
)

// maxAnswer is what the child may write: text, escaped, and blocks.
const maxAnswer = 64 << 20

// order is the first line of what the child reads; the file follows.
type order struct {
	Name   string        `json:"name"`
	Time   time.Duration `json:"time"`
	Memory int64         `json:"memory"`
}

// reply is what the child writes: one of the two.
type reply struct {
	Document *Document `json:"document,omitempty"`
	Refusal  Refusal   `json:"refusal,omitempty"`
}

// Read reads a file. The error is a Refusal, ctx's, or says that the child could
// not be started, which is no fault of the file. When Read returns, the child
// and all that it started are gone.
func (r Reader) Read(ctx context.Context, name string, data []byte) (Document, error) {
	switch {
	case len(data) == 0:
		return Document{}, Empty
	case len(data) > cmp.Or(r.Bytes, defaultBytes):
		return Document{}, TooLarge
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(r.Time, defaultTime))
	defer cancel()
	answer, err := r.run(limited, name, data)
	switch {
	case ctx.Err() != nil:
		return Document{}, ctx.Err()
	case limited.Err() != nil:
		return Document{}, TooSlow
	case err != nil:
		return Document{}, err
	case answer.Document == nil:
		return Document{}, answer.Refusal
	}
	return *answer.Document, nil
}

// run runs the child to its end.
func (r Reader) run(ctx context.Context, name string, data []byte) (reply, error) {
	memory := cmp.Or(r.Memory, defaultMemory)
	first, err := json.Marshal(order{name, cmp.Or(r.Time, defaultTime), memory})
	if err != nil {
		return reply{}, fmt.Errorf("read document: %w", err)
	}
	command, err := r.command()
	if err != nil {
		return reply{}, fmt.Errorf("read document: %w", err)
	}
	child := exec.CommandContext(ctx, command[0], command[1:]...)
	// Near its limit the collector works more rather than let the system end
	// the child.
	child.Env = []string{"GOMEMLIMIT=" + strconv.FormatInt(memory*3/4, 10), "GOTRACEBACK=none"}
	child.Stdin = io.MultiReader(bytes.NewReader(append(first, '\n')), bytes.NewReader(data))
	output := &capped{room: maxAnswer}
	child.Stdout = output
	ownGroup(child)
	child.WaitDelay = time.Second // for what the child left that holds its output
	return answerOf(child.Run(), output)
}

func (r Reader) command() ([]string, error) {
	if len(r.Command) > 0 {
		return r.Command, nil
	}
	program, err := os.Executable()
	return []string{program, Subcommand}, err
}

// answerOf tells what the end of a child means. A Go program that has no more
// memory, or no more stack, ends with 2; what the system ends has no code.
func answerOf(err error, output *capped) (reply, error) {
	var exit *exec.ExitError
	switch {
	case output.full:
		return reply{}, TooMuchText
	case errors.As(err, &exit) && (exit.ExitCode() == codeMemory || exit.ExitCode() < 0):
		return reply{}, TooMuchSpace
	case errors.As(err, &exit):
		return reply{}, Broken
	case err != nil:
		return reply{}, fmt.Errorf("read document: %w", err)
	}
	var answer reply
	if err := json.Unmarshal(output.text.Bytes(), &answer); err != nil {
		return reply{}, fmt.Errorf("read document: the child's answer: %w", err)
	}
	return answer, nil
}

// codeMemory is the exit code of Go's runtime for its own fatal errors.
const codeMemory = 2

// capped keeps what is written, as far as there is room, and then fails.
type capped struct {
	text bytes.Buffer
	room int
	full bool
}

func (c *capped) Write(part []byte) (int, error) {
	if c.text.Len()+len(part) > c.room {
		c.full = true
		return 0, errors.New("the answer is too long")
	}
	return c.text.Write(part)
}
