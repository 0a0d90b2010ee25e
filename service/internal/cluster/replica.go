//go:build unix

package cluster

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
)

//go:embed replica.sh
var script string

// Replica is one slot of the cluster, in which one process after another runs.
type Replica struct {
	// Name is the name in its logs and metrics.
	Name string
	// Link connects it to the database.
	Link *Link

	binary string
	env    []string
	log    io.Writer

	mu  sync.Mutex
	run *process // the process that was started last
	at  string   // its HOST:PORT, even after it has ended
}

// process is one run of the service.
type process struct {
	cmd   *exec.Cmd
	input io.WriteCloser
	ended chan struct{} // closed when it has ended
	err   error         // the result of Wait, once ended is closed
}

// Start runs the service on a free port, and waits until it listens. It doesn't reuse the port of
// the previous run, which another program may have by now.
func (r *Replica) Start() error {
	p := &process{cmd: exec.Command("/bin/sh", "-c", script, "replica.sh", r.binary, "-addr", "127.0.0.1:0"), ended: make(chan struct{})}
	p.cmd.Env, p.cmd.Stderr = r.env, r.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C should only reach the program that started it
	// Wait would close pipes made by package exec too early.
	from, input, err := os.Pipe()
	if err != nil {
		return err
	}
	output, into, err := os.Pipe()
	if err != nil {
		return errors.Join(err, from.Close(), input.Close())
	}
	p.cmd.Stdin, p.cmd.Stdout, p.input = from, into, input
	if err = errors.Join(p.cmd.Start(), from.Close(), into.Close()); err != nil {
		return errors.Join(err, input.Close(), output.Close())
	}
	go p.wait()
	said := bufio.NewReader(output)
	line, err := said.ReadString('\n')
	go func() {
		_, _ = io.Copy(io.Discard, said) // to the end: a service would get SIGPIPE if nobody read its output
		_ = output.Close()
	}()
	address, found := strings.CutPrefix(strings.TrimSpace(line), "listening on http://")
	if err != nil || !found {
		p.kill()
		return fmt.Errorf("replica %s says %q instead of where it listens: %w; its log says why", r.Name, line, errors.Join(err, p.err))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run, r.at = p, address
	return nil
}

// wait tells the shell's watcher that the process has ended by itself.
func (p *process) wait() {
	p.err = p.cmd.Wait()
	_, _ = io.WriteString(p.input, "ended\n")
	_ = p.input.Close()
	close(p.ended)
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended already
	<-p.ended
}

// Address is its HOST:PORT, empty before the first start.
func (r *Replica) Address() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at
}

// PID is the id of the process that was started last.
func (r *Replica) PID() int { return r.last().cmd.Process.Pid }

func (r *Replica) last() *process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.run
}

// Ended is closed when the process that was started last has ended.
func (r *Replica) Ended() <-chan struct{} { return r.last().ended }

// Kill ends the process at once.
func (r *Replica) Kill() { r.last().kill() }

// Signal sends the process a signal.
func (r *Replica) Signal(signal os.Signal) error { return r.last().cmd.Process.Signal(signal) }

// Stop asks the process to end, and waits until it has.
func (r *Replica) Stop() error {
	p := r.last()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.ended
	return p.err
}
