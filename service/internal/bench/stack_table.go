package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// extent is how much is measured of each stack.
type extent struct {
	rounds, sends, inFlight, streams, open, kills int
	window                                        time.Duration // of the paced streams
}

// compareStacks prints what a send, a word and an open stream cost each stack, all
// its processes together.
func compareStacks(ctx context.Context, folder string, to io.Writer) error {
	return tabulate(ctx, folder, to, start, stacks, extent{rounds: 3, sends: 1500, inFlight: 16, streams: 500, open: 500, kills: 10, window: 6 * time.Second})
}

// row is a line of the table, a figure for each round.
type row struct {
	name    string
	figures []float64
}

// column is what was measured of a stack.
type column struct {
	rows []row
	// seen and lost are words, over all kills.
	seen, lost int
}

func (c *column) add(name string, figure float64) {
	at := slices.IndexFunc(c.rows, func(r row) bool { return r.name == name })
	if at < 0 {
		at, c.rows = len(c.rows), append(c.rows, row{name: name})
	}
	c.rows[at].figures = append(c.rows[at].figures, figure)
}

func (r row) String() string {
	slices.Sort(r.figures)
	n := len(r.figures)
	return fmt.Sprintf("%8.2f (%.2f to %.2f)", r.figures[n/2], r.figures[0], r.figures[n-1])
}

func tabulate(ctx context.Context, folder string, to io.Writer, start startFunc, stacks []stack, e extent) (err error) {
	model, err := start(ctx, ofProvider, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, model.close()) }()
	columns := make([]column, len(stacks))
	var measured []int
	for n := range e.rounds {
		for i, one := range stacks {
			if n > 0 && !slices.Contains(measured, i) {
				continue
			}
			folder := filepath.Join(folder, fmt.Sprint(n, ".", i))
			err := errors.Join(os.Mkdir(folder, 0o711), columns[i].measure(ctx, one, folder, model, e))
			var lacks missing
			if errors.As(err, &lacks) {
				if _, err := fmt.Fprintf(to, "\n%s: left out, %v\n", one.name, lacks); err != nil {
					return err
				}
				continue
			}
			if err != nil {
				return fmt.Errorf("%s: %w", one.name, err)
			}
			if n == 0 {
				measured = append(measured, i)
			}
		}
	}
	return printTable(to, stacks, columns, measured, e)
}

func printTable(to io.Writer, stacks []stack, columns []column, measured []int, e extent) error {
	_, err := fmt.Fprintf(to, "\n%d sends, %d in flight, %d words an answer; %d paced streams of a word every %v; "+
		"median (least to most) of %d alternating rounds\n\n%-36s",
		e.sends, e.inFlight, answerWords, e.streams, pace, e.rounds, "all processes but the provider's")
	cells := func(cell func(column) string) {
		for _, i := range measured {
			_, printed := fmt.Fprintf(to, "  %-28s", cell(columns[i]))
			err = errors.Join(err, printed)
		}
		_, printed := fmt.Fprintln(to)
		err = errors.Join(err, printed)
	}
	for _, i := range measured {
		_, printed := fmt.Fprintf(to, "  %-28s", stacks[i].name)
		err = errors.Join(err, printed)
	}
	_, _ = fmt.Fprintln(to)
	for n := range columns[measured[0]].rows {
		_, printed := fmt.Fprintf(to, "%-36s", columns[measured[0]].rows[n].name)
		err = errors.Join(err, printed)
		cells(func(c column) string { return c.rows[n].String() })
	}
	_, printed := fmt.Fprintf(to, "%-36s", fmt.Sprintf("words lost of those seen, %d kills", e.kills*e.rounds))
	cells(func(c column) string { return fmt.Sprintf("%5d of %d", c.lost, c.seen) })
	return errors.Join(err, printed)
}

