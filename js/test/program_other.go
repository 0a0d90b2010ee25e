//go:build !linux

package test

import "syscall"

// ownGroup puts a program in a process group of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
