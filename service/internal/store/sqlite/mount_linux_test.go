package sqlite_test

import (
	"strings"

	"golang.org/x/sys/unix"
)

// mount mounts an empty file system of this size in a folder, or changes the size.
func mount(folder, size string) error {
	if options, found := strings.CutPrefix(size, "remount,"); found {
		return unix.Mount("tmpfs", folder, "tmpfs", unix.MS_REMOUNT, options)
	}
	return unix.Mount("tmpfs", folder, "tmpfs", 0, "size="+size)
}

func unmount(folder string) error { return unix.Unmount(folder, unix.MNT_DETACH) }