// measure runs a round on a new stack.
func (c *column) measure(ctx context.Context, one stack, folder string, model *rival, e extent) (err error) {
	r, err := one.start(ctx, folder, model.url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, model.end(ctx), r.stop()) }()
	chats := &atomic.Int64{}
	if err := sendAll(ctx, r, chats, e.inFlight, e.sends/10, nil); err != nil { // so that one-time costs are over
		return err
	}
	for _, part := range []func(context.Context, *running, *atomic.Int64, *rival, extent) error{c.sends, c.paced, c.kills, c.open} {
		if err := part(ctx, r, chats, model, e); err != nil {
			return err
		}
	}
	return nil
}

func sendAll(ctx context.Context, r *running, chats *atomic.Int64, inFlight, count int, first func(time.Duration)) error {
	return each(count, inFlight, func(int) error {
		a, err := r.ask(ctx, int(chats.Add(1)), askAtOnce, nil)
		if err != nil {
			return err
		}
		if words := wordsIn(a.events.String(), r.beforeWord); words != answerWords {
			return fmt.Errorf("an answer has %d words, want %d: %s", words, answerWords, a.events.String())
		}
		if first != nil {
			first(a.first)
		}
		return nil
	})
}

// during returns what a stack took while do ran, and after that until all is written.
func (r *running) during(ctx context.Context, do func() error) (took taking, err error) {
	if _, err := r.settle(ctx); err != nil {
		return taking{}, err
	}
	disk := writtenToDisk()
	before, err := r.taken()
	if err != nil {
		return taking{}, err
	}
	if err := do(); err != nil {
		return taking{}, err
	}
	after, err := r.taken()
	if err != nil {
		return taking{}, err
	}
	here, err := r.settle(ctx)
	if err != nil {
		return taking{}, err
	}
	settled, err := r.taken()
	took = after.since(before)
	took.written = settled.written - before.written + here
	took.disk = writtenToDisk() - disk
	return took, err
}

const kB = 1000

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func (c *column) sends(ctx context.Context, r *running, chats *atomic.Int64, _ *rival, e extent) error {
	var mu sync.Mutex
	var firsts times
	var took time.Duration
	used, err := r.during(ctx, func() error {
		begun := time.Now()
		defer func() { took = time.Since(begun) }()
		return sendAll(ctx, r, chats, e.inFlight, e.sends, func(first time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			firsts = append(firsts, first)
		})
	})
	if err != nil {
		return err
	}
	slices.Sort(firsts)
	c.add("processor ms a send", ms(used.processor)/float64(e.sends))
	c.add("sends a second", float64(e.sends)/took.Seconds())
	c.add("first event, 50th percentile, ms", ms(firsts.median()))
	c.add("first event, 99th percentile, ms", ms(firsts[len(firsts)*99/100]))
	c.add("KB written a send", float64(used.written)/kB/float64(e.sends))
	c.add("the same as the disk counts", float64(used.disk)/kB/float64(e.sends))
	return nil
}

// runningStreams are those that a stack answers until the model ends them.
type runningStreams struct {
	words   atomic.Int64
	readers sync.WaitGroup
	failed  atomic.Pointer[error]
}

func (r *running) openMany(ctx context.Context, chats *atomic.Int64, count int, question string) (*runningStreams, error) {
	s := &runningStreams{}
	err := each(count, openers, func(int) error {
		opened := make(chan struct{})
		var once sync.Once
		s.readers.Go(func() {
			_, err := r.ask(ctx, int(chats.Add(1)), question, func(part string) {
				s.words.Add(int64(wordsIn(part, r.beforeWord)))
				once.Do(func() { close(opened) })
			})
			if err != nil {
				s.failed.Store(&err)
			}
			once.Do(func() { close(opened) })
		})
		<-opened
		return nil
	})
	return s, errors.Join(err, s.err())
}

