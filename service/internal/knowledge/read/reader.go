package read

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// Reader reads files in a child process, so that a file that takes all time or memory, or crashes
// its reader, harms only that process. The zero value runs this same program, which must call
// Serve if its arguments are Subcommand. It is safe for concurrent use, with a child for each
// call. The caller limits how many run, because each may take Memory.
//
// A child that has read a file successfully is kept for the next one: Close ends it. It gets no
// environment variables, and ends when this process does. On Linux the system limits its memory, and ends a child
// before anything else if a container has no memory left; elsewhere it watches itself.
type Reader struct {
	Command []string      // the program and its arguments; the default is this program with Subcommand
	Time    time.Duration // for one file; 0 is 3 s and 1 s more for each MiB of it, at most 20 s
	Memory  int64         // of a child, in bytes; 0 is 512 MiB
	Heap    int64         // what a child tries to stay below, in bytes; 0 is three quarters of Memory
	Bytes   int           // the largest file; 0 means 25 MiB

	mu   sync.Mutex
	idle *child
}

// Subcommand is the argument that makes this program the child of a Reader.
const Subcommand = "read-document"

// The default limits of a Reader.
const (
	leastTime     = 3 * time.Second
	timeOfMiB     = time.Second
	mostTime      = 20 * time.Second
	defaultMemory = 512 << 20
	defaultBytes  = 25 << 20
)

// timeFor returns how long a Reader without Time may read a file of this size. A file of some KB
// takes milliseconds; a file that is made to take as long as possible gets a few seconds.
func timeFor(size int) time.Duration {
	return min(leastTime+time.Duration(float64(size)/(1<<20)*float64(timeOfMiB)), mostTime)
}

// Read reads a file. The error is a Refusal, ctx's, or says that the child could not be started,
// in which case the file is not at fault. If a child did not answer, it and all processes that it
// has started are gone when Read returns.
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

// ask asks a child. If a child that had read other files fails, one of those may be the cause: so
// a new child tries again.
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

// Close ends the child that is kept. If the Reader is used afterwards, it starts another one.
func (r *Reader) Close() {
	r.mu.Lock()
	c := r.idle
	r.idle = nil
	r.mu.Unlock()
	if c != nil {
		c.end()
	}
}

// take returns the child that is kept, or a new one.
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

// keep keeps a child, unless there is one already or it has read enough files: then whatever
// those left behind ends with it.
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
