package read

import (
	"fmt"
	"os"
	"syscall"
)

// limit makes the system limit this process: its address space, and that it writes no files. If memory is
// short, the system is to end this process first; where it may not be told so, reading goes on.
func limit(o order) error {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	var pages uint64
	if statm, err := os.ReadFile("/proc/self/statm"); err == nil {
		_, _ = fmt.Sscan(string(statm), &pages)
	}
	if pages == 0 { // without /proc: about the address space that Go uses from the start
		pages = (2 << 30) / uint64(os.Getpagesize())
	}
	for _, l := range []struct {
		resource int
		max      uint64
	}{
		{syscall.RLIMIT_AS, pages*uint64(os.Getpagesize()) + uint64(o.Memory)},
		{syscall.RLIMIT_FSIZE, 0},
		{syscall.RLIMIT_CORE, 0},
	} {
		if err := syscall.Setrlimit(l.resource, &syscall.Rlimit{Cur: l.max, Max: l.max}); err != nil {
			return fmt.Errorf("limit %d to %d: %w", l.resource, l.max, err)
		}
	}
	return nil
}
