package main

import (
	"os"
	"runtime/debug"

	"github.com/chatsdk/chatsdk/service/internal/cgroup"
)

// Parts of the memory that a container or a unit has. Bodies and answers are in memory up to twice, as
// they arrived and as they are stored or sent, and garbage needs room. What SQLite and the kernel take
// is not in Go's heap.
const (
	flightPart = 4       // 4 means a quarter
	heapShare  = 7. / 10 // of the memory, for Go's heap
)

// fitInto lowers the default limits of bytes in flight to what a machine with this much memory can
// hold; 0 means that nobody knows.
func (s *settings) fitInto(memory int64) {
	if memory == 0 {
		return
	}
	s.requests.BytesInFlight = min(s.requests.BytesInFlight, memory/flightPart)
	s.requests.BytesInFlightPerUser = min(s.requests.BytesInFlightPerUser, s.requests.BytesInFlight)
}

// allowedMemory returns how much memory the control groups of this process allow, 0 for no limit.
func allowedMemory() int64 { return cgroup.Memory(os.DirFS("/")) }

// boundHeap makes the garbage collector work harder near a limit of the memory, unless GOMEMLIMIT says
// where.
func boundHeap(memory int64, env lookup) {
	if text, _ := env("GOMEMLIMIT"); text == "" && memory > 0 {
		debug.SetMemoryLimit(int64(heapShare * float64(memory)))
	}
}
