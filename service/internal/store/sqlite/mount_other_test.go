//go:build !linux

package sqlite_test

import "os"

func mount(string, string) error { return os.ErrPermission }

func unmount(string) error { return nil }
