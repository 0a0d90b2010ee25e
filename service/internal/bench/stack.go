package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// stack is a way to answer messages, with every process that it needs.
type stack struct {
	name string
	// start starts it in an empty folder, with a model at an address. The caller
	// stops it. If something isn't installed, the error is a missing.
	start func(ctx context.Context, folder, model string) (*running, error)
}

// stacks are the columns of the table, in order.
var stacks = []stack{
	{"service, SQLite", startOnSQLite}, {"service, PostgreSQL", startOnPostgres(1)}, {"three of it, PostgreSQL", startOnPostgres(3)},
	{"AI SDK 7, Redis, PostgreSQL", startAISDK},
}

// missing says what a stack needs that this machine doesn't have.
type missing struct{ what string }

func (m missing) Error() string { return m.what + " is not available here" }

// running is a stack that runs.
type running struct {
	client *http.Client
	// front are the processes that answer requests, and end with a crash.
	front []*child
	// behind are the processes that stay: databases.
	behind []database
	// restart starts the front again.
	restart func(ctx context.Context) error
	// settle makes the databases write delayed data, and returns how many bytes of it
	// this process wrote.
	settle func(ctx context.Context) (int64, error)
	// request asks in the new chat with a number.
	request func(ctx context.Context, chat int, question string) (*http.Request, error)
	// stored are the requests for what is left of an answer whose first events are known.
	stored func(ctx context.Context, chat int, events string) ([]*http.Request, error)
	// elsewhere is a request for the whole answer to another replica, nil if there is none.
	elsewhere func(ctx context.Context, chat int, events string) (*http.Request, error)
	// beforeWord comes before each word in the events of an answer, and nowhere else in them.
	beforeWord string
}

// database is the process of a database, with what ends it.
type database struct {
	pid int
	end func() error
}

func (r *running) taken() (taking, error) {
	var roots []int
	for _, one := range r.front {
		roots = append(roots, one.Process.Pid)
	}
	for _, one := range r.behind {
		roots = append(roots, one.pid)
	}
	return takenBy(roots)
}

// crash kills the front and starts it again.
func (r *running) crash(ctx context.Context) error {
	for _, one := range r.front {
		if err := one.end(syscall.SIGKILL); err != nil {
			return err
		}
	}
	r.front = nil
	return r.restart(ctx)
}

func (r *running) stop() error {
	r.client.CloseIdleConnections()
	var all []error
	for _, one := range r.front {
		all = append(all, one.end(syscall.SIGTERM))
	}
	for _, one := range r.behind {
		all = append(all, one.end())
	}
	return errors.Join(all...)
}

// child is a process of a stack.
type child struct {
	*exec.Cmd
	ended chan struct{}
}

// startChild starts a program, waits for a line of its output that has the text
// says, and returns the rest of the line. Without a Stderr, its errors go to the
// same output.
func startChild(program *exec.Cmd, says string) (*child, string, error) {
	output, err := program.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if program.Stderr == nil {
		program.Stderr = program.Stdout
	}
	if err := program.Start(); err != nil {
		return nil, "", err
	}
	one := &child{program, make(chan struct{})}
	found := make(chan string, 1)
	go func() {
		defer close(one.ended)
		defer close(found)
		lines := bufio.NewScanner(output)
		for told := false; lines.Scan(); {
			if _, rest, is := strings.Cut(lines.Text(), says); is && !told {
				found <- rest
				told = true
			}
		}
		_ = program.Wait()
	}()
	select {
	case rest, is := <-found:
		if is {
			return one, rest, nil
		}
	case <-time.After(time.Minute):
	}
	return nil, "", errors.Join(fmt.Errorf("%s did not say %q", program.Path, says), one.end(syscall.SIGKILL))
}

// end signals a process and waits for its end.
func (c *child) end(signal os.Signal) error {
	err := c.Process.Signal(signal)
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	select {
	case <-c.ended:
	case <-time.After(time.Minute):
		return errors.Join(err, fmt.Errorf("%s still runs after %v", c.Path, signal), c.Process.Kill())
	}
	return err
}

// answer is what one request brought.
type answer struct {
	chat   int
	events strings.Builder
	first  time.Duration // to the first event
}

// ask reads an answer to its end, or until the connection breaks, which is the
// error. seen is called with each part.
func (r *running) ask(ctx context.Context, chat int, question string, seen func(string)) (*answer, error) {
	request, err := r.request(ctx, chat, question)
	if err != nil {
		return &answer{}, err
	}
	return r.read(request, chat, seen)
}

// read is ask for a request that exists already.
func (r *running) read(request *http.Request, chat int, seen func(string)) (*answer, error) {
	a := &answer{chat: chat}
	begun := time.Now()
	response, err := r.client.Do(request)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		return a, fmt.Errorf("a message was answered with status %d: %s", response.StatusCode, text)
	}
	for part := make([]byte, 4096); ; {
		n, err := response.Body.Read(part)
		if a.first == 0 && n > 0 {
			a.first = time.Since(begun)
		}
		a.events.Write(part[:n])
		if seen != nil {
			seen(string(part[:n]))
		}
		if err == io.EOF {
			return a, nil
		}
		if err != nil {
			return a, err
		}
	}
}
