//go:build unix

package read

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the child a process group of its own, which ends with it.
func ownGroup(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	child.Cancel = func() error { return syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
}
