//go:build unix

package read

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the child its own process group, which killGroup ends.
func ownGroup(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup kills a child for which nobody has waited yet, and the processes that it has started.
func killGroup(child *exec.Cmd) {
	_ = syscall.Kill(-child.Process.Pid, syscall.SIGKILL)
}
