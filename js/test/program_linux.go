package test

import "syscall"

// ownGroup puts a program into its own process group, and ends it when the tests are killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
