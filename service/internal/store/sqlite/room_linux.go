package sqlite

import (
	"os"

	"golang.org/x/sys/unix"
)

// roomIn returns how many bytes may still be written in a folder; known is false if nobody knows.
func roomIn(folder string) (bytes int64, known bool) {
	var found unix.Statfs_t
	if err := unix.Statfs(folder, &found); err != nil {
		return 0, false
	}
	return int64(found.Bavail) * found.Bsize, true
}

// allocate gives a file this many bytes of the disk.
func allocate(file *os.File, bytes int64) error { return unix.Fallocate(int(file.Fd()), 0, 0, bytes) }
