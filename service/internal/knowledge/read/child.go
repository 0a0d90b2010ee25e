package read

import (
	"bufio"
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

// order is the line before each file that a child reads.
type order struct {
	Name   string        `json:"name"`
	Bytes  int           `json:"bytes"` // of the file, which follows the line
	Time   time.Duration `json:"time"`
	Memory int64         `json:"memory"` // of the process; the value of the first order applies
}

// reply is the line that a child writes for each file: either a document or a refusal.
type reply struct {
	Document *Document `json:"document,omitempty"`
	Refusal  Refusal   `json:"refusal,omitempty"`
}

// maxReply is the largest size of a reply, in bytes: escaped text, and blocks.
const maxReply = 64 << 20

// child is a running process. It no longer exists after end, or after ask has failed.
type child struct {
	process *exec.Cmd
	stdin   io.WriteCloser
	stdout  *bufio.Reader
	limits  order // for the file that it reads; Memory is for the whole process
	files   int   // how many files it has read
}

func (r *Reader) start() (*child, error) {
	command := r.Command
	if len(command) == 0 {
		program, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("read document: %w", err)
		}
		command = []string{program, Subcommand}
	}
	c := &child{process: exec.Command(command[0], command[1:]...)}
	c.limits = order{Memory: cmp.Or(r.Memory, defaultMemory)}
	// Near its limit the garbage collector works harder, so that the system doesn't end the
	// child.
	c.process.Env = []string{"GOMEMLIMIT=" + strconv.FormatInt(cmp.Or(r.Heap, c.limits.Memory*3/4), 10), "GOTRACEBACK=none"}
	ownGroup(c.process)
	stdin, err := c.process.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	stdout, err := c.process.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	c.stdin, c.stdout = stdin, bufio.NewReader(stdout)
	if err := c.process.Start(); err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	return c, nil
}

// ask makes the child read a file. If it fails, the child has ended, and the error is ctx's, a
// Refusal if the file was too much for it, or another error.
func (c *child) ask(ctx context.Context, name string, data []byte) (reply, error) {
	stop := context.AfterFunc(ctx, func() { killGroup(c.process) })
	answer, err := c.exchange(name, data)
	switch {
	case !stop(): // it was killed, perhaps after it had answered
		_ = c.gone()
		return reply{}, ctx.Err()
	case errors.Is(err, io.EOF):
		return reply{}, c.fate()
	case err != nil:
		_ = c.gone()
	}
	return answer, err
}

// exchange writes the file and reads the reply at the same time, because a child may end before
// it has read everything. If it fails, the child is killed.
func (c *child) exchange(name string, data []byte) (reply, error) {
	o := c.limits
	o.Name, o.Bytes = name, len(data)
	first, err := json.Marshal(o)
	if err != nil {
		return reply{}, fmt.Errorf("read document: %w", err)
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = io.Copy(c.stdin, io.MultiReader(bytes.NewReader(append(first, '\n')), bytes.NewReader(data)))
	}()
	var answer reply
	line, err := limitedLine(c.stdout, maxReply)
	if err == nil {
		err = json.Unmarshal(line, &answer)
	}
	if err != nil {
		killGroup(c.process) // otherwise it might never read what is still being written
		err = fmt.Errorf("read document: the child's reply: %w", err)
	}
	<-written
	return answer, err
}

// limitedLine reads a line of at most this many bytes.
func limitedLine(from *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := from.ReadSlice('\n')
		if line = append(line, part...); len(line) > most {
			return nil, TooMuchText
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// fate waits for a child that ended without an answer, and returns why. A Go program that runs
// out of memory or stack exits with 2, the race detector with other codes: only 1 is a normal end. If
// the system kills it, others have taken the memory, and the file is not at fault.
func (c *child) fate() error {
	var exit *exec.ExitError
	switch err := c.gone(); {
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		return Broken
	case errors.As(err, &exit) && exit.ExitCode() < 0:
		return fmt.Errorf("read document: the child was ended, perhaps because memory is short: %w", err)
	case errors.As(err, &exit):
		return TooMuchSpace
	}
	return errors.New("read document: the child ended without an answer")
}

// gone waits for the end of a child that was killed or has ended.
func (c *child) gone() error {
	c.stdin.Close()
	return c.process.Wait()
}

// end ends a child that waits for an order.
func (c *child) end() {
	killGroup(c.process)
	_ = c.gone()
}
