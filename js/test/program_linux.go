package test

import "syscall"

// ownGroup puts a program in a process group of its own, and has it end when the
// tests are killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
