package httpapi

import "time"

const (
	// paceTime is how long a body or an answer may make no progress, and the window over which
	// its speed is measured.
	paceTime = 30 * time.Second
	// bodyPace and answerPace are minimum speeds in bytes a second. For an answer the service
	// only sees when the kernel's buffer takes bytes, which happens in bursts, so its pace is
	// lower.
	bodyPace   = 16 << 10
	answerPace = 8 << 10
	// paceMarks is the number of slices into which the bytes of paceTime are divided.
	paceMarks = 16
)

// pace measures whether bytes flow at a minimum speed in every window of paceTime.
type pace struct {
	slice int64
	// passed counts the bytes since the last full slice.
	passed int64
	// marks are the times at which the last slices were full; next is the index of the oldest.
	marks [paceMarks]time.Time
	next  int
}

func newPace(bytesPerSecond int64, now time.Time) pace {
	p := pace{slice: bytesPerSecond * int64(paceTime/time.Second) / paceMarks}
	for i := range p.marks {
		p.marks[i] = now
	}
	return p
}

// pass counts bytes that were read or written.
func (p *pace) pass(bytes int, now time.Time) {
	for p.passed += int64(bytes); p.passed >= p.slice; p.passed -= p.slice {
		p.marks[p.next] = now
		p.next = (p.next + 1) % paceMarks
	}
}

// deadline is when the speed falls below the minimum if no byte passes until then.
func (p *pace) deadline() time.Time { return p.marks[p.next].Add(paceTime) }
