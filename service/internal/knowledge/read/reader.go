package read

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// Reader reads files in a child process, so that a file that takes all time or
// memory, or crashes what reads it, costs only itself. Its zero value runs the
// program that it is part of, which must hand over to Serve when its arguments
// are Subcommand. It is safe for use at once, and then has a child for each
// call; the caller bounds how many run, since each may take Memory.
//
// A child that read a file well is kept for the next one: Close ends it. It gets
// nothing of the environment, and ends when this process does. Its memory is
// bounded by the system on Linux; elsewhere it watches itself.
type Reader struct {
	Command []string      // the program and its arguments; the default is this program with Subcommand
	Time    time.Duration // for one file; 0 is 3 s and 1 s more for each MiB of it, at most 20 s
	Memory  int64         // of a child, in bytes; 0 is 512 MiB
	Bytes   int           // what a file may have; 0 is 25 MiB

	mu   sync.Mutex
	idle *child
}

// Subcommand is the argument that makes this program the child of a Reader.
const Subcommand = "read-document"

// Limits of a Reader where it sets none.
const (
	leastTime     = 3 * time.Second
	timeOfMiB     = time.Second
	mostTime      = 20 * time.Second
	defaultMemory = 512 << 20
	defaultBytes  = 25 << 20
)

// timeFor is what a Reader gives a file of so many bytes where it has no Time. A
// file of some KB takes milliseconds; one that is made to take all there is gets a
// few seconds.
func timeFor(size int) time.Duration {
	return min(leastTime+time.Duration(float64(size)/(1<<20)*float64(timeOfMiB)), mostTime)
}

// Read reads a file. The error is a Refusal, ctx's, or says that the child could
// not be started, which is no fault of the file. A child that did not answer is
// gone, with all that it started, when Read returns.
func (r *Reader) Read(ctx context.Context, name string, data []byte) (Document, error) {
	switch {
	case len(data) == 0:
		return Document{}, Empty
	case len(data) > cmp.Or(r.Bytes, defaultBytes):
		return Document{}, TooLarge
	}
	answer, err := r.ask(ctx, name, data)
	switch {
	case err != nil:
		return Document{}, err
	case answer.Document == nil:
		return Document{}, answer.Refusal
	}
	return *answer.Document, nil
}

// ask asks a child. One that had read other files before it failed may have
// failed of these: the next is a new one.
func (r *Reader) ask(ctx context.Context, name string, data []byte) (reply, error) {
	limit := cmp.Or(r.Time, timeFor(len(data)))
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		c, err := r.take()
		if err != nil {
			return reply{}, err
		}
		c.limits.Time = limit
		answer, err := c.ask(limited, name, data)
		switch {
		case err == nil:
			r.keep(c)
			return answer, nil
		case ctx.Err() != nil:
			return reply{}, ctx.Err()
		case limited.Err() != nil:
			return reply{}, TooSlow
		case c.files == 0:
			return reply{}, err
		}
	}
}

// Close ends the child that is kept. A Reader that is used afterwards starts
// another.
func (r *Reader) Close() {
	r.mu.Lock()
	c := r.idle
	r.idle = nil
	r.mu.Unlock()
	if c != nil {
		c.end()
	}
}

// take gives the child that is kept, or a new one.
func (r *Reader) take() (*child, error) {
	r.mu.Lock()
	c := r.idle
	r.idle = nil
	r.mu.Unlock()
	if c != nil {
		return c, nil
	}
	return r.start()
}

// keep keeps a child, unless there is one or it has read enough: what it may
// have left behind goes with it.
func (r *Reader) keep(c *child) {
	c.files++
	r.mu.Lock()
	kept := r.idle == nil && c.files < filesOfAChild
	if kept {
		r.idle = c
	}
	r.mu.Unlock()
	if !kept {
		c.end()
	}
}

const filesOfAChild = 500
