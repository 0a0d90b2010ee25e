package test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
)

// program is a program that was started, with all programs that it starts itself.
type program struct {
	command *exec.Cmd
	ended   chan struct{}
	// output is the output that is read, or nil.
	output io.Closer
}

// start starts a program in its own process group.
func start(command *exec.Cmd) (*program, error) {
	command.SysProcAttr = ownGroup()
	if err := command.Start(); err != nil {
		return nil, err
	}
	p := &program{command: command, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		_ = command.Wait()
	}()
	return p, nil
}

// close ends the program and everything that it started.
func (p *program) close() {
	_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
	<-p.ended
	if p.output != nil {
		_ = p.output.Close() // it is only for reading
	}
}

// startAndRead starts a program and reads its standard error until a line matches the pattern. It
// returns the first group.
func startAndRead(command *exec.Cmd, pattern *regexp.Regexp) (*program, string, error) {
	output, stderr, err := os.Pipe()
	if err != nil {
		return nil, "", err
	}
	command.Stderr = stderr
	p, err := start(command)
	_ = stderr.Close() // the program has its own
	if err != nil {
		return nil, "", errors.Join(err, output.Close())
	}
	p.output = output
	var said strings.Builder
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if match := pattern.FindSubmatch(lines.Bytes()); match != nil {
			go func() {
				for lines.Scan() {
				}
			}()
			return p, string(match[1]), nil
		}
		fmt.Fprintln(&said, lines.Text())
	}
	p.close()
	return nil, "", fmt.Errorf("%s does not start: %s", command.Path, said.String())
}
