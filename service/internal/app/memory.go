package app

import (
	"os"
	"runtime/debug"

	"github.com/chatsdk/chatsdk/service/internal/cgroup"
	"github.com/chatsdk/chatsdk/service/internal/config"
)

// heapShare is the part of the memory that a container or a unit has for Go's heap. What SQLite and the kernel take is not in it.
const heapShare = 7. / 10

// AllowedMemory returns how much memory the control groups of this process allow, 0 for no limit.
func AllowedMemory() int64 { return cgroup.Memory(os.DirFS("/")) }

// BoundHeap makes the garbage collector work harder near a limit of the memory, unless GOMEMLIMIT says
// where.
func BoundHeap(memory int64, env config.Lookup) {
	if text, _ := env("GOMEMLIMIT"); text == "" && memory > 0 {
		debug.SetMemoryLimit(int64(heapShare * float64(memory)))
	}
}
