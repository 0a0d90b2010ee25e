//go:build unix

package read

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the child a process group of its own, which killGroup ends.
func ownGroup(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup kills a child that was not waited for yet, and what it started.
func killGroup(child *exec.Cmd) {
	_ = syscall.Kill(-child.Process.Pid, syscall.SIGKILL)
}
