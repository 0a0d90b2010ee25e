//go:build unix

package read_test

import (
	"os"
	"syscall"
)

// lock waits until no other process has the file locked.
func lock(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_EX) }
