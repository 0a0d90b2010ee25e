package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// firstEvents prints how long the first event of an answer takes while others
// run.
func firstEvents(ctx context.Context, folder string, to io.Writer) error {
	return awaitFirst(ctx, folder, to, start, 1000, 200, 3)
}

func awaitFirst(ctx context.Context, folder string, to io.Writer, start startFunc, streams, probes, rounds int) (err error) {
	service, bare, err := pair(ctx, folder, start)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.close(), bare.close()) }()
	users := newUsers(streams)
	var ofService, ofBare waits
	for range rounds {
		if err := errors.Join(ofService.round(ctx, service, users, probes), ofBare.round(ctx, bare, users, probes)); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(to, "\n%d streams run, each a word every %v; %d further messages, one every %v: milliseconds to the first event, median (shortest to longest) of %d alternating rounds\n\n%-24s %-32s %-32s %s\n",
		streams, pace, probes, probePause, rounds, "first event", "service", "bare net/http", "ratio")
	return errors.Join(err,
		printRow(to, "50th percentile", ofService.p50, ofBare.p50),
		printRow(to, "99th percentile", ofService.p99, ofBare.p99),
		printRow(to, "processor ms a word", ofService.processor, ofBare.processor),
		printSizes(to, "words a second", ofService.words, ofBare.words))
}

// probePause is the time from one further message to the next.
const probePause = 20 * time.Millisecond

// waits are what was measured in each round: percentiles, and of the running
// streams the words a second and what a word took.
type waits struct {
	p50, p99, processor times
	words               sizes
}

// round lets a stream run for each user and then measures.
func (w *waits) round(ctx context.Context, r *rival, users []user, probes int) (err error) {
	running, err := openAll(ctx, r, users, len(users), questionToRun)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, running.end(ctx)) }()
	var took times
	words, begun := running.bytes.Load(), time.Now()
	err = r.processor(ctx, 1, &w.processor, func() (err error) {
		took, err = probe(ctx, r, users, probes)
		return err
	})
	if err != nil {
		return err
	}
	words = (running.bytes.Load() - words) / bytesOfWord
	w.words = append(w.words, int(float64(words)/time.Since(begun).Seconds()))
	w.processor[len(w.processor)-1] /= time.Duration(max(words, 1))
	slices.Sort(took)
	w.p50, w.p99 = append(w.p50, took.median()), append(w.p99, took[len(took)*99/100])
	return nil
}

// probe sends one message after the other and returns how long each took to its
// first event.
func probe(ctx context.Context, r *rival, users []user, count int) (took times, err error) {
	next := time.NewTicker(probePause)
	defer next.Stop()
	for n := range count {
		<-next.C
		begun := time.Now()
		rest, err := r.open(ctx, users[n%len(users)], question)
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(begun))
		_, err = io.Copy(io.Discard, rest)
		if err := errors.Join(err, rest.Close()); err != nil {
			return nil, err
		}
	}
	return took, nil
}

// bytesOfWord is the size of an event of a running answer whose id has two
// digits, as most have.
const bytesOfWord = int64(len("id: 10\nevent: chunk\ndata: {\"text\":\"" + spoken + "\"}\n\n"))

// opened are streams that are open, and read as they come.
type opened struct {
	rival   *rival
	rests   []io.ReadCloser
	bytes   atomic.Int64
	readers sync.WaitGroup
}

// openers is how many streams are opened at once.
const openers = 16

func openAll(ctx context.Context, r *rival, users []user, count int, question string) (*opened, error) {
	o := &opened{rival: r, rests: make([]io.ReadCloser, count)}
	err := each(count, openers, func(n int) (err error) {
		if o.rests[n], err = r.open(ctx, users[n%len(users)], question); err == nil {
			o.readers.Go(func() { _, _ = io.Copy(counter{&o.bytes}, o.rests[n]) }) // end reports an error
		}
		return err
	})
	if err != nil {
		return nil, errors.Join(err, o.end(ctx))
	}
	return o, nil
}

type counter struct{ bytes *atomic.Int64 }

func (c counter) Write(part []byte) (int, error) {
	c.bytes.Add(int64(len(part)))
	return len(part), nil
}

// end ends the answers and closes the streams.
func (o *opened) end(ctx context.Context) error {
	err := o.rival.end(ctx)
	o.readers.Wait()
	for _, rest := range o.rests {
		if rest != nil {
			_, read := io.Copy(io.Discard, rest)
			err = errors.Join(err, read, rest.Close())
		}
	}
	return err
}

// openStreams prints how much memory an open stream takes.
func openStreams(ctx context.Context, folder string, to io.Writer) error {
	return holdOpen(ctx, folder, to, start, min(2000, openFiles()-reserve), 3)
}

// reserve is for the files that a process opens besides its connections.
const reserve = 200

// openFiles is how many files a process may have open. Go has raised it as far
// as it may.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 1024
	}
	return int(min(limit.Cur, 1<<20))
}

func holdOpen(ctx context.Context, folder string, to io.Writer, start startFunc, count, rounds int) error {
	users := newUsers(min(count, 1000))
	var ofService, ofBare held
	for n := range rounds {
		if err := holdBoth(ctx, filepath.Join(folder, fmt.Sprint(n)), start, users, count, &ofService, &ofBare); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(to, "\n%d streams held open: bytes of memory for each, median (least to most) of %d alternating rounds\n\n%-24s %-32s %-32s %s\n",
		count, rounds, "", "service", "bare net/http", "ratio")
	return errors.Join(err,
		printSizes(to, "heap and stacks", ofService.live, ofBare.live),
		printSizes(to, "resident", ofService.resident, ofBare.resident))
}

// sizes are counts, sorted.
type sizes []int

func (s sizes) median() int    { return s[len(s)/2] }
func (s sizes) String() string { return fmt.Sprintf("%8d (%d to %d)", s.median(), s[0], s[len(s)-1]) }

func printSizes(to io.Writer, name string, ofService, ofBare sizes) error {
	slices.Sort(ofService)
	slices.Sort(ofBare)
	_, err := fmt.Fprintf(to, "%-24s %-32v %-32v %5.2f\n", name, ofService, ofBare, float64(ofService.median())/float64(ofBare.median()))
	return err
}

// holdBoth measures both in new processes.
func holdBoth(ctx context.Context, folder string, start startFunc, users []user, count int, ofService, ofBare *held) (err error) {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	service, bare, err := pair(ctx, folder, start)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.close(), bare.close()) }()
	return errors.Join(ofService.measure(ctx, service, users, count), ofBare.measure(ctx, bare, users, count))
}

// held is how much memory a stream took in each round.
type held struct{ live, resident sizes }

// measure compares a process with streams with the same process without them.
func (h *held) measure(ctx context.Context, r *rival, users []user, count int) (err error) {
	if _, err := r.ask(ctx, users[0], question); err != nil { // so that what is made only once exists
		return err
	}
	before, err := r.use(ctx)
	if err != nil {
		return err
	}
	streams, err := openAll(ctx, r, users, count, questionToHold)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, streams.end(ctx)) }()
	with, err := r.use(ctx)
	h.live = append(h.live, (with.live-before.live)/count)
	h.resident = append(h.resident, (with.resident-before.resident)/count)
	return err
}