func (s *runningStreams) err() error {
	if err := s.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// end makes the model end the answers.
func (s *runningStreams) end(ctx context.Context, model *rival) error {
	err := model.end(ctx)
	s.readers.Wait()
	return errors.Join(err, s.err())
}

// settling is how long streams run before they are measured.
const settling = 2 * time.Second

func (c *column) paced(ctx context.Context, r *running, chats *atomic.Int64, model *rival, e extent) error {
	streams, err := r.openMany(ctx, chats, e.streams, askPaced)
	if err != nil {
		return err
	}
	time.Sleep(min(settling, e.window))
	var words int64
	used, err := r.during(ctx, func() error {
		before := streams.words.Load()
		time.Sleep(e.window)
		words = streams.words.Load() - before
		return nil
	})
	if err = errors.Join(err, streams.end(ctx, model)); err != nil {
		return err
	}
	c.add("processor ms a word, paced", ms(used.processor)/float64(words))
	c.add("KB written a word, paced", float64(used.written)/kB/float64(words))
	c.add("a word, as the disk counts", float64(used.disk)/kB/float64(words))
	c.add("words a second, paced", float64(words)/e.window.Seconds())
	return nil
}

func (c *column) open(ctx context.Context, r *running, chats *atomic.Int64, model *rival, e extent) error {
	if err := r.crash(ctx); err != nil { // a new process: what is open is all that it has
		return err
	}
	if err := sendAll(ctx, r, chats, e.inFlight, e.sends/10, nil); err != nil {
		return err
	}
	before, err := r.taken()
	if err != nil {
		return err
	}
	streams, err := r.openMany(ctx, chats, e.open, askAndHold)
	if err != nil {
		return err
	}
	time.Sleep(min(settling, e.window))
	after, err := r.taken()
	c.add("KB an open stream", float64(after.memory-before.memory)/kB/float64(e.open))
	return errors.Join(err, streams.end(ctx, model))
}

// killed is how many answers run when a stack is killed.
const killed = 8

func (c *column) kills(ctx context.Context, r *running, chats *atomic.Int64, _ *rival, e extent) error {
	for range e.kills {
		if err := c.kill(ctx, r, chats); err != nil {
			return err
		}
	}
	return nil
}

// kill kills a stack when some words have been seen, and looks for them after that.
func (c *column) kill(ctx context.Context, r *running, chats *atomic.Int64) error {
	var left atomic.Int64
	left.Store(1 + rand.Int64N(killed*answerWords*9/10))
	due := make(chan struct{})
	var once sync.Once
	answers := make([]*answer, killed)
	var readers sync.WaitGroup
	for n := range answers {
		readers.Go(func() {
			answers[n], _ = r.ask(ctx, int(chats.Add(1)), askQuick, func(part string) { // its error is the kill
				if left.Add(-int64(wordsIn(part, r.beforeWord))) <= 0 {
					once.Do(func() { close(due) })
				}
			})
		})
	}
	go func() {
		readers.Wait()
		once.Do(func() { close(due) })
	}()
	<-due
	err := r.crash(ctx)
	readers.Wait()
	if err != nil {
		return err
	}
	var seen, lost atomic.Int64
	err = each(killed, killed, func(n int) error {
		words := wordsIn(answers[n].events.String(), r.beforeWord)
		if words == 0 {
			return nil
		}
		stored, err := r.wordsStored(ctx, answers[n])
		seen.Add(int64(words))
		lost.Add(int64(max(0, words-stored)))
		return err
	})
	c.seen += int(seen.Load())
	c.lost += int(lost.Load())
	return err
}

// storedWait is how long reading what is left of an answer may take.
const storedWait = 2 * time.Second

// wordsStored returns how many words of an answer are left.
func (r *running) wordsStored(ctx context.Context, of *answer) (most int, err error) {
	requests, err := r.stored(ctx, of.chat, of.events.String())
	if err != nil {
		return 0, err
	}
	for _, request := range requests {
		waiting, cancel := context.WithTimeout(ctx, storedWait)
		defer cancel()
		response, err := r.client.Do(request.WithContext(waiting))
		if errors.Is(err, context.DeadlineExceeded) {
			continue
		}
		if err != nil {
			return 0, err
		}
		text, err := io.ReadAll(response.Body)
		if errors.Is(err, context.DeadlineExceeded) {
			err = nil // the part so far counts
		}
		if err = errors.Join(err, response.Body.Close()); err != nil {
			return 0, err
		}
		if response.StatusCode >= 300 {
			return 0, fmt.Errorf("the request for a stored answer was answered with status %d: %s", response.StatusCode, text)
		}
		most = max(most, wordsIn(string(text), ""))
	}
	return most, nil
}
