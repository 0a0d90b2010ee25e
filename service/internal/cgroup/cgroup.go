// Package cgroup reads how much memory the control groups of this process allow, as a container or a
// systemd unit sets it. Use Memory.
package cgroup

import (
	"bufio"
	"bytes"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// noLimit is less than what version 1 writes if there is no limit: the largest number of whole pages.
const noLimit = 1 << 60

// Memory returns the smallest limit of the groups that hold this process, in bytes, 0 for none. root is
// the root of the file system. It knows both versions of control groups: cgroups(7).
func Memory(root fs.FS) int64 {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0 // not Linux
	}
	least := int64(0)
	for lines := bufio.NewScanner(bytes.NewReader(groups)); lines.Scan(); {
		_, rest, _ := strings.Cut(lines.Text(), ":")
		controllers, group, _ := strings.Cut(rest, ":")
		folder, file := "sys/fs/cgroup", "memory.max"
		if controllers != "" {
			folder, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		if controllers == "" || holds(controllers, "memory") {
			least = smaller(least, along(root, folder, group, file))
		}
	}
	return least
}

func holds(controllers, name string) bool {
	for one := range strings.SplitSeq(controllers, ",") {
		if one == name {
			return true
		}
	}
	return false
}

// along returns the smallest limit of a group and those above it. In a container the path may be that of
// the machine, of which only the end can be seen, or nothing but the top.
func along(root fs.FS, folder, group, file string) (least int64) {
	for at := path.Join("/", group); ; at = path.Dir(at) {
		if text, err := fs.ReadFile(root, path.Join(folder, at, file)); err == nil {
			limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
			if err == nil && limit > 0 && limit < noLimit {
				least = smaller(least, limit)
			}
		}
		if at == "/" {
			return least
		}
	}
}

// smaller returns the smaller one of two limits, of which 0 is none.
func smaller(a, b int64) int64 {
	if a == 0 || b == 0 {
		return a + b
	}
	return min(a, b)
}
