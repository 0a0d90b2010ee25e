package test

import (
	"bufio"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
)

// program is another program, with all that it starts in turn.
type program struct {
	command *exec.Cmd
	ended   chan struct{}
}

// start starts a program in a process group of its own.
func start(command *exec.Cmd) (*program, error) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
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

// close ends the program and all that it started.
func (p *program) close() {
	_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
	<-p.ended
}

// startAndRead starts a program and reads its errors up to a line that the
// pattern finds, and gives what its first group matched.
func startAndRead(command *exec.Cmd, pattern *regexp.Regexp) (*program, string, error) {
	output, err := command.StderrPipe()
	if err != nil {
		return nil, "", err
	}
	p, err := start(command)
	if err != nil {
		return nil, "", err
	}
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
